"""Frequencies of categories before and after, a panel for each column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.plots.bars import draw_lying_bars
from swapmeet.plots.style import WIDTH, draw_legend, look, sheet, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.measures.side_by_side.distribution import Distribution

ACROSS, ACROSS_BY_NAME = 3, 2
LONGEST = 28
"""Letters of a name."""
BAR, HEAD = 0.14, 0.62
"""Inches of a bar with the room around it, and of what a panel has besides."""
FEWEST = 4
"""Bars that a panel has room for, at least."""
RANKS = "1st, 2nd, …: by frequency in the original"


def draw(columns: Sequence[Distribution], *, by_name: bool = False) -> Figure:
    """Lying bars of the nominal columns; `distributions.draw` has the others.

    Categories stand in the order of their frequency and are called by their rank, or, where
    insiders ask for it, by their value. Columns with many come first.
    """
    shown = sorted((c for c in columns if c.edges is None), key=lambda c: -len(c.labels))
    most = ACROSS_BY_NAME if by_name else ACROSS
    rows = [shown[at : at + most] for at in range(0, len(shown), most)]
    heights = [HEAD + BAR * _count_bars(row) for row in rows]
    with look():
        figure = sheet(sum(heights) + 0.6, WIDTH if len(shown) > 1 else WIDTH / 2)
        if shown:
            across = min(len(shown), most)
            panels = figure.subplots(len(rows), across, squeeze=False, height_ratios=heights)
            rooms = [_count_bars(row) for row in rows for _ in range(across)]
            for axes, column, room in zip(panels.ravel(), shown, rooms, strict=False):
                _draw_panel(axes, column, room, _label(column, by_name=by_name))
            for axes in panels.ravel()[len(shown) :]:
                axes.set_axis_off()
            ranked = any(not by_name or not column.names for column in shown)
            draw_legend(figure, [("", RANKS)] if ranked else [])
    return figure


def _count_bars(row: Sequence[Distribution]) -> int:
    return max(FEWEST, *(len(column.labels) for column in row))


def _label(distribution: Distribution, *, by_name: bool) -> list[str]:
    named = distribution.names if by_name and distribution.names else distribution.labels
    return [shorten(" ".join(name.split()), LONGEST) for name in named]


def _draw_panel(axes: Axes, distribution: Distribution, room: int, labels: list[str]) -> None:
    axes.set_title(shorten(distribution.column, 26))
    if not distribution.original:
        axes.set_axis_off()
        axes.text(0.0, 0.5, f"fewer than {distribution.least} rows", transform=axes.transAxes)
        return
    draw_lying_bars(axes, distribution.original, distribution.released, room)
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", length=0.0, labelsize=7.0)
    axes.set_xlabel("rows", size=7.5)
