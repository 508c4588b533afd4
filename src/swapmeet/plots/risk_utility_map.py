"""The risk-utility map: every setting that was tried, the frontier, and the choice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, SCORE, SUMMARIES, sign
from swapmeet.plots.strokes import assign_strokes
from swapmeet.plots.style import FAINT, INK, PAPER, SERIES, look, sheet, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

    from swapmeet.tuning import Candidate, Study

    Floats = npt.NDArray[np.float64]

CROWD = 80
"""With more candidates than this, markers are small and faint."""
LONGEST = 44
"""Letters of a label."""
LEGEND_ROWS = 4
FONT = 8.5
SAMPLES = 10
"""Points that stand for a line, where labels look for room."""
NEAR = 6.0
"""Pixels."""
ACCENT = SERIES[3].colour


def draw(study: Study) -> Figure:
    """Median risk against median loss of each candidate; the lower left corner is best.

    Hollow markers break a limit. The frontier has a thin cross at each of its points: the
    intervals of its medians. Along the dotted line through the best, the score is the same. The
    legend names methods with synthetic rows: their risk is by worst-case sorting, which may
    understate it, and they are not on the frontier.
    """
    with look():
        figure = sheet(5.2)
        axes = figure.add_subplot()
        axes.set_xlabel("risk (median over the repeats; lower is safer)")
        axes.set_ylabel("loss (median over the repeats; lower is better)")
        known = _known(study)
        if not known:
            _say_that_nothing_is_known(axes)
            return figure
        _draw_candidates(axes, study, known)
        _draw_frontier(axes, study)
        _fit_axes(axes, known)
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
    for point in points:
        across, along = (point.candidate.interval(name) for name in (RISK_AXIS, LOSS_AXIS))
        thin: dict[str, Any] = {"color": INK, "linewidth": 0.6, "zorder": 1.6}
        axes.hlines(point.loss, *across, **thin)
        axes.vlines(point.risk, *along, **thin)


def _fit_axes(axes: Axes, known: list[Candidate]) -> None:
    """Room around the candidates; a map that nearly reaches 0 begins there."""
    places = np.array([_place(c) for c in known])
    axes.set_xlim(*_range(places[:, 0]))
    axes.set_ylim(*_range(places[:, 1]))


def _range(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 0.05
    return -0.15 * room if low < 3.0 * room else low - room, high + 1.5 * room


def _draw_limits(axes: Axes, study: Study) -> None:
    style: dict[str, Any] = {"color": ACCENT, "linestyle": "--", "linewidth": 1.0, "zorder": 1.4}
    for name, limit in study.limits.items():
        told = f"limit: {name} {sign(name)} {limit:g}"
        if name == RISK_AXIS:
            axes.axvline(limit, **style, label=told)
        elif name == LOSS_AXIS:
            axes.axhline(limit, **style, label=told)
        elif name == SCORE:
            _draw_line_of_score(axes, study, (limit, limit), {**style, "label": told})


def _draw_equal_scores(axes: Axes, study: Study) -> None:
    best = study.choice.best
    if best is not None:
        style: dict[str, Any] = {"color": FAINT, "linestyle": ":", "linewidth": 1.2, "zorder": 1.3}
        style["label"] = "as good as the best"
        _draw_line_of_score(axes, study, _place(best), style)


def _draw_line_of_score(
    axes: Axes, study: Study, through: tuple[float, float], style: dict[str, Any]
) -> None:
    balance = study.goal.balance
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
    others = [f"{n} {sign(n)} {v:g}" for n, v in study.limits.items() if n not in SUMMARIES]
    return f": {', '.join(others)}" if others else ""


def _is_hollow(line: Any) -> bool:
    return str(line.get_label()).startswith("_unable")


def _label(figure: Figure, axes: Axes, study: Study, known: list[Candidate]) -> None:
    """Name the chosen ones, each where its label covers least; the layout is final from here."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    places = [*map(_place, known), *_along_the_frontier(study)]
    inked: Floats = axes.transData.transform(places)
    taken: list[Bbox] = []
    for told, candidate in _named(study):
        axes.plot(
            *_place(candidate), marker="o", markersize=12, markerfacecolor="none",
            markeredgecolor=INK, markeredgewidth=1.1, linestyle="", label=f"_{told}",
        )  # fmt: skip
        text = f"{told}: {shorten(candidate.label, LONGEST)}"
        spots = _spots(axes, text, _place(candidate))
        spot = min(spots, key=lambda one: _cost(axes, one, inked, taken))
        inked, taken = np.concatenate([inked, spot.leader]), [*taken, spot.box]
        _annotate(axes, text, _place(candidate), spot.offset)


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
    yield from ((told, candidate) for told, candidate in chosen.items() if candidate is not None)


@dataclass(frozen=True)
class _Spot:
    """Where a label might stand: its offset from the marker in points, its box, its leader."""

    offset: tuple[float, float]
    box: Bbox
    leader: Floats


def _spots(axes: Axes, text: str, place: tuple[float, float]) -> list[_Spot]:
    """Places for a label, those near the marker first."""
    from matplotlib.transforms import Bbox

    trial = axes.text(0, 0, text, fontsize=FONT)
    width, height = trial.get_window_extent().size
    trial.remove()
    marker, found = axes.transData.transform(place), []
    for offset in _offsets():
        end = marker + np.array(offset) * _pixels(axes)
        left = end[0] - (width if offset[0] < 0 else 0.0)
        leader = np.linspace(marker, end, SAMPLES + 2)[2:]
        found.append(_Spot(offset, Bbox.from_bounds(left, end[1] - height / 2, width, height),
                           leader))  # fmt: skip
    return found


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
