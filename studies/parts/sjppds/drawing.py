"""Boxes of methods side by side, and the curves of a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kit.panels import Panel
from swapmeet.plots.style import INK, STROKES, look, sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from parts.sjppds.settings import Tried

    Floats = npt.NDArray[np.float64]

Boxes = dict[str, "Floats"]
COLOURS = {
    "sjppds": "sjppds", "micro": "microaggregation", "noise": "noise", "rankswap": "rank-swap",
    "d": "data-shuffle", "cart": "cart",
}  # fmt: skip
TICKS = 10
"""On all axes of a row."""
FEWEST = 3
"""Values that a box needs."""


def draw_boxes(panels: Mapping[str, Boxes], *, columns: int) -> Figure:
    """A panel for each title, a box for each name in it; single values are points."""
    rows = -(-len(panels) // columns)
    names = max((list(boxes) for boxes in panels.values()), key=len)
    with look():
        figure = sheet(rows * (0.65 + 0.22 * len(names)))
        places = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
        for axes, (title, boxes) in zip(places, panels.items(), strict=False):
            _draw(axes, title, boxes, names)
            axes.locator_params(axis="x", nbins=TICKS // columns)
        for axes in places[len(panels) :]:
            axes.remove()
    return figure


def _draw(axes: Axes, title: str, boxes: Boxes, names: Sequence[str]) -> None:
    axes.set_title(title)
    for place, name in enumerate(names):
        values = boxes.get(name, np.array([]))
        colour = STROKES[COLOURS[name.partition("-")[0].partition(",")[0]]].colour
        if len(values) < FEWEST:
            axes.plot(values, [place] * len(values), linestyle="", marker="o", color=colour)
            continue
        axes.boxplot(
            [values], positions=[place], orientation="horizontal", widths=0.6, manage_ticks=False,
            patch_artist=True, boxprops={"facecolor": colour, "alpha": 0.75, "linewidth": 0.7},
            medianprops={"color": INK, "linewidth": 1.6},
            flierprops={"marker": "o", "markersize": 2.5, "markerfacecolor": colour},
        )  # fmt: skip
    axes.set_yticks(range(len(names)), list(names))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")


def make_panel(title: str, across: str, own: Sequence[Tried], view: str) -> Panel:
    """Medians of loss, risk, score and DBRL over the grid of a method (Figures 3, A5 and A6)."""
    at = [one.value for one in own]
    curves = {
        "information loss": [one.loss() for one in own],
        "disclosure risk": [one.risk(view) for one in own],
        "overall score": [one.score(view) for one in own],
        "DBRL": [one.figures("dbrl", view) for one in own],
    }
    return Panel(
        title=title,
        across=across,
        curves={name: (at, [float(np.median(x)) for x in own]) for name, own in curves.items()},
        levels={"DBRL of 0.2": 0.2},
    )
