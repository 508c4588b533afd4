"""The choice of a candidate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.limits import LOSS_AXIS, RISK_AXIS
from swapmeet.tuning.alternatives import Alternative, find_alternatives, measure_excess
from swapmeet.tuning.checks import Promise
from swapmeet.tuning.difference import DECISIVE, Difference, compare_finalists, tells_chance
from swapmeet.tuning.eligible import list_eligible
from swapmeet.tuning.frontier import resample_medians, select_comparable
from swapmeet.tuning.reasons import (
    explain_balance,
    explain_few_rows,
    explain_limits,
    explain_no_candidates,
    explain_shortfall,
    list_cautions,
    name_unchecked,
    recommend,
)
from swapmeet.tuning.standing import describe_standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.goal import Goal


@dataclass(frozen=True)
class Choice:
    """The best candidate that keeps the limits, or how near the nearest came to them.

    `stability` is the share of random resamples of the repeats that choose the same candidate; None
    where there are too few repeats. `differences` say how far the finalists' losses, or scores, lie
    above the lowest; of those that cannot be told from it, the one with the lowest risk is the
    best. The first of the `sentences` is the recommendation, `alternatives` are the next ones.
    """

    best: Candidate | None
    runner_up: Candidate | None
    nearest: Candidate | None
    stability: float | None
    sentences: tuple[str, ...]
    differences: tuple[Difference, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "best": self.best.number if self.best else None,
            "runner_up": self.runner_up.number if self.runner_up else None,
            "nearest": self.nearest.number if self.nearest else None,
            "sure": self.stability,
            "alternatives": [one.to_dict() for one in self.alternatives],
            "differences": [found.to_dict() for found in self.differences],
            "sentences": list(self.sentences),
        }


def choose(
    candidates: Sequence[Candidate],
    limits: Mapping[str, float],
    goal: Goal,
    rows: int | None = None,
) -> Choice:
    """The candidate with the least loss, or score, among those that keep the limits.

    Of several that cannot be told apart, the one with the lowest risk. About a table with few
    `rows` the first sentence says that they prove nothing.
    """
    goal = goal.settle(limits)
    found = _choose(candidates, limits, goal)
    caution = explain_few_rows(rows) if rows is not None else ()
    return replace(found, sentences=(*caution, *found.sentences))


def _choose(candidates: Sequence[Candidate], limits: Mapping[str, float], goal: Goal) -> Choice:
    known = select_comparable(candidates)
    if not known:
        return Choice(None, None, None, None, (explain_no_candidates(candidates, goal),))
    kept = list_eligible(known, limits)
    eligible = [c for c in kept if not c.find_open(limits)]
    checks = sum(c.checked for c in known)
    if not eligible:
        nearest = _find_nearest(known, limits)
        shortfall = explain_shortfall(nearest, limits, kept, checks)
        return Choice(None, None, nearest, None, tuple(shortfall))
    differences = compare_finalists(eligible)
    best = find_safest(eligible[0], differences)
    others = [c for c in eligible if c is not best]
    promise = Promise(known, limits)
    alternatives = find_alternatives(best, known, limits)
    headline, *standing = recommend(best, promise, limits)
    sentences = (
        headline,
        *(one.sentence for one in alternatives),
        *standing,
        *name_unchecked(promise, checks, limits),
        *describe_standing(best, eligible, differences),
        *list_cautions(best, candidates, limits, goal),
        *explain_limits(best, known, limits),
        *(explain_balance(best, eligible, goal) if best is eligible[0] else ()),
    )
    stability = _measure_stability(best, eligible, goal)
    second = others[0] if others else None
    return Choice(best, second, None, stability, sentences, tuple(differences), alternatives)


def _find_nearest(known: Sequence[Candidate], limits: Mapping[str, float]) -> Candidate:
    """The setting that exceeds the limits least; what was measured in full comes first."""
    return min(
        known, key=lambda c: (bool(c.find_open(limits)), measure_excess(c, limits), *c.merit)
    )


def find_safest(lowest: Candidate, differences: Sequence[Difference]) -> Candidate:
    """Of the lowest and those that cannot be told from it, the one with the lowest risk.

    While repeats are few, almost nothing can be told apart, and the lowest counts.
    """
    tied = [lowest, *(found.worse for found in differences if found.tied)]
    enough = [c for c in tied if len(c) >= DECISIVE or not c.setting.is_random]
    return (
        min(enough, key=lambda c: (c.median(RISK_AXIS), *c.merit)) if lowest in enough else lowest
    )


def _measure_stability(best: Candidate, eligible: Sequence[Candidate], goal: Goal) -> float | None:
    """Measure how often resampled repeats lead to the same choice, where there are enough."""
    if not all(map(tells_chance, eligible[:2])):
        return None
    place = list(eligible).index(best)
    aims = [
        loss if goal.aim == LOSS_AXIS else goal.weigh(risk, loss)
        for risk, loss in resample_medians(eligible)
    ]
    return float(np.mean([np.argmin(drawn) == place for drawn in aims]))
