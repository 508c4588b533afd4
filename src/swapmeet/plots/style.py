"""The one look of all pictures: colours, strokes, sizes, and the parts that several share."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from swapmeet.base.extras import require_library

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

    from swapmeet.tuning import Candidate, Study


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


def draw_legend(figure: Figure, more: Iterable[tuple[str, str]] = ()) -> None:
    """Below all panels; `more` are pairs of a shade, or nothing, and what it means."""
    from matplotlib.lines import Line2D

    drawn = (axes.get_legend_handles_labels() for axes in figure.axes)
    pair = next((pair for pair in drawn if pair[0]), ([], []))
    named = dict(sorted(zip(pair[1], pair[0], strict=True)))
    handles, labels = list(named.values()), list(named)
    for shade, words in more if handles else ():
        handles = [*handles, _draw_shade(shade) if shade else Line2D([], [], linestyle="")]
        labels = [*labels, words]
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels) or 1)


def _draw_shade(shade: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(facecolor=shade, edgecolor=ORIGINAL.colour, linestyle=":", linewidth=0.8)


STROKES = {
    "matched-swap": Stroke("#1b2a49", "o", "-"),
    "rwn": Stroke("#d5762b", "s", "-"),
    "nbrs": Stroke("#1f77a8", "^", "-"),
    "sjppds": Stroke("#8c2d1f", "D", "-"),
    "mews": Stroke("#86b875", "v", "-"),
    "meds": Stroke("#ead06a", "P", "-"),
    "microaggregation": Stroke("#7a4fa3", "X", "-"),
    "kl-theta": Stroke("#c94f7c", "*", "-"),
    "rank-swap": Stroke("#2f9e8f", "<", "-"),
    "noise": Stroke("#8a8a8a", ">", "-"),
    "cart": Stroke("#5c7a1e", "p", "-"),
    "data-shuffle": Stroke("#6fb7e9", "h", "-"),
    "ipso": Stroke("#3d3b8e", "H", "-"),
    "per-column": Stroke("#b08d57", "d", "-"),
    "record-swap": Stroke("#f2a7b8", "8", "-"),
}
"""The one table of them; without colour the marker tells methods apart."""
OTHERS = tuple(
    Stroke(colour, marker, "-")
    for marker in ((4, 1, 0), (6, 1, 0), (3, 1, 0), (8, 1, 0))
    for colour in ("#1b2a49", "#d5762b", "#1f77a8", "#8c2d1f", "#2f9e8f", "#7a4fa3", "#86b875")
)
"""Stars, for methods made elsewhere."""


def assign_strokes(study: Study) -> dict[str, Stroke]:
    """A stroke for each method that was tried."""
    return assign(dict.fromkeys(c.setting.name for c in study.candidates if not c.failure))


def assign(names: Iterable[str]) -> dict[str, Stroke]:
    """The methods' own strokes; those made elsewhere have one by their name, no two the same.

    >>> assign(["rwn"]) == {"rwn": STROKES["rwn"]}
    True
    """
    names = list(names)
    taken: dict[str, Stroke] = {}
    for name in sorted(set(names) - set(STROKES)):
        taken[name] = _pick(name, set(taken.values()))
    return {name: STROKES.get(name) or taken[name] for name in names}


def _pick(name: str, taken: set[Stroke]) -> Stroke:
    """The stroke that the name leads to, or the next that is free."""
    first = int.from_bytes(sha256(name.encode()).digest()[:4]) % len(OTHERS)
    turned = (*OTHERS[first:], *OTHERS[:first])
    return next((stroke for stroke in turned if stroke not in taken), turned[0])


def close_edges(
    edges: tuple[float, ...], least: float = -float("inf"), only: float = 0.0
) -> list[float]:
    """The edges with outer ones: open bins are as wide as others, and none begins below `least`.

    Without edges there is one bin, which begins with `only`.

    >>> close_edges((5.0, 10.0)), close_edges((5.0, 10.0), 3.0), close_edges((), 0.0, 5.0)
    ([0.0, 5.0, 10.0, 15.0], [3.0, 5.0, 10.0, 15.0], [5.0, 6.0])
    """
    if not edges:
        return [only, only + 1.0]
    step = edges[1] - edges[0] if len(edges) > 1 else abs(edges[0]) or 1.0
    return [max(edges[0] - step, least), *edges, edges[-1] + step]


def describe_runs(candidates: Iterable[Candidate]) -> str:
    """Describe a figure: of one run, or the median over some."""
    runs = {len(candidate) for candidate in candidates if not candidate.failure}
    if not runs:
        return "no run"
    low, high = min(runs), max(runs)
    if high == 1:
        return "one run"
    return f"median over {high} runs" if low == high else f"median over {low} to {high} runs"


def has_interval(candidate: Candidate) -> bool:
    """Return whether there are repeats, which alone show how far figures vary between runs."""
    return len(candidate) > 1
