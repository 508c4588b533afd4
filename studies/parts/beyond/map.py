"""Maps: loss over worst-case linkage, a line for each method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parts.beyond.candidates import LIMITS, LOSSES, list_methods
from parts.beyond.settings import OURS
from swapmeet.plots.style import FAINT, WIDTH, assign, look, sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from parts.beyond.candidates import Candidate

LEAST_RISK, LEAST_LOSS = 2e-3, 1e-3
"""What is less is drawn here, so that 0 has a place on a logarithmic axis."""
RISK_TICKS = (LEAST_RISK, 0.01, 0.05, 0.2, 1.0)
LOSS_TICKS = (LEAST_LOSS, 0.01, 0.1, 1.0)
NAMES = {
    "A": "propensity, pil, cbil",
    "B": "margins, associations, prediction, queries, coefficients",
}


def draw_table(here: Sequence[Candidate]) -> Figure:
    """One table: two panels, one for each loss, and one legend."""
    with look():
        figure = sheet(4.4, width=WIDTH)
        panels = figure.subplots(1, 2, sharex=True, sharey=True)
        for axes, which in zip(panels, LOSSES, strict=True):
            draw_methods(axes, here, which)
            axes.set_title(f"loss {which}")
            axes.set_xlabel("people found (linkage)")
        panels[0].set_ylabel("loss")
        add_legend(figure)
    return figure


def draw_all(candidates: Mapping[str, Sequence[Candidate]], which: str) -> Figure:
    """All tables by one loss, two in a row."""
    rows = -(-len(candidates) // 2)
    with look():
        figure = sheet(2.3 * rows + 0.9, width=WIDTH)
        places = figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False)
        for axes in places.ravel()[len(candidates) :]:
            axes.remove()
        for axes, (table, here) in zip(places.ravel(), candidates.items(), strict=False):
            draw_methods(axes, here, which, faint=False)
            axes.set_title(f"{table}, {here[0].rows:,} rows")
            axes.set(xlabel="people found (linkage)", ylabel=f"loss {which}")
            axes.label_outer()
        for axes in places.ravel()[: len(candidates)][-2:]:
            axes.tick_params(labelbottom=True)
            axes.set_xlabel("people found (linkage)")
        add_legend(figure)
    return figure


def draw_methods(axes: Axes, here: Sequence[Candidate], which: str, *, faint: bool = True) -> None:
    """All methods of a table, logarithmic axes and the limits."""
    for method in list_methods(here)[::-1]:
        draw_method(axes, [one for one in here if one.method == method], which, faint=faint)
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(LEAST_RISK * 0.8, 1.25)
    name_ticks(axes.xaxis, RISK_TICKS)
    name_ticks(axes.yaxis, LOSS_TICKS)
    for limit in LIMITS:
        axes.axvline(limit, color=FAINT, linewidth=0.8, linestyle=":")


def draw_method(axes: Axes, own: Sequence[Candidate], which: str, *, faint: bool) -> None:
    """A line along settings that no other beats; the others as faint points, if so asked."""
    stroke = assign([own[0].method])[own[0].method]
    width = 2.6 if own[0].method == OURS else 1.1
    places = sorted((max(one.linkage, LEAST_RISK), max(one.loss(which), LEAST_LOSS)) for one in own)
    if faint:
        axes.plot(*zip(*places, strict=True), linestyle="", marker=stroke.marker,
                  color=stroke.colour, markersize=3.0, alpha=0.35)  # fmt: skip
    leading = [place for i, place in enumerate(places)
               if all(place[1] <= earlier[1] for earlier in places[:i])]  # fmt: skip
    axes.plot(*zip(*leading, strict=True), label=own[0].method, linewidth=width, markersize=4.0,
              **stroke.line())  # fmt: skip


def add_legend(figure: Figure) -> None:
    """One legend for all panels, below."""
    found = {}
    for axes in figure.axes:
        found |= dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
    names = sorted(found, key=lambda name: name != OURS)
    figure.legend([found[n] for n in names], names, loc="outside lower center", ncols=5)


def name_ticks(axis: Axis, places: Sequence[float]) -> None:
    """Plain numbers; the first place also stands for all that is less."""
    names = [f"≤ {places[0]:g}", *(f"{place:g}" for place in places[1:])]
    axis.set_ticks(list(places), names)
    axis.set_ticks([], minor=True)
