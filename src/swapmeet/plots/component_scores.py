"""Rows on the first two principal components (RWN paper, Figure 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.plots.style import FAINT, close_edges, look, sequential, sheet
from swapmeet.plots.ticks import set_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.measures.side_by_side.components import ComponentScores, Grid


def draw(scores: ComponentScores) -> Figure:
    """Heat maps of rows on the same axes and colours; blank cells hold few rows, or none."""
    panels = {
        "original": (scores.original, scores.original_left_out),
        "release": (scores.released, scores.released_left_out),
    }
    most = max(np.max(scores.original), np.max(scores.released), 1)
    with look():
        figure = sheet(3.7)
        places = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, (name, (counts, left_out)) in zip(places, panels.items(), strict=True):
            mesh = _draw_cells(axes, scores, counts, int(most))
            axes.set_title(f"{name}: {left_out:,} rows in cells\nof fewer than {scores.least} not "
                           "shown", fontsize=8.5)  # fmt: skip
        first, second = scores.shares
        figure.supxlabel(f"score on component 1 ({first:.0%} of the variance)", size=9.0)
        places[0].set_ylabel(f"score on component 2 ({second:.0%})")
        bar = figure.colorbar(mesh, ax=list(places), label="rows")
        set_counts(bar.ax)
    return figure


def _draw_cells(axes: Axes, scores: ComponentScores, counts: Grid, most: int) -> Any:
    across, up = close_edges(scores.first_edges), close_edges(scores.second_edges)
    axes.axhline(0.0, color=FAINT, linewidth=0.6, zorder=0.9)
    axes.axvline(0.0, color=FAINT, linewidth=0.6, zorder=0.9)
    return axes.pcolormesh(
        across, up, np.ma.masked_equal(np.array(counts).T, 0), cmap=sequential(), vmin=0,
        vmax=most, edgecolors="white", linewidth=0.4,
    )  # fmt: skip
