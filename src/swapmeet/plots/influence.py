"""Cook's distances of a regression before and after (RWN paper, Figure 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.plots.bars import draw_outlines
from swapmeet.plots.style import ORIGINAL, RELEASED, look, sheet, shorten
from swapmeet.plots.ticks import write_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.measures.side_by_side.models import Influence

SMALLEST = 1e-12
"""Where a logarithmic axis begins if there is nothing to begin with."""
RATIO = 2.5


def draw(influence: Influence) -> Figure:
    """Rows by their influence on the model, and the largest influence in each table."""
    from matplotlib.ticker import NullLocator

    largest = max(influence.largest_original, influence.largest_released, SMALLEST)
    inner = influence.edges or (largest / RATIO,)
    outer = inner[0] / RATIO, inner[-1] * RATIO
    with look():
        figure = sheet(3.2)
        axes = figure.subplots()
        axes.set_xscale("log")
        if influence.original:
            edges = (outer[0], *influence.edges, outer[1])
            draw_outlines(axes, influence.original, influence.released, edges)
        _mark_largest(axes, influence)
        axes.set(
            title=shorten(influence.formula, 85), ylabel="rows",
            xlabel="Cook's distance (the outermost bins are open)",
            xlim=(outer[0], max(outer[1], RATIO * largest)),
        )  # fmt: skip
        axes.xaxis.set_major_formatter(lambda value, _: write_number(value))
        axes.xaxis.set_minor_locator(NullLocator())
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def _mark_largest(axes: Axes, influence: Influence) -> None:
    marks = (
        ("original", ORIGINAL, influence.largest_original),
        ("release", RELEASED, influence.largest_released),
    )
    across = axes.get_xaxis_transform()
    for name, stroke, largest in marks:
        if largest > 0.0:
            axes.axvline(largest, color=stroke.colour, linestyle=stroke.dash, linewidth=1.0)
            axes.plot(
                largest, 0.06, transform=across, linestyle="", clip_on=False,
                label=f"largest of the {name}: {largest:.2g}", **stroke.points(),
            )  # fmt: skip
