"""How often values occur before and after, a panel for each column."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from swapmeet.plots.bars import overlay
from swapmeet.plots.style import WIDTH, look, sheet, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.measures.side_by_side.distribution import Distribution

ACROSS = 3
TICKS, LABELS = 5, 7
"""Edges and groups that are labelled in a panel, about."""
SIGNS = {"…": "rare values together", "?": "missing"}


def draw(found: Sequence[Distribution]) -> Figure:
    """Small multiples: each group of values is as wide as the others, whatever it spans."""
    down, across = -(-len(found) // ACROSS), min(len(found), ACROSS)
    with look():
        figure = sheet(0.5 + 1.75 * down, WIDTH if across > 1 else WIDTH / 2)
        places: Any = figure.subplots(down, across, squeeze=False).ravel() if found else []
        for axes, column in zip(places, found, strict=False):
            _panel(axes, column)
        for axes in places[len(found) :]:
            axes.set_axis_off()
        if found:
            figure.supylabel("rows", size=9.0)
            _legend(figure, found)
    return figure


def _legend(figure: Figure, found: Sequence[Distribution]) -> None:
    """The two tables, and the signs that stand under groups, in words."""
    from matplotlib.lines import Line2D

    drawn = (axes.get_legend_handles_labels() for axes in figure.axes)
    handles, labels = next((pair for pair in drawn if pair[0]), ([], []))
    written = "".join(_short(label) for column in found for label in column.labels)
    signs = [f"{sign} {words}" for sign, words in SIGNS.items() if sign in written]
    handles = [*handles, *(Line2D([], [], linestyle="") for _ in signs)]
    labels = [*labels, *signs]
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels) or 1)


def _panel(axes: Axes, found: Distribution) -> None:
    axes.set_title(shorten(found.column, 26))
    if not found.original:
        axes.set_axis_off()
        axes.text(0.0, 0.5, f"fewer than {found.least} rows", transform=axes.transAxes)
        return
    groups = len(found.original)
    overlay(axes, found.original, found.released, range(groups + 1))
    axes.set_xlim(0.0, groups)
    if found.edges is None or _are_single(found):
        _label_groups(axes, [_short(label) for label in found.labels])
    else:
        _label_edges(axes, found.edges, found.labels)


def _are_single(found: Distribution) -> bool:
    """Whether each bin but the outermost is of one whole number."""
    edges = found.edges or ()
    return found.whole and all(high - low == 1.0 for low, high in pairwise(edges))


def _label_groups(axes: Axes, labels: list[str]) -> None:
    """A label under each group; numbers are thinned out, signs are not."""
    signs = [i for i, label in enumerate(labels) if label[-1] in SIGNS]
    every = -(-len(labels) // LABELS)
    shown = sorted({*range(0, len(labels) - len(signs), every), *signs})
    axes.set_xticks([i + 0.5 for i in shown], [labels[i] for i in shown])
    axes.tick_params(axis="x", length=0.0)


def _label_edges(axes: Axes, edges: tuple[float, ...], labels: tuple[str, ...]) -> None:
    """Edges stand between the bins; the outermost bins are open and have none outside."""
    every = -(-len(edges) // TICKS) or 1
    ticks = {i + 1.0: _compact(edge) for i, edge in enumerate(edges) if i % every == 0}
    if _short(labels[-1])[-1] in SIGNS:
        ticks[len(labels) - 0.5] = _short(labels[-1])[-1]
    axes.set_xticks(list(ticks), list(ticks.values()))


def _short(label: str) -> str:
    """The name of a group, shortened to signs.

    >>> _short("1 or less"), _short("5 or more"), _short("5 or more or missing"), _short("3")
    ('≤1', '≥5', '≥5 ?', '3')
    >>> _short("missing"), _short("others or missing"), _short("any value")
    ('?', '… ?', 'any')
    """
    for words, sign in ((" or less", "≤"), (" or more", "≥")):
        if words in label:
            label = sign + label.replace(words, "", 1)
    for words, sign in (
        ("others", "…"),
        ("or missing", "?"),
        ("missing", "?"),
        ("any value", "any"),
    ):
        label = label.replace(words, sign)
    return label


def _compact(edge: float) -> str:
    """Thousands and millions in one letter.

    >>> _compact(20_000.0), _compact(2_500_000.0), _compact(1990.0), _compact(0.25)
    ('20k', '2.5M', '1,990', '0.25')
    """
    for from_, size, letter in ((1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if from_ <= abs(edge) < 1e10:
            return f"{edge / size:,.10g}{letter}"
    return f"{edge:,.10g}"
