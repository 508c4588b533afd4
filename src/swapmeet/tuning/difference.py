"""The difference of two candidates in what the goal aims at, beside that of repeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.quantiles import student_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Floats
    from swapmeet.tuning.candidate import Candidate

FEWEST = 3
"""Fewer repeats than this tell nothing of chance."""
DECISIVE = 5
"""So many repeats are needed before the lower risk decides between scores that cannot be told."""
FINALISTS = 6
"""The best and the settings that come next: these are repeated, and compared with each other."""
LOOKS = 4
"""How often the finalists are compared at most, while their repeats grow in number."""
ERROR = 0.05
"""How often at most one of all these comparisons may call a difference decided that is none."""


@dataclass(frozen=True)
class Difference:
    """The excess of `worse` over `better` in what the goal aims at, on average over repeats.

    The interval is Welch's, so wide that all comparisons of a search together err in at most 5 of
    100 searches. Without enough repeats it is unknown.
    """

    worse: Candidate
    better: Candidate
    value: float
    interval: tuple[float, float] | None

    @property
    def known(self) -> bool:
        """Return whether there are enough repeats to say something."""
        return self.interval is not None

    @property
    def decided(self) -> bool:
        """Return whether one is truly better."""
        return self.interval is not None and not self.interval[0] <= 0.0 <= self.interval[1]

    @property
    def tied(self) -> bool:
        """Return whether the repeats tell chance, and cannot tell the two apart."""
        return self.known and not self.decided

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "candidate": self.worse.number,
            "to": self.better.number,
            "difference": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "decided": self.decided,
        }


def compare_aims(worse: Candidate, better: Candidate) -> Difference:
    """The difference of two losses, or scores; exact where chance has no part in either."""
    one, other = (candidate.repeats[better.goal.aim] for candidate in (worse, better))
    value = float(one.mean() - other.mean())
    if not (tells_chance(worse) and tells_chance(better)):
        return Difference(worse, better, value, None)
    reach = _compute_reach(one, other)
    return Difference(worse, better, value, (value - reach, value + reach))


def compare_finalists(eligible: Sequence[Candidate]) -> list[Difference]:
    """The best, which comes first, against those that come next."""
    return [compare_aims(other, eligible[0]) for other in eligible[1:FINALISTS]]


def tells_chance(candidate: Candidate) -> bool:
    """Return whether the repeats tell how far another one may differ."""
    return not candidate.setting.is_random or len(candidate) >= FEWEST


def _compute_reach(one: Floats, other: Floats) -> float:
    """Half the width of Welch's interval of the difference of two means."""
    parts = [(v.var(ddof=1) / len(v), len(v) - 1) for v in (one, other) if len(v) > 1]
    squared = float(sum(part for part, _ in parts))
    if squared <= 0.0:
        return 0.0
    freedom = squared**2 / sum(part**2 / df for part, df in parts)
    level = 1.0 - ERROR / (2 * LOOKS * (FINALISTS - 1))
    return float(student_quantile(level, freedom) * np.sqrt(squared))
