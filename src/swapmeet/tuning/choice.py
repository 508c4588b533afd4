"""Which candidate to take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.measures.limits import bounds, keeps
from swapmeet.tuning.frontier import resample_medians, select_comparable
from swapmeet.tuning.reasons import (
    compare_with_runner_up,
    explain_balance,
    explain_limits,
    explain_no_candidates,
    explain_shortfall,
    list_cautions,
    recommend,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.tuning.candidate import Candidate
    from swapmeet.tuning.goal import Goal


@dataclass(frozen=True)
class Choice:
    """The best candidate that keeps the limits, or how near the nearest came to them.

    `stability` is the share of random resamples of the repeats that choose the same candidate.
    """

    best: Candidate | None
    runner_up: Candidate | None
    nearest: Candidate | None
    stability: float
    sentences: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "best": self.best.number if self.best else None,
            "runner_up": self.runner_up.number if self.runner_up else None,
            "nearest": self.nearest.number if self.nearest else None,
            "sure": self.stability,
            "sentences": list(self.sentences),
        }


def choose(candidates: Sequence[Candidate], limits: Mapping[str, float], goal: Goal) -> Choice:
    """The candidate with the lowest score among those that keep the limits."""
    known = select_comparable(candidates)
    if not known:
        return Choice(None, None, None, 0.0, (explain_no_candidates(candidates, goal),))
    eligible = sorted((c for c in known if c.keeps(limits)), key=lambda c: c.merit)
    if not eligible:
        nearest = min(known, key=lambda c: (_distance(c, limits), *c.merit))
        return Choice(None, None, nearest, 0.0, tuple(explain_shortfall(nearest, limits)))
    best, second = eligible[0], eligible[1] if len(eligible) > 1 else None
    stability = _measure_stability(eligible, goal)
    sentences = (
        recommend(best, limits),
        *compare_with_runner_up(best, second, stability),
        *list_cautions(best, candidates, limits, goal),
        *explain_limits(best, known, limits),
        *explain_balance(best, eligible, goal),
    )
    return Choice(best, second, None, stability, sentences)


def _distance(candidate: Candidate, limits: Mapping[str, float]) -> float:
    """By how much the worst limit is missed, as a share of the measure's range."""
    missed = [0.0]
    for name, limit in limits.items():
        value = candidate.unfavourable(name)
        if np.isnan(value):
            return np.inf
        if not keeps(name, value, limit):
            low, high = bounds(name)
            span = high - low if np.isfinite(high) else max(abs(limit), 1.0)
            missed.append(abs(value - limit) / span)
    return max(missed)


def _measure_stability(eligible: Sequence[Candidate], goal: Goal) -> float:
    scores = [
        goal.balance * risk + (1.0 - goal.balance) * loss
        for risk, loss in resample_medians(eligible)
    ]
    return float(np.mean([np.argmin(drawn) == 0 for drawn in scores]))
