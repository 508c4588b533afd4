"""Methods side by side: the repeats of each method's best setting, measure by measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.errors import ParameterError, did_you_mean
from swapmeet.measures.limits import SUMMARIES, bounds, direction, sign
from swapmeet.plots.style import FAINT, INK, PAPER, SERIES, assign_strokes, look, sheet, shorten
from swapmeet.plots.ticks import choose_numbers, leave_room_only

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.base.arrays import Floats
    from swapmeet.plots.style import Stroke
    from swapmeet.tuning import Study
    from swapmeet.tuning.frontier import Leader

COLUMNS = 3
FEWEST = 3
"""Repeats that a boxplot needs."""
POINTS = 115.0
"""Points that the axis of a panel has, at least."""
LIMIT = SERIES[3].colour


def draw(study: Study, measures: Iterable[str] | None = None) -> Figure:
    """The repeats of each method's best candidate, a panel for each measure.

    Enough repeats are a boxplot, one or two are points.

    Without names, the panels are what the goal weighs, the limited measures and those of the goal
    (Figures 4 to 8 of the SJPPDS paper), as far as one of these candidates has them. Methods of
    which nothing keeps the limits are hollow.
    """
    shown = _shown(study, measures)
    best = study.leaders()
    rows = -(-len(shown) // COLUMNS)
    with look():
        figure = sheet(rows * (0.75 + 0.24 * max(len(best), 2)) + 0.3)
        panels = figure.subplots(rows, COLUMNS, squeeze=False, sharey=True).ravel()
        for axes, name in zip(panels, shown, strict=False):
            _draw_panel(axes, name, best, study)
        for axes in panels[len(shown) :]:
            axes.set_visible(False)
    return figure


def _shown(study: Study, measures: Iterable[str] | None) -> tuple[str, ...]:
    if measures is None:
        usual = dict.fromkeys((*study.goal.summaries, *study.limits, *study.goal.measures))
        leaders = study.leaders()
        return tuple(name for name in usual if any(one.candidate.has(name) for one in leaders))
    names, known = tuple(measures), (*SUMMARIES, *study.setup.measures)
    problems = [
        f"boxplots: {name!r} was not measured{did_you_mean(name, known)} "
        f"There are {', '.join(known)}."
        for name in names
        if name not in known
    ]
    if problems or not names:
        raise ParameterError("\n".join(problems) or "boxplots: name at least one measure.")
    return names


def _draw_panel(axes: Axes, name: str, best: list[Leader], study: Study) -> None:
    strokes = assign_strokes(study)
    axes.set_title(f"{shorten(name)}\n{direction(name)} is better", fontsize=9.0)
    for place, leader in enumerate(best):
        _draw_box(axes, place, leader, name, strokes[leader.method])
    axes.set_yticks(range(len(best)), [leader.method for leader in best])
    axes.set_ylim(max(len(best), 1) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    if name in study.limits:
        axes.axvline(study.limits[name], color=LIMIT, linestyle="--", linewidth=1.0, label="_limit")
        axes.set_xlabel(f"limit: {sign(name)} {study.limits[name]:g}", fontsize=7.5, color=LIMIT)
    _label_axis(axes, bounds(name)[0])


def _label_axis(axes: Axes, least: float) -> None:
    """Round numbers, none so near to an end that it would touch the next panel's."""
    low, high = leave_room_only(*axes.get_xlim(), least=least)
    edge = 0.04 * (high - low)
    ticks = choose_numbers(low + edge, high - edge, POINTS)
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.set_xlim(low, high)


def _draw_box(axes: Axes, place: int, leader: Leader, name: str, stroke: Stroke) -> None:
    values = leader.candidate.repeats.get(name, np.empty(0))
    values = values[~np.isnan(values)]
    if not len(values):
        why = "not defined" if leader.candidate.has(name) else "not measured yet"
        axes.text(0.5, place, why, ha="center", va="center", color=FAINT, fontsize=7.5,
                  transform=axes.get_yaxis_transform())  # fmt: skip
        return
    dots: dict[str, Any] = {"marker": stroke.marker, "markersize": 3.0, "markeredgecolor": INK,
                            "markerfacecolor": stroke.colour, "markeredgewidth": 0.4}  # fmt: skip
    if len(values) < FEWEST:
        _draw_points(axes, place, values, dots, leader)
        return
    drawn = axes.boxplot(
        [values], positions=[place], orientation="horizontal", widths=0.6, patch_artist=True,
        manage_ticks=False, flierprops=dots, medianprops={"color": INK, "linewidth": 1.6},
        boxprops={"facecolor": stroke.colour if leader.keeps_limits else PAPER, "alpha": 0.75,
                  "edgecolor": INK, "linewidth": 0.7},
        whiskerprops={"linewidth": 0.8}, capprops={"linewidth": 0.8},
    )  # fmt: skip
    drawn["boxes"][0].set_label(f"_box {leader.method}")


def _draw_points(
    axes: Axes, place: int, values: Floats, dots: dict[str, Any], leader: Leader
) -> None:
    """Each repeat on its own: a box would pretend to know how far others vary."""
    face = dots["markerfacecolor"] if leader.keeps_limits else "none"
    look_of_it = {**dots, "markersize": 5.5, "markerfacecolor": face, "linestyle": ""}
    axes.plot(values, np.full(len(values), place), label=f"_runs {leader.method}", **look_of_it)
