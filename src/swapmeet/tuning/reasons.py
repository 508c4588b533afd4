"""A choice in words: why, how stable it is, and what would change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.sentences import join_names
from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS, SCORE, SUMMARIES, bounds, direction, sign
from swapmeet.measures.overall import SORTED
from swapmeet.measures.risk.small_tables import doubt_few_rows
from swapmeet.measures.score import Direction
from swapmeet.tuning.frontier import medians

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.goal import Goal

ENOUGH = 6
"""So many repeats are needed for an interval that holds the median in 95 of 100 cases."""

JUST_BEYOND = 0.25
"""A limit may be missed by this share of it to be told of, if the loss is much less."""
MUCH_LESS = 0.75


def explain_few_rows(rows: int) -> tuple[str, ...]:
    """That nothing can be advised for a table of so few rows, where they are few."""
    doubt = doubt_few_rows(rows)
    return (f"Nothing can be advised: {doubt}. What follows holds of these rows only.",) * bool(
        doubt
    )


def recommend(best: Candidate, limits: Mapping[str, float]) -> str:
    """What to take, and how it stands to the limits."""
    kept = [
        f"{say_limited(best, name)} ({sign(name)} {limit:g}{_say_how_often(best, name, limit)})"
        for name, limit in best.fit_limits(limits).items()
        if best.has(name)
    ]
    return (
        f"Take {best.label}: score {say_figure(best, SCORE)}, risk {best.median(RISK_AXIS):.3g}, "
        f"loss {best.median(LOSS_AXIS):.3g}; {', '.join(kept) or 'no limit was set'}."
    )


def _say_how_often(best: Candidate, name: str, limit: float) -> str:
    """In how many repeats a limit is met; nothing where there is one figure only."""
    measured, met = len(best.repeats[name]), best.count_within(name, limit)
    if measured < 2:
        return ""
    often = f"{met} of {measured}" if met < measured or measured == 2 else f"all {measured}"
    return f", met in {often} repeats"


def list_cautions(
    best: Candidate, candidates: Sequence[Candidate], limits: Mapping[str, float], goal: Goal
) -> Iterator[str]:
    """What to know of measures by worst-case sorting, and of synthetic rows."""
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
    left_out = [c for c in candidates if not (c.failure or c.owned) and np.isnan(c.median(SCORE))]
    if left_out:
        yield _explain_left_out(left_out, goal)


def _explain_left_out(left_out: Sequence[Candidate], goal: Goal) -> str:
    """Why synthetic rows have no score."""
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
    ranked = sorted(known, key=lambda c: c.merit)
    for name, limit in best.fit_limits(limits).items():
        if best.has(name):
            only = [c for c in ranked if c.has(name) and set(c.find_missed(limits)) <= {name}]
            yield from _look_below(best, only, name)
            yield from _look_beyond(best, [c for c in only if not c.keeps(limits)], name, limit)


def _look_below(best: Candidate, others: Sequence[Candidate], name: str) -> Iterator[str]:
    """What a limit would lead to that the best does not keep; nothing where none can be stricter.

    `others` keep all other limits, the best of them first.
    """
    end, lower = best.unfavourable(name), direction(name) is Direction.LOWER
    if lower and end <= bounds(name)[0]:
        return
    stricter = [c for c in others if _is_better(name, c, best)]
    limit = f"a limit on {name} {'below' if lower else 'above'} {end:.3g}"
    if stricter:
        choice = f"{stricter[0].label} ({_summary(stricter[0], name)})"
        yield f"With {limit}, the choice would be {choice}."
    else:
        yield f"No setting that was tried keeps {limit}."


def _look_beyond(
    best: Candidate, others: Sequence[Candidate], name: str, limit: float
) -> Iterator[str]:
    """What a looser limit would admit: a better score, or, just beyond it, much less loss."""
    loss = best.median(LOSS_AXIS)
    gain = [
        c for c in others
        if c.has(name) and not np.isnan(c.unfavourable(name))
        and (c.merit < best.merit
             or (c.median(LOSS_AXIS) <= MUCH_LESS * loss
                 and abs(c.unfavourable(name) - limit) <= JUST_BEYOND * abs(limit)))
    ]  # fmt: skip
    if gain:
        nearest = min(gain, key=lambda c: abs(c.unfavourable(name) - limit))
        yield (
            f"A limit of {nearest.unfavourable(name):.3g} on {name} instead of {limit:g} would "
            f"admit {nearest.label} ({_summary(nearest, name)}), with a loss of "
            f"{nearest.median(LOSS_AXIS):.3g} instead of {loss:.3g}."
        )


def explain_balance(best: Candidate, able: Sequence[Candidate], goal: Goal) -> Iterator[str]:
    """The range of weights of the risk over which the choice stays."""
    if len(able) == 1:
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


def name_unmeasured(
    best: Candidate, kept: Sequence[Candidate], limits: Mapping[str, float]
) -> Iterator[str]:
    """Settings with a better score of which nobody knows yet whether they keep all limits."""
    better = [c for c in kept if c.find_open(limits) and c.merit < best.merit]
    if better:
        many = f"{len(better)} settings have" if len(better) > 1 else "One setting has"
        yield (
            f"{many} a better score, first {better[0].label}, but "
            f"{join_names(better[0].find_open(limits))} of them were not measured, because the "
            "search ended before. Search longer to know."
        )


def explain_shortfall(
    nearest: Candidate, limits: Mapping[str, float], kept: Sequence[Candidate] = ()
) -> Iterator[str]:
    """How near the nearest came, where nothing keeps the limits.

    Those that `kept` what was measured of them were not measured in full.
    """
    yield f"No setting that was {'measured in full' if kept else 'tried'} keeps the limits."
    missed = [
        f"{say_limited(nearest, name)} (must be {sign(name)} {limit:g})"
        for name, limit in nearest.find_missed(limits).items()
    ]
    if missed:
        told = ", ".join(missed)
        yield f"{nearest.label} comes nearest: {told}; score {say_figure(nearest, SCORE)}."
    if kept:
        yield (
            f"{len(kept)} setting{'s keep' if len(kept) > 1 else ' keeps'} what was measured so "
            f"far, first {kept[0].label}, but {join_names(kept[0].find_open(limits))} were not "
            "measured, because the search ended before. Search longer: the same command goes on."
        )
    yield "Try more methods or stronger settings, coarsen or drop columns, or revise the limits."


def explain_no_candidates(candidates: Sequence[Candidate], goal: Goal) -> str:
    """Why there is nothing to choose from."""
    failed = sum(bool(c.failure) for c in candidates)
    if failed == len(candidates):
        return "No trial was made." if not failed else "Every method that was tried failed."
    tried = [c for c in candidates if not c.failure]
    there = [n for n in tried[0].repeats if n not in SUMMARIES and _is_known(n, tried)]
    absent = [name for name in goal.measures if name not in there]
    return (
        f"The score is not defined for this table, because {', '.join(absent)} "
        f"{'is' if len(absent) == 1 else 'are'} not. Name other measures of risk and loss; these "
        f"are defined: {', '.join(there) or 'none'}."
    )


def _is_known(name: str, candidates: Sequence[Candidate]) -> bool:
    return not all(np.isnan(candidate.median(name)) for candidate in candidates)


def _is_better(name: str, one: Candidate, other: Candidate) -> bool:
    difference = one.unfavourable(name) - other.unfavourable(name)
    return difference < 0 if direction(name) is Direction.LOWER else difference > 0


def say_limited(candidate: Candidate, name: str) -> str:
    """A figure, with the end of its interval that a limit is compared with."""
    median, end = candidate.median(name), candidate.unfavourable(name)
    if np.isnan(median):
        return f"{name} without a value"
    if np.isnan(end):
        return f"{name} {median:.3g}, which hides a part of the risk"
    told = f"{name} {median:.3g}"
    if f"{end:.3g}" == f"{median:.3g}":
        return told
    if (end < median) == (direction(name) is Direction.LOWER):
        return f"{told}, of which {end:.3g} counts"
    return f"{told}, {'up' if end > median else 'down'} to {end:.3g}"


def _summary(candidate: Candidate, name: str) -> str:
    return f"{name} {candidate.median(name):.3g}, score {candidate.median(SCORE):.3g}"


def say_figure(candidate: Candidate, name: str) -> str:
    """A median, with all repeats where they are few, or with its interval; one says no more."""
    told, n = f"{candidate.median(name):.3g}", len(candidate)
    if n < 2:
        return f"{told} (one repeat)" if candidate.method.is_random else told
    low, high = candidate.interval(name)
    if n < ENOUGH:
        return f"{told} ({low:.3g} to {high:.3g} in {n} repeats)"
    return f"{told} [{low:.3g}, {high:.3g}]"
