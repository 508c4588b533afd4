"""Result of a measure on a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats

CONFIDENCE = 0.95
"""Intervals are meant to hold the true value this often."""

SAMPLED = "it was measured in a sample of the rows or columns, which hides a part of the risk"
"""Why a value of a sample may be too low."""


class Undefined(Exception):  # noqa: N818
    """A measure has no value for this comparison; the message says why."""


class Inapplicable(Undefined):
    """There is nothing that the measure could be about, such as households; no limit is on it."""


class Judgement(StrEnum):
    """Verdict of limits on a release, and of one limit on a figure."""

    SAFE = "safe"
    NOT_SAFE = "not safe"
    OPEN = "not decided"

    @property
    def standing(self) -> str:
        """Say whether a single limit is met, for tables; what is not met must not be overlooked."""
        return "met" if self is Judgement.SAFE else str(self).replace("safe", "met").upper()


class Direction(StrEnum):
    """Direction that is better."""

    LOWER = "lower"
    HIGHER = "higher"


class Family(StrEnum):
    """Subject of a measure: what an intruder can do, or what an analyst loses."""

    RISK = "risk"
    UTILITY = "utility"


@dataclass(frozen=True, repr=False, eq=False)
class Score:
    """Result of a measure on a comparison.

    `value` is NaN where the measure is not defined here, and `undefined` says why. `records` are
    values for single rows, where the measure has them; `details` further figures. `public` says
    whether the figure may be published. `finding` is a clause that the verdict quotes, with the
    number in words: "an intruder who knows age, sex and region of everybody, and how the file was
    masked, finds 37 of 100 people"; `finding_in` is of how many it counts, 1 where it does not.
    `judged` is what limits are compared with where that is not the worse end of the interval: a
    full count of what is in a file is no estimate. `beside` is a clause about a worse case that no
    limit judges; a verdict that calls a release safe says so. `hidden` says, as a clause, why there
    may be more risk than the value shows; such a value can exceed a limit, and meets none. What
    does not apply (`applies`) has no limit.
    """

    measure: str
    value: float
    sentence: str
    direction: Direction
    bounds: tuple[float, float]
    family: Family
    public: bool = False
    interval: tuple[float, float] | None = None
    records: Floats | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    undefined: str = ""
    finding: str = ""
    finding_in: int = 1
    judged: float | None = None
    beside: str = ""
    hidden: str = ""
    applies: bool = True

    def __repr__(self) -> str:
        value = "not defined here" if self.undefined else f"{self.value:.4g}"
        return f"<Score {self.measure}: {value}, {self.direction} is better>"

    @property
    def unfavourable(self) -> float:
        """The end of the interval that is worse; the value where there is no interval."""
        if self.judged is not None:
            return self.judged
        ends = (self.value, *(self.interval or ()))
        return float(np.max(ends) if self.direction is Direction.LOWER else np.min(ends))

    def judge(self, limit: float) -> Judgement:
        """Judge it under a limit, by its unfavourable end; open without a value.

        >>> from dataclasses import replace
        >>> score = Score("dbrl", 0.19, "", Direction.LOWER, (0, 1), Family.RISK)
        >>> score.judge(0.2), replace(score, interval=(0.16, 0.22)).judge(0.2)
        (<Judgement.SAFE: 'safe'>, <Judgement.NOT_SAFE: 'not safe'>)
        >>> str(replace(score, hidden="it was measured in a sample").judge(0.2))
        'not decided'
        """
        end = self.unfavourable
        if self.undefined or np.isnan(end):
            return Judgement.OPEN
        if not (end <= limit if self.direction is Direction.LOWER else end >= limit):
            return Judgement.NOT_SAFE
        return Judgement.OPEN if self.hidden else Judgement.SAFE

    def keeps(self, limit: float) -> bool:
        """Return whether it bears out that a limit is met."""
        return self.judge(limit) is Judgement.SAFE

    def to_dict(self) -> dict[str, Any]:
        """For machines; without the values of single rows."""
        return {
            "measure": self.measure,
            "value": None if self.undefined else self.value,
            "interval": None if self.interval is None else list(self.interval),
            "better": str(self.direction),
            "bounds": [None if np.isinf(bound) else bound for bound in self.bounds],
            "sentence": self.sentence,
            "finding": self.finding or None,
            "hidden": self.hidden or None,
            "details": dict(self.details),
            "undefined": self.undefined or None,
        }
