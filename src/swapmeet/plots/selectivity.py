"""The error of counting queries by how much they select (KLθ paper, Figures 9 to 12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from swapmeet.base.sentences import join_names
from swapmeet.errors import UsageError
from swapmeet.plots.style import FAINT, SERIES, look, sheet, shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from swapmeet.measures.side_by_side.selectivity import Selectivity

SHORT = 44
"""Letters of labels that stand side by side."""


def draw(selectivities: Sequence[Selectivity] | Mapping[str, Selectivity]) -> Figure:
    """A line for each curve, named by its label, or else by the column that is selected by."""
    curves = _named(selectivities)
    if not 0 < len(curves) <= len(SERIES):
        raise UsageError(
            f"selectivity: a picture shows 1 to {len(SERIES)} curves; got {len(curves)}."
        )
    with look():
        figure = sheet(3.2)
        axes = figure.subplots()
        axes.axhline(1.0, color=FAINT, linewidth=0.8)
        for stroke, (label, curve) in zip(SERIES, curves.items(), strict=False):
            shares = [point.selectivity for point in curve.points]
            values = [point.value for point in curve.points]
            axes.plot(shares, values, label=shorten(label, 70), **stroke.line())
        selected = dict.fromkeys(shorten(curve.column, 40) for curve in curves.values())
        axes.set(
            xlabel=f"share of the values of {join_names(selected)} that a query selects",
            ylabel="error of the answers\n(1: as if dealt out at random)",
            xlim=(0.0, 1.02), ylim=(0.0, None),
        )  # fmt: skip
        axes.xaxis.set_major_formatter("{x:.0%}")
        beside = 2 if max(map(len, curves)) <= SHORT else 1
        figure.legend(loc="outside lower center", ncols=beside)
    return figure


def _named(
    selectivities: Sequence[Selectivity] | Mapping[str, Selectivity],
) -> dict[str, Selectivity]:
    if isinstance(selectivities, Mapping):
        return dict(selectivities)
    return {
        f"counts of {shorten(c.target, 28)} by {shorten(c.column, 28)}": c for c in selectivities
    }
