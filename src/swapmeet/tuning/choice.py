"""Which candidate to take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.limits import RISK_AXIS, bounds, keeps
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
    name_unmeasured,
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
    where there are too few repeats. `differences` say how far the finalists' scores lie above the
    lowest; of those that cannot be told from it, the one with the lowest risk is the best.
    """

    best: Candidate | None
    runner_up: Candidate | None
    nearest: Candidate | None
    stability: float | None
    sentences: tuple[str, ...]
    differences: tuple[Difference, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "best": self.best.number if self.best else None,
            "runner_up": self.runner_up.number if self.runner_up else None,
            "nearest": self.nearest.number if self.nearest else None,
            "sure": self.stability,
            "differences": [found.to_dict() for found in self.differences],
            "sentences": list(self.sentences),
        }


def choose(
    candidates: Sequence[Candidate],
    limits: Mapping[str, float],
    goal: Goal,
    rows: int | None = None,
) -> Choice:
    """The candidate with the lowest score among those that keep the limits.

    Of several whose scores cannot be told apart, the one with the lowest risk. Of a table with few
    `rows` it is said first that they prove nothing.
    """
    found = _choose(candidates, limits, goal)
    caution = explain_few_rows(rows) if rows is not None else ()
    return replace(found, sentences=(*caution, *found.sentences))


def _choose(candidates: Sequence[Candidate], limits: Mapping[str, float], goal: Goal) -> Choice:
    known = select_comparable(candidates)
    if not known:
        return Choice(None, None, None, None, (explain_no_candidates(candidates, goal),))
    kept = list_eligible(known, limits)
    eligible = [c for c in kept if not c.find_open(limits)]
    if not eligible:
        nearest = min(known, key=lambda c: (_distance(c, limits), *c.merit))
        shortfall = explain_shortfall(nearest, limits, kept)
        return Choice(None, None, nearest, None, tuple(shortfall))
    ranked = [eligible[0], *(c for c in kept if c.merit > eligible[0].merit)]
    differences = compare_finalists(ranked)
    full = [found for found in differences if not found.worse.find_open(limits)]
    best = find_safest(eligible[0], full)
    others = [c for c in ranked if c is not best]
    sentences = (
        recommend(best, limits),
        *describe_standing(best, ranked, differences),
        *list_cautions(best, candidates, limits, goal),
        *name_unmeasured(best, kept, limits),
        *explain_limits(best, known, limits),
        *(explain_balance(best, ranked, goal) if best is ranked[0] else ()),
    )
    stability = _measure_stability(best, ranked, goal)
    second = others[0] if others else None
    return Choice(best, second, None, stability, sentences, tuple(differences))


def find_safest(lowest: Candidate, differences: Sequence[Difference]) -> Candidate:
    """Of the lowest score and those that cannot be told from it, the one with the lowest risk.

    While repeats are few, almost nothing can be told apart, and the lowest score counts.
    """
    tied = [lowest, *(found.worse for found in differences if found.tied)]
    enough = [c for c in tied if len(c) >= DECISIVE or not c.method.is_random]
    return (
        min(enough, key=lambda c: (c.median(RISK_AXIS), *c.merit)) if lowest in enough else lowest
    )


def _distance(candidate: Candidate, limits: Mapping[str, float]) -> float:
    """By how much the worst limit is missed, as a share of the measure's range."""
    missed = [0.0]
    if candidate.find_open(limits):
        return np.inf
    for name, limit in candidate.fit_limits(limits).items():
        value = candidate.unfavourable(name)
        if np.isnan(value):
            return np.inf
        if not keeps(name, value, limit):
            low, high = bounds(name)
            span = high - low if np.isfinite(high) else max(abs(limit), 1.0)
            missed.append(abs(value - limit) / span)
    return max(missed)


def _measure_stability(best: Candidate, eligible: Sequence[Candidate], goal: Goal) -> float | None:
    """How often resampled repeats lead to the same choice, where there are enough of them."""
    if not all(map(tells_chance, eligible[:2])):
        return None
    place = list(eligible).index(best)
    scores = [
        goal.balance * risk + (1.0 - goal.balance) * loss
        for risk, loss in resample_medians(eligible)
    ]
    return float(np.mean([np.argmin(drawn) == place for drawn in scores]))
