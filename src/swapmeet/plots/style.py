"""The one look of all pictures: colours, strokes and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.base.extras import require_library

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

WIDTH = 7.2
"""Inches of a figure as wide as a page."""
INK, FAINT, PAPER = "#222222", "#8a8a8a", "#ffffff"

LOOK: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": FAINT,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 9.0,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "figure.facecolor": PAPER,
    "figure.dpi": 100.0,
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 2.8,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
    "savefig.dpi": 200.0,
    "svg.fonttype": "none",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 8.0,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8.0,
}


@dataclass(frozen=True)
class Stroke:
    """The look of a series: its colour and, for print without colour, its marker or dash."""

    colour: str
    marker: Any
    dash: Any

    def line(self) -> dict[str, Any]:
        """For `plot`: points joined by a line."""
        return {"color": self.colour, "linestyle": self.dash, **self.points()}

    def points(self) -> dict[str, Any]:
        """For `plot`: the marker alone; give `linestyle=""` for points that are not joined."""
        return {
            "marker": self.marker,
            "markerfacecolor": self.colour,
            "markeredgecolor": INK,
            "markeredgewidth": 0.5,
        }


SERIES = (
    Stroke("#1b2a49", "o", "-"),
    Stroke("#d5762b", "s", (0, (5, 1.5))),
    Stroke("#1f77a8", "^", (0, (1, 1))),
    Stroke("#8c2d1f", "D", (0, (5, 1, 1, 1))),
    Stroke("#86b875", "v", (0, (8, 2))),
    Stroke("#ead06a", "P", (0, (3, 1, 1, 1, 1, 1))),
)
"""At most six, and no two alike in greyscale: their lightness goes 17, 59, 47, 33, 70, 84."""
ORIGINAL, RELEASED = SERIES[:2]


def look() -> AbstractContextManager[None]:
    """The context in which figures are made and written.

    >>> with look():
    ...     figure = sheet(2.0)
    >>> figure.get_size_inches().tolist()
    [7.2, 2.0]
    """
    require_library("matplotlib", "pictures")
    from matplotlib import rc_context

    return rc_context(LOOK)


def sheet(height: float, width: float = WIDTH) -> Figure:
    """An empty figure whose parts make room for each other; make it inside `look()`."""
    require_library("matplotlib", "pictures")
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def diverging(steps: int = 21) -> Colormap:
    """From the original's dark blue over white to the release's orange: below, at and above 0."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = [SERIES[2].colour, "#9cc3da", PAPER, "#efbd92", RELEASED.colour]
    return LinearSegmentedColormap.from_list("below and above", ends, steps)


def sequential(steps: int = 16) -> Colormap:
    """From hardly to very much; darker is more."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = ["#dfeaf1", SERIES[2].colour, ORIGINAL.colour]
    return LinearSegmentedColormap.from_list("more", ends, steps)


def shade(colour: str, number: int) -> list[str]:
    """So many shades of a colour, from dark to light.

    >>> shade("#d5762b", 3)
    ['#6a3b16', '#d5762b', '#eabb95']
    """
    from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb

    dark, light = (tuple((c + end) / 2 for c in to_rgb(colour)) for end in (0.0, 1.0))
    scale = LinearSegmentedColormap.from_list("shades", [dark, to_rgb(colour), light])
    steps = [0.5] if number == 1 else [at / (number - 1) for at in range(number)]
    return [to_hex(scale(step)) for step in steps]


def ink_on(colour: tuple[float, float, float, float]) -> str:
    """The colour of text that is readable on another.

    >>> ink_on((1.0, 1.0, 1.0, 1.0)) == INK, ink_on((0.0, 0.0, 0.3, 1.0)) == PAPER
    (True, True)
    """
    red, green, blue, _ = colour
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else PAPER


def shorten(name: str, most: int = 18) -> str:
    """A name that fits beside an axis; its end stays, by which names of a series differ.

    >>> shorten("age"), shorten("number of hours worked per week")
    ('age', 'number of ho… week')
    """
    end = (most - 1) // 3
    return name if len(name) <= most else f"{name[: most - 1 - end]}…{name[len(name) - end :]}"
