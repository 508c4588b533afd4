"""One picture per table: loss over worst-case linkage, a line for each method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier_grid import OURS
from frontier_people import LOADERS
from frontier_summary import LIMITS, LOSSES, list_methods, pick_table

from swapmeet.plots.strokes import assign
from swapmeet.plots.style import FAINT, WIDTH, look, sheet

if TYPE_CHECKING:
    from pathlib import Path

    from frontier_summary import Candidate
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

LEAST_RISK, LEAST_LOSS = 2e-3, 1e-3
"""What is less is drawn here, so that 0 has a place on a logarithmic axis."""
NAMES = {
    "A": "propensity, PIL, CBIL",
    "B": "margins, associations, prediction, queries, coefficients",
}


def draw_pictures(candidates: list[Candidate], folder: Path) -> None:
    """A PNG for each table, and for each that was masked whole."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in LOADERS:
        for whole in (False, True):
            if here := pick_table(candidates, table, whole=whole):
                with look():
                    figure = draw(table, here)
                    figure.savefig(folder / f"{table}{'-whole' * whole}.png", dpi=130)


def draw(table: str, here: list[Candidate]) -> Figure:
    """Two panels, one for each loss, and one legend."""
    figure = sheet(4.6, width=1.35 * WIDTH)
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, which in zip(panels, LOSSES, strict=True):
        for method in list_methods(here)[::-1]:
            draw_method(axes, [one for one in here if one.method == method], which)
        dress(axes, which)
    figure.suptitle(f"{table}, {here[0].rows:,} rows: towards the lower left is better", size=10)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside lower center", ncols=6)
    return figure


def draw_method(axes: Axes, own: list[Candidate], which: str) -> None:
    """Every setting as a faint point, and a line along those that no other setting beats."""
    stroke = assign([own[0].method])[own[0].method]
    width = 2.8 if own[0].method == OURS else 1.2
    places = sorted((place_risk(one), max(one.loss(which), LEAST_LOSS)) for one in own)
    axes.plot(*zip(*places, strict=True), linestyle="", marker=stroke.marker, color=stroke.colour,
              markersize=3.5, alpha=0.35)  # fmt: skip
    leading = [place for i, place in enumerate(places)
               if all(place[1] <= earlier[1] for earlier in places[:i])]  # fmt: skip
    axes.plot(*zip(*leading, strict=True), label=own[0].method, linewidth=width, **stroke.line())


def place_risk(one: Candidate) -> float:
    return max(one.risk("linkage", "end") or 0.0, LEAST_RISK)


def dress(axes: Axes, which: str) -> None:
    """Logarithmic axes, the limits, and what the axes show."""
    axes.set(xscale="log", yscale="log", xlabel="people whom the worst intruder finds (linkage)")
    axes.set_xlim(right=1.15)
    axes.set_title(f"loss {which}, the mean of\n{NAMES[which]}")
    name_ticks(axes.xaxis, [0.002, 0.005, 0.01, 0.02, *sorted(LIMITS), 0.5, 1.0])
    name_ticks(axes.yaxis, [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0])
    for limit in LIMITS:
        axes.axvline(limit, color=FAINT, linewidth=1.0, linestyle=":")


def name_ticks(axis: Axis, places: list[float]) -> None:
    """Plain numbers; the first place also stands for all that is less."""
    names = [f"≤ {places[0]:g}", *(f"{place:g}" for place in places[1:])]
    axis.set_ticks(places, names)
    axis.set_ticks([], minor=True)
