"""Risk and loss over the values of one parameter: what turning it costs and gains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.errors import ParameterError, did_you_mean
from swapmeet.measures.limits import bounds, direction, sign
from swapmeet.methods import find
from swapmeet.plots.style import FAINT, SERIES, Stroke, assign, has_interval, look, shade, sheet
from swapmeet.plots.ticks import keep_apart, leave_room_only, measure_text, write_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from swapmeet.tuning import Candidate, Study

LONG = 20.0
"""Values that span more than this factor stand on a logarithmic axis."""
COLUMNS = 2
PANEL = 2.35
LIMIT_LINE: dict[str, Any] = {"color": SERIES[3].colour, "linestyle": "--", "linewidth": 1.2}
CHOSEN_LINE: dict[str, Any] = {"color": FAINT, "linestyle": ":", "linewidth": 1.4, "zorder": 1.2}
LEGEND, HANDLE = 4, 45.0
"""Entries of the legend side by side at most, and the points that one has besides its text."""
POINTS = 190.0
"""Points that the axis of a panel has, at least."""
DEFAULT = "default"
"""What a parameter that was not given is called."""


@dataclass(frozen=True)
class _Line:
    """Candidates that differ in one parameter only, in the order of its values."""

    label: str
    candidates: tuple[Candidate, ...]


def draw(study: Study, method: str, parameter: str, *, by: str | None = None) -> Figure:
    """Risk, loss and limited measures over the values of a parameter of a method.

    Lines are medians, bands their intervals; the method's other parameters are those of its best
    candidate, whose value is marked. With `by`, there is one line for each value of a second
    parameter (Figures 2 to 4 of the RWN paper, 3 and A6 of the SJPPDS paper).
    """
    _require(study, method, parameter, by)
    best = _find_best(study, method)
    lines = _lines(study, best, parameter, by)
    names = [name for name in dict.fromkeys((*study.goal.summaries, *study.limits))
             if any(c.has(name) for line in lines for c in line.candidates)]  # fmt: skip
    places = _places(lines, parameter)
    chosen = places[_value(best, parameter)]
    rows = -(-len(names) // COLUMNS)
    with look():
        figure = sheet(PANEL * rows + 0.5)
        panels = figure.subplots(rows, COLUMNS, squeeze=False, sharex=True).ravel().tolist()
        for axes, name in zip(panels, names, strict=False):
            _draw_panel(axes, name, lines, parameter, places)
            _draw_marks(axes, name, study, chosen)
        for axes in panels[len(names) :]:
            axes.set_visible(False)
        _dress(panels[: len(names)], method, parameter, places)
        word = "chosen" if best is study.choice.best else "best"
        _draw_legend(figure, panels[: len(names)], f"{word} value of {parameter}")
    return figure


def _require(study: Study, method: str, parameter: str, by: str | None) -> None:
    tried = sorted({c.setting.name for c in study.candidates})
    if method not in tried:
        raise ParameterError(
            f"trade-off: {method!r} was not tried{did_you_mean(method, tried)} "
            f"There are {', '.join(tried) or 'no trials'}."
        )
    known = [p.name for p in find(method).parameters()]
    problems = [
        f"trade-off: {method} has no parameter {name!r}{did_you_mean(name, known)} "
        f"It has {', '.join(known)}."
        for name in (parameter, by)
        if name is not None and name not in known
    ]
    if parameter == by:
        problems.append(f"trade-off: `by` must be another parameter than {parameter}.")
    if problems:
        raise ParameterError("\n".join(problems))


def list_varied_parameters(study: Study, method: str) -> list[str]:
    """The parameters of a method that make a line through its best setting, most varied first.

    Of these, several values were tried with the other parameters of that setting.
    """
    best = _find_best(study, method)
    names = [parameter.name for parameter in find(method).parameters()]
    counts = {
        name: len({_value(c, name) for c in _list_alike(study, best, {name})}) for name in names
    }
    return sorted((name for name, n in counts.items() if n > 1), key=lambda name: -counts[name])


def _find_best(study: Study, method: str) -> Candidate:
    for leader in study.leaders():
        if leader.method == method:
            return leader.candidate
    raise ParameterError(f"trade-off: no setting of {method} has a score.")


def _list_alike(study: Study, best: Candidate, free: set[str | None]) -> list[Candidate]:
    """List the settings that differ from the best of its method in the `free` parameters only."""
    return [c for c in study.candidates
            if c.setting.name == best.setting.name and not c.failure
            and _others(c, free) == _others(best, free)]  # fmt: skip


def _lines(study: Study, best: Candidate, parameter: str, by: str | None) -> list[_Line]:
    """One line through the best candidate, or one for each value of `by`."""
    alike = _list_alike(study, best, {parameter, by})
    if by is None:
        return [_Line("", tuple(alike))]
    values = sorted({_value(c, by) for c in alike}, key=_rank)
    shown = _spread(values, _value(best, by))
    return [
        _Line(f"{by} = {value}", tuple(c for c in alike if _value(c, by) == value))
        for value in shown
    ]


def _others(candidate: Candidate, free: set[str | None]) -> dict[str, Any]:
    return {n: v for n, v in candidate.setting.settings.items() if n not in free}


def _value(candidate: Candidate, parameter: str) -> float | str:
    """A number, or a text for what is none."""
    value = candidate.setting.settings.get(parameter, DEFAULT)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _rank(value: float | str) -> tuple[bool, float, str]:
    return isinstance(value, str), 0.0 if isinstance(value, str) else value, str(value)


def _spread(values: Sequence[float | str], wanted: float | str) -> list[float | str]:
    """All values if there are as many strokes; else as many, spread evenly, and the wanted one."""
    if len(values) <= len(SERIES):
        return list(values)
    chosen = {round(at) for at in np.linspace(0, len(values) - 1, len(SERIES))}
    place = values.index(wanted)
    nearest = min(chosen, key=lambda at: abs(at - place))
    return [values[at] for at in sorted(chosen - {nearest} | {place})]


def _places(lines: list[_Line], parameter: str) -> dict[float | str, float]:
    """Place each value: at itself, or in a row where values are words."""
    values = sorted({_value(c, parameter) for line in lines for c in line.candidates}, key=_rank)
    if any(isinstance(value, str) for value in values):
        return {value: float(at) for at, value in enumerate(values)}
    return {value: float(value) for value in values}


def _draw_panel(
    axes: Axes, name: str, lines: list[_Line], parameter: str, places: Mapping[float | str, float]
) -> None:
    for line, stroke in zip(lines, _shades(lines[0].candidates[0], len(lines)), strict=True):
        own = sorted(line.candidates, key=lambda c: places[_value(c, parameter)])
        at = [places[_value(c, parameter)] for c in own]
        medians = [c.median(name) for c in own]
        axes.plot(at, medians, **{**stroke.line(), "markersize": 4.0}, label=line.label)
        if all(map(has_interval, own)):
            _draw_band(axes, at, [c.interval(name) for c in own], stroke)
        else:
            _draw_intervals(axes, name, dict(zip(at, own, strict=True)), stroke)
    axes.set_title(f"{name} ({direction(name)} is better)")
    low, high = leave_room_only(*axes.get_ylim(), least=bounds(name)[0])
    axes.set_ylim(min(low, 0.0), high)


def _shades(candidate: Candidate, number: int) -> list[Stroke]:
    """Shades of the method's colour, from dark to light, each with a marker and dash of its own."""
    method = assign([candidate.setting.name])[candidate.setting.name]
    if number == 1:
        return [method]
    shades = shade(method.colour, number)
    return [replace(s, colour=c) for s, c in zip(SERIES, shades, strict=False)]


def _draw_intervals(axes: Axes, name: str, own: Mapping[float, Candidate], stroke: Stroke) -> None:
    """Of those that ran more than once."""
    for at, candidate in own.items():
        if has_interval(candidate):
            axes.vlines(at, *candidate.interval(name), color=stroke.colour, linewidth=1.2)


def _draw_band(
    axes: Axes, at: list[float], ends: list[tuple[float, float]], stroke: Stroke
) -> None:
    axes.fill_between(
        at, [low for low, _ in ends], [high for _, high in ends],
        color=stroke.colour, alpha=0.15, linewidth=0.0,
    )  # fmt: skip


def _draw_marks(axes: Axes, name: str, study: Study, chosen: float) -> None:
    axes.axvline(chosen, **CHOSEN_LINE, label="_chosen")
    if name in study.limits:
        label = f"limit of {name}: {sign(name)} {study.limits[name]:g}"
        axes.axhline(study.limits[name], **LIMIT_LINE, label=f"_{label}")


def _dress(
    panels: Sequence[Axes], method: str, parameter: str, places: Mapping[float | str, float]
) -> None:
    """Label the axis of the parameter, below the lowest panel of each column."""
    words = any(isinstance(value, str) for value in places)
    low, high = min(places.values()), max(places.values())
    logarithmic = not words and low > 0.0 and high / low > LONG
    for axes in panels:
        if words:
            axes.set_xticks(list(places.values()), [str(value) for value in places])
            axes.margins(x=0.15)
        else:
            _mark_values(axes, [float(value) for value in places], logarithmic=logarithmic)
        axes.yaxis.set_major_formatter(lambda value, _: write_number(value))
    for axes in panels[-COLUMNS:]:
        axes.set_xlabel(f"{method}: {parameter}")
        axes.tick_params(labelbottom=True)


def _mark_values(axes: Axes, values: Sequence[float], *, logarithmic: bool) -> None:
    """Ticks at the values that were tried, as many as have room."""
    from matplotlib.ticker import NullLocator

    scaled = {float(np.log10(v)) if logarithmic else v: v for v in values}
    low, high = min(scaled), max(scaled)
    texts = {at: write_number(value) for at, value in scaled.items()}
    kept = keep_apart(texts, [low, high], low, high, POINTS)
    if logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks([scaled[at] for at in kept], list(kept.values()))


def _draw_legend(figure: Figure, panels: Sequence[Axes], title: str) -> None:
    """The lines, the value that is marked, and the limits."""
    from matplotlib.lines import Line2D

    lines = [line for line in panels[0].lines if not str(line.get_label()).startswith("_")]
    handles, labels = [*lines], [str(line.get_label()) for line in lines]
    handles.append(Line2D([], [], **CHOSEN_LINE))
    labels.append(title)
    for axes in panels:
        limits = [line for line in axes.lines if str(line.get_label()).startswith("_limit")]
        handles += limits
        labels += [str(line.get_label())[1:] for line in limits]
    shown = [(h, label) for h, label in zip(handles, labels, strict=True) if label]
    widest = HANDLE + max(measure_text(label) for _, label in shown)
    beside = int(72.0 * figure.get_figwidth() // widest)
    figure.legend(
        *zip(*shown, strict=True), loc="outside lower center", ncols=min(max(beside, 1), LEGEND)
    )
