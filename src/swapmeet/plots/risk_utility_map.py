"""The risk-utility map: every setting that was tried, the frontier, and the choice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, SCORE, sign
from swapmeet.plots.style import (
    FAINT,
    INK,
    PAPER,
    SERIES,
    assign_strokes,
    describe_runs,
    has_interval,
    look,
    sheet,
    shorten,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

    from swapmeet.base.arrays import Floats
    from swapmeet.tuning import Candidate, Study

    Place = tuple[float, float]

CROWD = 80
"""With more candidates than this, markers are small and faint."""
LONGEST = 44
"""Letters of a label."""
LEGEND_ROWS = 4
FAR = 3.0
"""A limit so many times beyond all candidates is not on the map; the legend says so."""
FONT = 8.5
ACCENT = SERIES[3].colour


def draw(study: Study) -> Figure:
    """Risk against loss of each candidate; the lower left corner is best.

    The map shows the part where the candidates are that keep the limits, and says how many lie
    beyond it. Hollow markers break a limit, thin crosses are the intervals of medians; a single run
    has none. Along the dotted line through the best, the score is the same. The legend names
    methods with synthetic rows: their risk is by worst-case sorting, which may understate it, and
    they are not on the frontier.
    """
    with look():
        figure = sheet(5.2)
        axes = figure.add_subplot()
        known = _known(study)
        runs = describe_runs(known)
        axes.set_xlabel(f"risk ({runs}; lower is safer)")
        axes.set_ylabel(f"loss ({runs}; lower is better)")
        if not known:
            _say_that_nothing_is_known(axes)
            return figure
        _draw_candidates(axes, study, known)
        _draw_frontier(axes, study)
        _draw_intervals(axes, study, known)
        _fit_axes(axes, study, known)
        _draw_limits(axes, study)
        _draw_equal_scores(axes, study)
        _draw_legend(figure, axes, study)
        _label(figure, axes, study, known)
    return figure


def _known(study: Study) -> list[Candidate]:
    return [c for c in study.candidates if not c.failure and np.isfinite(_place(c)).all()]


def _place(candidate: Candidate) -> tuple[float, float]:
    return candidate.median(RISK_AXIS), candidate.median(LOSS_AXIS)


def _say_that_nothing_is_known(axes: Axes) -> None:
    axes.text(0.5, 0.5, "no setting has a risk and a loss", ha="center", transform=axes.transAxes)


def _draw_candidates(axes: Axes, study: Study, known: list[Candidate]) -> None:
    crowded = len(known) > CROWD
    size, alpha = (4.0, 0.6) if crowded else (6.5, 1.0)
    for name, stroke in assign_strokes(study).items():
        own = [c for c in known if c.setting.name == name]
        if not own:
            continue
        able = [c for c in own if c.keeps(study.limits)]
        unable = [c for c in own if not c.keeps(study.limits)]
        look_of_it = {**stroke.points(), "linestyle": "", "markersize": size, "alpha": alpha}
        label = name if all(c.owned for c in own) else f"{name}: synthetic rows"
        axes.plot(*_places(able), **look_of_it, label=label)
        hollow: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": stroke.colour}
        hollow["markeredgewidth"] = 0.8 if crowded else 1.2
        axes.plot(*_places(unable), **{**look_of_it, **hollow}, label=f"_unable {name}")


def _places(candidates: list[Candidate]) -> tuple[list[float], list[float]]:
    return [_place(c)[0] for c in candidates], [_place(c)[1] for c in candidates]


def _draw_frontier(axes: Axes, study: Study) -> None:
    points = study.frontier()
    risk, loss = [p.risk for p in points], [p.loss for p in points]
    axes.step(risk, loss, where="post", color=INK, linewidth=1.2, label="frontier", zorder=1.5)


def _draw_intervals(axes: Axes, study: Study, known: list[Candidate]) -> None:
    """Of all candidates, or in a crowd of those on the frontier and the named ones."""
    chosen = [p.candidate for p in study.frontier()] + [c for _, c in _named(study)]
    numbers = {c.number for c in (chosen if len(known) > CROWD else known)}
    strokes = assign_strokes(study)
    for candidate in known:
        if candidate.number in numbers and has_interval(candidate):
            thin: dict[str, Any] = {"color": strokes[candidate.setting.name].colour, "zorder": 1.6,
                                    "linewidth": 1.3, "label": "_interval"}  # fmt: skip
            risk, loss = _place(candidate)
            axes.hlines(loss, *candidate.interval(RISK_AXIS), **thin)
            axes.vlines(risk, *candidate.interval(LOSS_AXIS), **thin)


def _fit_axes(axes: Axes, study: Study, known: list[Candidate]) -> None:
    """Room around those that can be chosen, and for limits near them; say what lies beyond."""
    wanted = [c for c in known if c.keeps(study.limits)]
    wanted = [*(wanted or known), *(c for _, c in _named(study))]
    reach = [_reach(c) for c in wanted]
    limits = list(_find_limits(study))
    for axis, place in ((RISK_AXIS, 0), (LOSS_AXIS, 1)):
        values = np.array([end for ends in reach for end in ends[place]])
        lines = [limit for on, limit, _ in limits if on == axis and limit <= FAR * values.max()]
        set_range = axes.set_xlim if axis == RISK_AXIS else axes.set_ylim
        set_range(*_range(np.array([*values, *lines])))
    _say_what_lies_beyond(axes, known)


def _reach(candidate: Candidate) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Risks and losses that must be seen of a candidate."""
    risk, loss = _place(candidate)
    if not has_interval(candidate):
        return (risk,), (loss,)
    return (risk, *candidate.interval(RISK_AXIS)), (loss, *candidate.interval(LOSS_AXIS))


def _range(values: Floats) -> tuple[float, float]:
    """A map that nearly reaches 0 begins there."""
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 0.05
    return -0.3 * room if low < 3.0 * room else low - room, high + room


def _say_what_lies_beyond(axes: Axes, known: list[Candidate]) -> None:
    right, top = axes.get_xlim()[1], axes.get_ylim()[1]
    beyond = sum(risk > right or loss > top for risk, loss in map(_place, known))
    if beyond:
        these = "1 setting lies" if beyond == 1 else f"{beyond} settings lie"
        axes.set_title(f"{these} beyond the right or upper edge", fontsize=FONT, loc="right")


def _draw_limits(axes: Axes, study: Study) -> None:
    style: dict[str, Any] = {"color": ACCENT, "linestyle": "--", "linewidth": 1.4, "zorder": 1.4}
    for axis, limit, name in _find_limits(study):
        line = axes.axvline if axis == RISK_AXIS else axes.axhline
        edge = axes.get_xlim()[1] if axis == RISK_AXIS else axes.get_ylim()[1]
        label = f"limit: {name} {sign(name)} {study.limits[name]:g}"
        label += " (beyond the edge)" if limit > edge else ""
        line(limit, **style, label=label)
    if SCORE in study.limits:
        limit = study.limits[SCORE]
        label = f"limit: {SCORE} {sign(SCORE)} {limit:g}"
        _draw_line_of_score(axes, study.goal.weight, (limit, limit), {**style, "label": label})


def _find_limits(study: Study) -> Iterator[tuple[str, float, str]]:
    """The axis, the place and the measure of each limit that is a line of the map.

    A limit on a measure is one if the axis is of that measure alone.
    """
    goal = study.goal
    alone = {
        next(iter(weights)): axis
        for axis, weights in ((RISK_AXIS, goal.risk), (LOSS_AXIS, goal.loss))
        if len(weights) == 1
    }
    for name, limit in study.limits.items():
        if name in (RISK_AXIS, LOSS_AXIS):
            yield name, limit, name
        elif name in alone:
            figures = {**dict.fromkeys(goal.measures, 0.0), name: limit}
            yield alone[name], float(goal.of(figures)[alone[name]]), name


def _draw_equal_scores(axes: Axes, study: Study) -> None:
    best = study.choice.best
    if best is not None:
        style: dict[str, Any] = {"color": FAINT, "linestyle": ":", "linewidth": 1.2, "zorder": 1.3}
        by_loss = study.goal.aim == LOSS_AXIS
        style["label"] = "the loss of the best" if by_loss else "as good as the best"
        _draw_line_of_score(axes, 0.0 if by_loss else study.goal.weight, _place(best), style)


def _draw_line_of_score(
    axes: Axes, balance: float, through: tuple[float, float], style: dict[str, Any]
) -> None:
    if balance == 1.0:
        axes.axvline(through[0], **style)
    else:
        axes.axline(through, slope=-balance / (1.0 - balance), **style)


def _draw_legend(figure: Figure, axes: Axes, study: Study) -> None:
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    if any(len(line.get_xdata()) for line in axes.lines if _is_hollow(line)):  # type: ignore[arg-type]
        handles.append(Line2D([], [], marker="o", linestyle="", color=FAINT, fillstyle="none"))
        labels.append(f"breaks a limit{_other_limits(study)}")
    columns = max(-(-len(labels) // LEGEND_ROWS), 2)
    figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, 4))


def _other_limits(study: Study) -> str:
    """Limits that no line of the map can show."""
    lines = {SCORE, *(name for _, _, name in _find_limits(study))}
    others = [f"{n} {sign(n)} {v:g}" for n, v in study.limits.items() if n not in lines]
    return f": {', '.join(others)}" if others else ""


def _is_hollow(line: Any) -> bool:
    return str(line.get_label()).startswith("_unable")


def _label(figure: Figure, axes: Axes, study: Study, known: list[Candidate]) -> None:
    """Name the chosen ones, each where its label covers least; the layout is final from here."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    labels = []
    for title, candidate in _named(study):
        labels.append((_place(candidate), f"{title}: {shorten(candidate.label, LONGEST)}"))
        axes.plot(
            *_place(candidate), marker="o", markersize=12, markerfacecolor="none",
            markeredgecolor=INK, markeredgewidth=1.1, linestyle="", label=f"_{title}",
        )  # fmt: skip
    place_labels(axes, labels, [*map(_place, known), *_along_the_frontier(study)])


def _along_the_frontier(study: Study) -> Iterator[tuple[float, float]]:
    for one, other in pairwise(study.frontier()):
        for share in np.linspace(0.0, 1.0, SAMPLES):
            yield one.risk + share * (other.risk - one.risk), one.loss
            yield other.risk, one.loss + share * (other.loss - one.loss)


def _named(study: Study) -> Iterator[tuple[str, Candidate]]:
    choice = study.choice
    chosen = {
        "best": choice.best,
        "runner-up": choice.runner_up,
        "nearest to the limits": choice.nearest,
    }
    yield from ((title, candidate) for title, candidate in chosen.items() if candidate is not None)


SAMPLES = 10
"""Points that stand for a line."""
NEAR = 6.0
"""Pixels."""


def place_labels(axes: Axes, labels: Iterable[tuple[Place, str]], inked: Sequence[Place]) -> None:
    """Write each label near its place, away from what is `inked` and from the others."""
    ink: Floats = axes.transData.transform(inked)
    taken: list[Bbox] = []
    for place, text in labels:
        spots = _spots(axes, text, place)
        spot = min(spots, key=lambda one: _cost(axes, one, ink, taken))
        ink, taken = np.concatenate([ink, spot.leader]), [*taken, spot.box]
        _annotate(axes, text, place, spot.offset)


@dataclass(frozen=True)
class _Spot:
    """A possible place for a label: its offset from the marker in points, its box, its leader."""

    offset: tuple[float, float]
    box: Bbox
    leader: Floats


def _spots(axes: Axes, text: str, place: tuple[float, float]) -> list[_Spot]:
    """Places for a label, those near the marker first."""
    from matplotlib.transforms import Bbox

    trial = axes.text(0, 0, text, fontsize=FONT)
    width, height = trial.get_window_extent().size
    trial.remove()
    marker, spots = axes.transData.transform(place), []
    for offset in _offsets():
        end = marker + np.array(offset) * _pixels(axes)
        left = end[0] - (width if offset[0] < 0 else 0.0)
        leader = np.linspace(marker, end, SAMPLES + 2)[2:]
        spots.append(_Spot(offset, Bbox.from_bounds(left, end[1] - height / 2, width, height),
                           leader))  # fmt: skip
    return spots


def _pixels(axes: Axes) -> float:
    """Pixels of a point."""
    return float(axes.get_figure(root=True).dpi / 72.0)  # type: ignore[union-attr]


def _offsets() -> Iterator[tuple[float, float]]:
    for reach in (14.0, 24.0, 36.0, 50.0, 70.0, 95.0, 130.0):
        for across, up in product((0.6, -0.6, 1.0, -1.0), (-1.0, 1.0, -0.4, 0.4)):
            yield across * reach, up * reach


def _cost(axes: Axes, spot: _Spot, inked: Floats, taken: list[Bbox]) -> float:
    """Leaving the picture and covering a label are worst, then covering other ink, then length."""
    box, frame = spot.box, axes.get_window_extent()
    outside = box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0 or box.y1 > frame.y1
    worst = outside + sum(box.overlaps(other) for other in taken)
    worst += sum(other.count_contains(spot.leader) > 0 for other in taken)
    covered = box.padded(4.0).count_contains(inked)
    gaps = np.hypot(*(spot.leader[:, np.newaxis] - inked).T)
    return (
        1000.0 * worst + 10.0 * covered + (gaps < NEAR).sum() + 0.05 * float(np.hypot(*spot.offset))
    )


def _annotate(
    axes: Axes, text: str, place: tuple[float, float], offset: tuple[float, float]
) -> None:
    axes.annotate(
        text,
        place,
        xytext=offset,
        textcoords="offset points",
        ha="left" if offset[0] > 0 else "right",
        va="center",
        fontsize=FONT,
        arrowprops={
            "arrowstyle": "-",
            "color": INK,
            "linewidth": 0.7,
            "shrinkB": 6,
            "relpos": (0.0 if offset[0] > 0 else 1.0, 0.5),
        },
        bbox={"facecolor": PAPER, "alpha": 0.85, "edgecolor": "none", "pad": 1.5},
        zorder=5,
    )
