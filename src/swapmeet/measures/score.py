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
    whether the figure may be published.
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

    def __repr__(self) -> str:
        told = "not defined here" if self.undefined else f"{self.value:.4g}"
        return f"<Score {self.measure}: {told}, {self.direction} is better>"

    def keeps(self, limit: float) -> bool:
        """Whether the score is on the better side of a limit; without a value it is not."""
        if self.undefined:
            return False
        return self.value <= limit if self.direction is Direction.LOWER else self.value >= limit

    def to_dict(self) -> dict[str, Any]:
        """For machines; without the values of single rows."""
        return {
            "measure": self.measure,
            "value": None if self.undefined else self.value,
            "interval": None if self.interval is None else list(self.interval),
            "better": str(self.direction),
            "bounds": [None if np.isinf(bound) else bound for bound in self.bounds],
            "sentence": self.sentence,
            "details": dict(self.details),
            "undefined": self.undefined or None,
        }
