"""Neighbourhoods of rows: their size against the loneliness of rows (RWN paper, Figure 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.plots.style import RELEASED, SERIES, close_edges, look, sequential, sheet
from swapmeet.plots.ticks import set_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.inspecting.neighborhoods import Crowding


def draw(crowding: Crowding) -> Figure:
    """A heat map of rows; blank cells hold fewer than the least count, or nobody.

    Neighbourhoods are of whole rows: bins begin and end between two whole numbers.
    """
    across = [edge - 0.5 for edge in close_edges(crowding.size_edges, crowding.k, crowding.k)]
    up = close_edges(crowding.distance_edges, 0.0)
    counts = np.ma.masked_equal(np.array(crowding.counts).T, 0)
    with look():
        figure = sheet(3.6)
        axes = figure.subplots()
        mesh = axes.pcolormesh(
            across, up, counts, cmap=sequential(), vmin=0, edgecolors="white", linewidth=0.4
        )
        bar = figure.colorbar(mesh, label="rows")
        set_counts(bar.ax)
        set_counts(axes, "x", 8)
        _mark(axes, crowding)
        axes.set(
            title=f"{crowding.rows:,} rows; {crowding.left_out:,} in cells of fewer than "
            f"{crowding.least} not shown",
            xlabel="size of the neighbourhood (rows)", ylabel="distance to the closest other row",
        )  # fmt: skip
        if not crowding.size_edges:
            axes.set_xticks([crowding.k])
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def _mark(axes: Axes, crowding: Crowding) -> None:
    """The least size of a neighbourhood and its radius, where they lie in the picture."""
    right, top = axes.get_xlim()[1], axes.get_ylim()[1]
    size = {"linewidth": 1.6}
    if 0 < crowding.k <= right:
        style = {"color": SERIES[3].colour, "linestyle": SERIES[3].dash}
        axes.axvline(crowding.k, label=f"k = {crowding.k}", **style, **size)
    if 0.0 < crowding.eps <= top:
        style = {"color": RELEASED.colour, "linestyle": RELEASED.dash}
        axes.axhline(crowding.eps, label=f"eps = {crowding.eps:g}", **style, **size)
