"""What a measure says of a comparison."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.95
"""Intervals are meant to hold the true value this often."""

HIDES_RISK = "a sample hides a part of the risk"
"""Among the details of a score: its value may be too low, so that it bears out no limit."""


class Undefined(Exception):  # noqa: N818
    """A measure has no value for this comparison; the message says why."""


class Direction(StrEnum):
    """What is better."""

    LOWER = "lower"
    HIGHER = "higher"


class Family(StrEnum):
    """What a measure is about: what an intruder can do, or what an analyst loses."""

    RISK = "risk"
    UTILITY = "utility"


@dataclass(frozen=True, repr=False, eq=False)
class Score:
    """What a measure says of a comparison.

    `value` is NaN where the measure is not defined here, and `undefined` says why. `records` are
    values for single rows, where the measure has them; `details` further figures. `public` tells
    whether the figure may be published. `finding` is a clause that the verdict quotes, with the
    number in words: "an intruder who knows age, sex and region of everybody, and how the file was
    masked, finds 37 of 100 people"; `finding_in` is of how many it counts, 1 where it does not.
    `judged` is what limits are compared with where that is not the worse end of the interval: a
    full count of what stands in a file is no estimate. `beside` is a clause about a worse case that
    no limit judges; a verdict that calls a release safe tells it.
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

    def __repr__(self) -> str:
        told = "not defined here" if self.undefined else f"{self.value:.4g}"
        return f"<Score {self.measure}: {told}, {self.direction} is better>"

    @property
    def unfavourable(self) -> float:
        """The end of the interval that is worse; the value where there is no interval."""
        if self.judged is not None:
            return self.judged
        ends = (self.value, *(self.interval or ()))
        return float(np.max(ends) if self.direction is Direction.LOWER else np.min(ends))

    def keeps(self, limit: float) -> bool:
        """Whether even the unfavourable end keeps a limit; without a value it does not.

        >>> from dataclasses import replace
        >>> score = Score("dbrl", 0.19, "", Direction.LOWER, (0, 1), Family.RISK)
        >>> score.keeps(0.2), replace(score, interval=(0.16, 0.22)).keeps(0.2)
        (True, False)
        """
        if self.undefined:
            return False
        end = self.unfavourable
        return end <= limit if self.direction is Direction.LOWER else end >= limit

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
            "details": dict(self.details),
            "undefined": self.undefined or None,
        }
