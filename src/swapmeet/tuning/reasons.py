"""A choice in words: why, how stable it is, what else there was, and what would change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.sentences import LEAST, count, count_in_100, join_names
from swapmeet.comparison.score import Direction
from swapmeet.comparison.table_size import doubt_few_rows
from swapmeet.measures.limits import (
    LOSS_AXIS,
    RISK_AXIS,
    SCORE,
    SUMMARIES,
    bounds,
    direction,
    keeps,
    sign,
)
from swapmeet.measures.overall import SORTED
from swapmeet.tuning.frontier import medians

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.checks import Promise
    from swapmeet.tuning.goal import Goal

BEST_SO_FAR = "Best so far"
JUST_BEYOND = 0.25
"""What exceeds a limit by this share of it is named, if the loss is much less."""


def explain_few_rows(rows: int) -> tuple[str, ...]:
    """That nothing can be advised for a table of so few rows, where they are few."""
    doubt = doubt_few_rows(rows)
    return (f"Nothing can be advised: {doubt}. What follows is about these rows only.",) * bool(
        doubt
    )


def recommend(best: Candidate, promise: Promise, limits: Mapping[str, float]) -> Iterator[str]:
    """Recommend a setting, and say how it compares with the limits."""
    begin = f"{BEST_SO_FAR}: take" if promise.settings else "Take"
    least = "loses least" if best.goal.aim == LOSS_AXIS else "has the lowest score"
    among = " and keep all limits" if limits else ""
    yield (
        f"{begin} {say_setting(best)}, which {least} of the settings that were tried{among}: "
        f"{say_figures(best)} (0 is nothing, 1 is everything)."
    )
    kept = [
        f"{say_limited(best, name)} ({sign(name)} {limit:g}{_say_how_often(best, name, limit)})"
        for name, limit in best.fit_limits(limits).items()
        if best.has(name)
    ]
    yield f"It keeps all limits: {', '.join(kept)}." if kept else "No limit was set."


def _say_how_often(best: Candidate, name: str, limit: float) -> str:
    """In how many repeats a limit is met; nothing where there is one figure only."""
    measured, met = len(best.repeats[name]), best.count_within(name, limit)
    if measured < 2:
        return ""
    often = f"all {measured}" if measured > 2 else "both"
    often = often if met == measured else f"{met} of {measured}"
    return f", met in {often} repeats"


def name_unchecked(promise: Promise, checks: int, limits: Mapping[str, float]) -> Iterator[str]:
    """The settings that promise more than the best, and were not measured in full."""
    if promise.settings:
        first = promise.rank()[0]
        yield (
            f"{checks} of {count(checks + len(promise.settings), 'promising setting')} "
            f"{'was' if checks == 1 else 'were'} checked in full before the search ended. Of the "
            f"others, {first.label} promises most ({say_figures(first)} at first look), but "
            f"{join_names(first.find_open(limits))} were not measured in full. "
            "Search longer to know: the same command goes on."
        )


def list_cautions(
    best: Candidate, candidates: Sequence[Candidate], limits: Mapping[str, float], goal: Goal
) -> Iterator[str]:
    """List cautions about measures by worst-case sorting, and about synthetic rows."""
    sorts = [n for n in dict.fromkeys((*goal.risk, *limits)) if n.endswith(SORTED)]
    if sorts:
        truths = ", ".join(name.removesuffix(SORTED) for name in sorts)
        yield (
            f"Measured by worst-case sorting: {', '.join(sorts)}. Sorting pairs records without "
            "knowing their owners, and may understate the risk. "
            + (f"The owners are known here: use {truths} instead." if best.owned else "")
        ).rstrip()
    if not best.owned:
        yield (
            "Its rows are synthetic and belong to no person; it was judged by "
            f"{join_names(n for n in best.fit_limits(limits) if best.has(n)) or 'no limit'}."
        )
    left_out = [c for c in candidates
                if not (c.failure or c.owned) and np.isnan(c.median(goal.aim))]  # fmt: skip
    if left_out:
        yield _explain_left_out(left_out, goal)


def _explain_left_out(left_out: Sequence[Candidate], goal: Goal) -> str:
    """Explain why synthetic rows cannot be compared."""
    methods = join_names(dict.fromkeys(c.setting.name for c in left_out))
    absent = [n for n in goal.measures if any(np.isnan(c.median(n)) for c in left_out)]
    return (
        f"{methods}: left out of the comparison, because the rows are synthetic and belong to no "
        f"person, so that {join_names(absent)} {'has' if len(absent) == 1 else 'have'} no value. "
        "To compare such rows, name measures of risk that need no owner."
    )


def explain_limits(
    best: Candidate, known: Sequence[Candidate], limits: Mapping[str, float]
) -> Iterator[str]:
    """For each limit: what a stricter one would lead to, and what a looser one would admit."""
    whole = sorted((c for c in known if not c.find_open(limits)), key=lambda c: c.merit)
    for name, limit in best.fit_limits(limits).items():
        if best.has(name):
            only = [c for c in whole if c.has(name) and set(c.find_missed(limits)) <= {name}]
            yield from _look_below(best, only, name)
            yield from _look_beyond(best, [c for c in only if not c.keeps(limits)], name, limit)


def _look_below(best: Candidate, others: Sequence[Candidate], name: str) -> Iterator[str]:
    """Find what a stricter limit would lead to; nothing where none can be stricter.

    `others` keep all other limits, the best of them first.
    """
    end, lower = best.unfavourable(name), direction(name) is Direction.LOWER
    if lower and end <= bounds(name)[0]:
        return
    stricter = [c for c in others if _is_better(name, c, best)]
    if stricter:
        limit = f"a limit on {name} {'below' if lower else 'above'} {end:.3g}"
        choice = f"{stricter[0].label} ({_summarize(stricter[0], name)})"
        yield f"With {limit}, the choice would be {choice}."


def _look_beyond(
    best: Candidate, others: Sequence[Candidate], name: str, limit: float
) -> Iterator[str]:
    """Find what a looser limit would admit: much less loss just beyond it, or a better score."""
    loss, by_loss = best.median(LOSS_AXIS), best.goal.aim == LOSS_AXIS
    gain = [
        c for c in others
        if c.has(name) and not np.isnan(c.unfavourable(name))
        and ((c.merit < best.merit and not by_loss)
             or (loss >= LEAST and c.median(LOSS_AXIS) <= MUCH_LESS * loss
                 and abs(c.unfavourable(name) - limit) <= JUST_BEYOND * abs(limit)))
    ]  # fmt: skip
    if gain:
        nearest = min(gain, key=lambda c: abs(c.unfavourable(name) - limit))
        yield (
            f"A limit of {nearest.unfavourable(name):.3g} on {name} instead of {limit:g} would "
            f"admit {nearest.label} ({_summarize(nearest, name)}), with a loss of "
            f"{nearest.median(LOSS_AXIS):.3g} instead of {loss:.3g}."
        )


def explain_balance(best: Candidate, able: Sequence[Candidate], goal: Goal) -> Iterator[str]:
    """The range of weights of the risk over which the choice stays."""
    if len(able) == 1 or goal.balance is None:
        return
    risk, loss = medians(able)
    slope, height = risk[1:] - risk[0], loss[1:] - loss[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = height / (height - slope)
    low, high = max([0.0, *crossing[height < 0]]), min([1.0, *crossing[slope < 0]])
    if (low, high) == (0.0, 1.0):
        yield f"{best.label} is best whatever the weights of risk and loss."
    else:
        yield (
            f"The choice stays the same while the weight of the risk is between {low:.2f} and "
            f"{high:.2f} (now {goal.balance:g})."
        )


def explain_shortfall(
    nearest: Candidate, limits: Mapping[str, float], kept: Sequence[Candidate], checks: int
) -> Iterator[str]:
    """Explain how near the nearest came, where nothing keeps the limits.

    Those that `kept` what was measured so far were not measured in full; `checks` others were.
    """
    if kept and not checks:
        yield (
            "No setting was checked in full before the search ended, so that none can be "
            "recommended yet. Search longer: the same command goes on."
        )
        yield f"Best so far, at first look: {say_setting(kept[0])}; {say_figures(kept[0])}."
        return
    yield f"No setting that was {'measured in full' if kept else 'tried'} keeps the limits."
    missed = [
        f"{say_limited(nearest, name)} (must be {sign(name)} {limit:g})"
        for name, limit in nearest.find_missed(limits).items()
    ]
    if missed:
        aim = nearest.goal.aim
        yield (
            f"{nearest.label} comes nearest: {', '.join(missed)}; {aim} {say_figure(nearest, aim)}."
        )
    if kept:
        gaps = kept[0].find_open(limits)
        yield (
            f"{count(len(kept), 'setting')} {'keep' if len(kept) > 1 else 'keeps'} what was "
            f"measured so far, first {kept[0].label}, but {join_names(gaps)} "
            f"{'was' if len(gaps) == 1 else 'were'} not measured in full, because the search ended "
            "before. Search longer: the same command goes on."
        )
    yield "Try more methods or stronger settings, coarsen or drop columns, or change the limits."


def explain_no_candidates(candidates: Sequence[Candidate], goal: Goal) -> str:
    """Explain why there is nothing to choose from."""
    failed = sum(bool(c.failure) for c in candidates)
    if failed == len(candidates):
        return "No trial was made." if not failed else "Every method that was tried failed."
    tried = [c for c in candidates if not c.failure]
    there = [n for n in tried[0].repeats if n not in SUMMARIES and _is_known(n, tried)]
    absent = [name for name in goal.measures if name not in there]
    return (
        "No setting can be compared with another one for this table, because "
        f"{join_names(absent)} {'is' if len(absent) == 1 else 'are'} not defined. Name other "
        f"measures of risk and loss; these are defined: {', '.join(there) or 'none'}."
    )


def _is_known(name: str, candidates: Sequence[Candidate]) -> bool:
    return not all(np.isnan(candidate.median(name)) for candidate in candidates)


def _is_better(name: str, one: Candidate, other: Candidate) -> bool:
    difference = one.unfavourable(name) - other.unfavourable(name)
    return difference < 0 if direction(name) is Direction.LOWER else difference > 0


def _summarize(candidate: Candidate, name: str) -> str:
    aim = candidate.goal.aim
    return f"{name} {candidate.median(name):.3g}, {aim} {candidate.median(aim):.3g}"


MUCH_LESS = 0.75
"""An alternative has at most this share of the loss, or of the risk, of the choice."""


@dataclass(frozen=True)
class Alternative:
    """Another setting, what speaks for it (`less` loss or risk), and the sentence about it."""

    candidate: Candidate
    less: str
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "number": self.candidate.number,
            "less": self.less,
            "sentence": self.sentence,
        }


def find_alternatives(
    best: Candidate, known: Sequence[Candidate], limits: Mapping[str, float]
) -> tuple[Alternative, ...]:
    """At most one setting with much less loss, and one with much less risk."""
    alternatives = (_find_less_loss(best, known, limits), _find_less_risk(best, known, limits))
    return tuple(one for one in alternatives if one is not None)


def _find_less_loss(
    best: Candidate, known: Sequence[Candidate], limits: Mapping[str, float]
) -> Alternative | None:
    """The setting that exceeds the limits least among those that lose much less."""
    able = [c for c in _select_much_less(best, known, LOSS_AXIS)
            if c.is_whole and not c.find_open(limits)
            and measure_excess(c, limits) < np.inf]  # fmt: skip
    nearest = min(able, key=lambda c: (measure_excess(c, limits), *c.merit), default=None)
    if nearest is None:
        return None
    missed = [
        f"{name} would be {nearest.unfavourable(name):.3g}, and must be {sign(name)} {limit:g}"
        for name, limit in nearest.find_missed(limits).items()
    ]
    but = f", but {'; '.join(missed)}" if missed else ", at more risk"
    sentence = f"Less loss: {say_setting(nearest)}; {say_figures(nearest)}{but}."
    return Alternative(nearest, LOSS_AXIS, sentence)


def _find_less_risk(
    best: Candidate, known: Sequence[Candidate], limits: Mapping[str, float]
) -> Alternative | None:
    """The setting that loses least among those with much less risk that keep the limits."""
    able = [c for c in _select_much_less(best, known, RISK_AXIS) if c.keeps(limits)]
    whole = [c for c in able if c.is_whole] or able
    least = min(whole, key=lambda c: (c.median(LOSS_AXIS), *c.merit), default=None)
    if least is None:
        return None
    gaps = join_names(least.find_open(limits))
    doubt = f" ({gaps} not checked in full)" if gaps else ""
    sentence = f"Less risk: {say_setting(least)}; {say_figures(least)}{doubt}."
    return Alternative(least, RISK_AXIS, sentence)


def _select_much_less(best: Candidate, known: Iterable[Candidate], axis: str) -> list[Candidate]:
    now = best.median(axis)
    most = MUCH_LESS * now
    return [c for c in known if c is not best and c.median(axis) <= most and now >= LEAST]


def measure_excess(candidate: Candidate, limits: Mapping[str, float]) -> float:
    """Measure the excess over the worst limit that was measured, as a share of its range."""
    missed, later = [0.0], candidate.find_open(limits)
    for name, limit in candidate.fit_limits(limits).items():
        if name in later and not candidate.has(name):
            continue
        value = candidate.unfavourable(name)
        if np.isnan(value):
            return np.inf
        if not keeps(name, value, limit):
            low, high = bounds(name)
            span = high - low if np.isfinite(high) else max(abs(limit), 1.0)
            missed.append(abs(value - limit) / span)
    return max(missed)


ENOUGH = 6
"""So many repeats are needed for an interval that holds the median in 95 of 100 cases."""


def say_setting(candidate: Candidate) -> str:
    """The title of the method, and the setting as one would type it."""
    title = candidate.setting.title
    return f"{title} ({candidate.label})" if title else candidate.label


def say_figures(candidate: Candidate) -> str:
    """Risk and loss; the score where it decides."""
    risk, loss = candidate.median(RISK_AXIS), candidate.median(LOSS_AXIS)
    text = f"the risk is {risk:.3g}"
    if list(candidate.goal.risk) == ["linkage"]:
        text = f"the worst intruder finds {count_in_100(risk)} of 100 people"
    if candidate.goal.aim == SCORE:
        return f"{text}, the loss is {loss:.3g}, the score {candidate.median(SCORE):.3g}"
    return f"{text}, the loss is {loss:.3g}"


def say_limited(candidate: Candidate, name: str) -> str:
    """A figure, with the end of its interval that a limit is compared with."""
    median, end = candidate.median(name), candidate.unfavourable(name)
    if np.isnan(median):
        return f"{name} without a value"
    if np.isnan(end):
        return f"{name} {median:.3g}, which hides a part of the risk"
    words = f"{name} {median:.3g}"
    if f"{end:.3g}" == f"{median:.3g}":
        return words
    if (end < median) == (direction(name) is Direction.LOWER):
        return f"{words}, of which {end:.3g} counts"
    return f"{words}, {'up' if end > median else 'down'} to {end:.3g}"


def say_figure(candidate: Candidate, name: str) -> str:
    """A median, with all repeats where they are few, or with its interval; one says no more."""
    words, n = f"{candidate.median(name):.3g}", len(candidate)
    if n < 2:
        return f"{words} (one repeat)" if candidate.setting.is_random else words
    low, high = candidate.interval(name)
    if n < ENOUGH:
        return f"{words} ({low:.3g} to {high:.3g} in {n} repeats)"
    return f"{words} [{low:.3g}, {high:.3g}]"
