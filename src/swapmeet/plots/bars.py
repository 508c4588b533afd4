"""Counts before and after in the same bins: a filled outline and a line over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.plots.style import ORIGINAL, RELEASED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

FILL = "#d0dbe6"


def overlay(
    axes: Axes, original: Sequence[int], released: Sequence[int], edges: Sequence[float]
) -> None:
    """Draw the counts of both tables between the edges, outer ones included."""
    axes.stairs(
        original, edges, fill=True, label="original", facecolor=FILL,
        edgecolor=ORIGINAL.colour, linewidth=0.8,
    )  # fmt: skip
    axes.stairs(
        released, edges, label="release", color=RELEASED.colour, linestyle=RELEASED.dash,
        linewidth=1.6,
    )  # fmt: skip
    axes.set_ylim(0.0, None)
    axes.grid(visible=False, axis="x")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.locator_params(axis="y", integer=True)
