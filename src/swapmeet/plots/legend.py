"""The legend below a picture: the two tables, and what signs and shades mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.plots.style import ORIGINAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.figure import Figure


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
