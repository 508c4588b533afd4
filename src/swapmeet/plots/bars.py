"""Heights before and after in the same groups: filled shapes and dashed outlines over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.plots.style import ORIGINAL, RELEASED
from swapmeet.plots.ticks import set_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    Heights = Sequence[float]

FILL, PALE = "#d0dbe6", "#eef2f6"
WIDE = 0.8
"""Of the room that a bar has; the rest parts it from the next."""


def draw_outlines(axes: Axes, original: Heights, released: Heights, edges: Sequence[float]) -> None:
    """Draw what lies between the edges, outer ones included, as areas that touch."""
    axes.stairs(
        original, edges, fill=True, label="original", facecolor=FILL,
        edgecolor=ORIGINAL.colour, linewidth=0.8,
    )  # fmt: skip
    axes.stairs(
        released, edges, label="release", color=RELEASED.colour, linestyle=RELEASED.dash,
        linewidth=1.6, zorder=1.2,
    )  # fmt: skip
    _count_upwards(axes)


def draw_bars(
    axes: Axes, original: Heights, released: Heights, places: Sequence[float], *, room: float = 1.0
) -> None:
    """Draw upright bars, which do not touch; `room` is that of one."""
    hidden = "_" if axes.patches else ""
    axes.bar(places, original, WIDE * room, label=f"{hidden}original", **_fill())
    axes.bar(places, released, WIDE * room, label=f"{hidden}release", **_outline())
    _count_upwards(axes)


def draw_lying_bars(axes: Axes, original: Heights, released: Heights, room: int) -> None:
    """Draw lying bars, which do not touch, from top to bottom, with markers for the release.

    There is room for so many of them, so that bars of all panels are equally thick.
    """
    places = range(len(original))
    axes.barh(places, original, WIDE, label="original", **_fill())
    look = {**RELEASED.points(), "markersize": 4.5, "linestyle": "", "clip_on": False}
    axes.plot(released, places, label="release", **look)
    axes.set_ylim(room - 0.4, -0.6)
    axes.set_xlim(0.0, None)
    axes.grid(visible=False, axis="y")
    set_counts(axes, "x", 4)


def _count_upwards(axes: Axes) -> None:
    axes.set_ylim(0.0, None)
    axes.grid(visible=False, axis="x")
    set_counts(axes)


def _fill() -> dict[str, Any]:
    return {"facecolor": FILL, "edgecolor": ORIGINAL.colour, "linewidth": 0.8}


def _outline() -> dict[str, Any]:
    return {"facecolor": "none", "edgecolor": RELEASED.colour, "linestyle": RELEASED.dash,
            "linewidth": 1.6}  # fmt: skip
