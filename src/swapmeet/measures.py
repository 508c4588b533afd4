"""What risk and utility share: a comparison of two tables, and the score a measure gives it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np

from swapmeet.blocks import Workers
from swapmeet.params import Parameters
from swapmeet.schema import Kind
from swapmeet.seeds import Seed, Streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy.typing as npt

    from swapmeet.microdata import Microdata

    Floats = npt.NDArray[np.float64]
    Labels = npt.NDArray[np.int64]

MANY_COLUMNS = 5
CONFIDENCE = 0.95
"""Intervals are meant to hold the true value this often."""
_STREAMS = Seed(bytes(32)).within("assess")
"""Assessing is no secret: the same tables get the same scores."""


_Result = TypeVar("_Result")


class Undefined(Exception):  # noqa: N818
    """A measure has no value for this comparison; the message says why."""


class Direction(StrEnum):
    """What is better."""

    LOWER = "lower"
    HIGHER = "higher"


class Ownership(StrEnum):
    """How it is known which original row a released row stands for."""

    TRUE = "by the audit record"
    CLAIMED = "as claimed"
    UNKNOWN = "unknown"
    NOBODY = "nobody: rows are synthetic"


def ownership_of(owned: bool, known: Iterable[str], masked: Iterable[str]) -> Ownership:  # noqa: FBT001
    """By the audit record, unless rows are synthetic and nothing else about them is known.

    A column that is published as it was ties a synthetic row to its owner only for those who know
    that column.
    """
    return Ownership.TRUE if owned or set(known) - set(masked) else Ownership.NOBODY


@dataclass(frozen=True, repr=False, eq=False)
class Comparison:
    """An original and its release, column by column.

    Both have the same columns, and nominal ones the same codes. Unless the owners are unknown, row
    i of `released` stands for row i of `original`. `known` are the columns that an intruder knows,
    `masked` those that were masked. `at_most` rows are looked at where each has to be compared with
    all others.
    """

    original: Microdata
    released: Microdata
    masked: tuple[str, ...]
    known: tuple[str, ...]
    ownership: Ownership = Ownership.TRUE
    at_most: int | None = None
    workers: Workers = field(default_factory=Workers)
    streams: Streams = _STREAMS
    _done: dict[Any, Any] = field(default_factory=dict)
    _locks: dict[Any, Lock] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Comparison of {self.n} rows and {len(self.original.variables)} columns>"

    def once(self, work: Callable[[Comparison], _Result]) -> _Result:
        """The result of `work` on this comparison, which several measures share."""
        with self._locks.setdefault(work, Lock()):
            if work not in self._done:
                self._done[work] = work(self)
        return cast("_Result", self._done[work])

    @property
    def what_is_known(self) -> str:
        """The known columns in words; many are counted rather than named."""
        if len(self.known) > MANY_COLUMNS:
            return f"{len(self.known)} columns"
        *others, last = self.known
        return f"{', '.join(others)} and {last}" if others else last

    @property
    def n(self) -> int:
        """Number of original rows."""
        return self.original.n

    @property
    def numeric(self) -> tuple[str, ...]:
        """The columns that have numbers: numeric and ordinal ones."""
        return tuple(v.name for v in self.original.variables if v.kind is not Kind.NOMINAL)

    @cached_property
    def numbers(self) -> tuple[Floats, Floats]:
        """The numeric columns of original and release, as two matrices; NaN is missing."""
        return tuple(
            np.stack([data[name].values for name in self.numeric], axis=1)
            if self.numeric
            else np.empty((data.n, 0))
            for data in (self.original, self.released)
        )  # type: ignore[return-value]

    def combinations(self, names: Iterable[str]) -> tuple[Labels, Labels]:
        """A number for the combination of values in these columns; a missing value is a value.

        Original and released rows with the same values have the same number.
        """
        labels = np.zeros(self.original.n + self.released.n, np.int64)
        for name in names:
            both = np.concatenate([self.original[name].values, self.released[name].values])
            codes = np.unique(both, return_inverse=True)[1]
            labels = labels * (int(codes.max(initial=0)) + 1) + codes
            labels = np.unique(labels, return_inverse=True)[1]
        return labels[: self.original.n], labels[self.original.n :]

    @property
    def owners_known(self) -> bool:
        """Whether row i of the release stands for row i of the original."""
        return self.ownership in {Ownership.TRUE, Ownership.CLAIMED}

    def require_owners(self) -> None:
        """Leave a measure that needs to know who is who, where nobody knows."""
        if self.ownership is Ownership.NOBODY:
            raise Undefined(
                "released rows stand for nobody in particular; the sorted measures tell how far "
                "they can be linked all the same"
            )
        if not self.owners_known:
            raise Undefined(
                "it is not known which released row stands for which original row; give the audit "
                "record, or say how rows are matched"
            )


@dataclass(frozen=True, repr=False, eq=False)
class Score:
    """What a measure says of a comparison.

    `value` is NaN where the measure is not defined here, and `undefined` says why. `records` are
    values for single rows, where the measure has them; `details` further figures.
    """

    measure: str
    value: float
    sentence: str
    direction: Direction
    bounds: tuple[float, float]
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


@dataclass(frozen=True, kw_only=True)
class Measure(Parameters):
    """A measure of risk or of utility; its fields are its parameters.

    `question` is what it answers, in words for people.
    """

    name: ClassVar[str]
    question: ClassVar[str]
    direction: ClassVar[Direction] = Direction.LOWER
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @abstractmethod
    def score(self, comparison: Comparison) -> Score:
        """Measure; raise Undefined where there is nothing to measure."""

    def scored(self, value: float, sentence: str, **more: Any) -> Score:
        """A score of this measure."""
        return Score(self.name, float(value), sentence, self.direction, self.bounds, **more)

    def score_or_reason(self, comparison: Comparison) -> Score:
        """The score, or one without a value that says why there is none."""
        try:
            return self.score(comparison)
        except Undefined as undefined:
            return self.scored(np.nan, f"Not defined here: {undefined}.", undefined=str(undefined))
