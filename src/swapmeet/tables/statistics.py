"""Statistics of a whole column for methods, however its rows come and in how many pieces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags, Ints
from swapmeet.base.exact_sums import exact_squares, exact_sum, mean_of, sd_of
from swapmeet.errors import UsageError
from swapmeet.tables.schema import Kind

MOST_ORDINAL_LEVELS = 100_000
"""Of an ordinal column with more distinct values than this they are not kept."""


@dataclass(frozen=True, repr=False, eq=False)
class Levels:
    """The distinct values of a column in their order (codes, if nominal), and how many have each.

    Missing values are no level.
    """

    values: npt.NDArray[Any]
    counts: Ints

    def __repr__(self) -> str:
        return f"<Levels: {len(self.values)}>"

    @classmethod
    def of(cls, values: npt.NDArray[Any], kind: Kind) -> Levels:
        """Compute those of an array."""
        if kind is Kind.NOMINAL:
            counts = np.bincount(values + 1)[1:]
            levels = np.flatnonzero(counts)
            return cls(levels, counts[levels])
        levels, counts = np.unique(values[~np.isnan(values)] + 0.0, return_counts=True)
        return cls(levels, counts)

    def merge(self, other: Levels) -> Levels:
        """Merge both."""
        values, places = np.unique(np.append(self.values, other.values), return_inverse=True)
        counts = np.zeros(len(values), np.int64)
        np.add.at(counts, places, np.append(self.counts, other.counts))
        return Levels(values, counts)

    def mean_rank(self) -> float:
        """The mean of the ranks, from 0 up, of all values that are not missing; 0 without any."""
        total = sum(rank * count for rank, count in enumerate(self.counts.tolist()))
        return total / max(int(self.counts.sum()), 1)


class StatisticsSource(Protocol):
    """The source of facts: an array, examined when needed, or facts gathered from many."""

    @property
    def rows(self) -> int: ...
    @property
    def missing(self) -> int: ...
    @property
    def extent(self) -> tuple[float, float]: ...
    @property
    def whole(self) -> bool: ...
    @property
    def total(self) -> int: ...
    @property
    def squares(self) -> int: ...
    @property
    def levels(self) -> Levels | None: ...


@dataclass(frozen=True, repr=False, eq=False)
class ColumnStatistics:
    """Facts about a whole column; each is found out when it is first asked for.

    `low`, `high` and `mean` are NaN where no value is present; infinite values make `mean` and `sd`
    infinite or NaN.

    >>> facts = ColumnStatistics.of(np.array([1.0, 4.0, np.nan, 1.0]), Kind.NUMERIC)
    >>> facts.missing, facts.low, facts.high, facts.mean, facts.sd, facts.whole
    (1, 1.0, 4.0, 2.0, 1.7320508075688772, True)
    """

    source: StatisticsSource

    def __repr__(self) -> str:
        return f"<ColumnStatistics of {self.rows} rows>"

    @classmethod
    def of(cls, values: npt.NDArray[Any], kind: Kind) -> ColumnStatistics:
        """The facts of a column that is here as a whole."""
        return cls(_Array(values, kind))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.source.rows

    @property
    def missing(self) -> int:
        """Return the number of rows that miss the value."""
        return self.source.missing

    @property
    def present(self) -> int:
        """Return the number of rows that have a value."""
        return self.rows - self.missing

    @property
    def low(self) -> float:
        """The least value."""
        return self.source.extent[0]

    @property
    def high(self) -> float:
        """The largest value."""
        return self.source.extent[1]

    @property
    def varies(self) -> bool:
        """Return whether there are two values that differ."""
        return self.low < self.high

    @property
    def span(self) -> float:
        """From the least to the largest value; 0 where none is present."""
        return self.high - self.low if self.varies else 0.0

    @property
    def size(self) -> float:
        """The largest absolute value; 0 where none is present."""
        return max(-self.low, self.high, 0.0) if self.low <= self.high else 0.0

    @cached_property
    def mean(self) -> float:
        """The mean, correctly rounded."""
        if not self.present or not self._is_finite:
            return self.low + self.high
        return mean_of(self.source.total, self.present)

    @cached_property
    def sd(self) -> float:
        """The standard deviation with divisor n - 1, correctly rounded; 0 for a constant."""
        if not self.varies:
            return 0.0
        if not self._is_finite:
            return float("nan")
        return sd_of(self.source.total, self.source.squares, self.present)

    @property
    def whole(self) -> bool:
        """Return whether all values are whole numbers."""
        return self.source.whole

    @property
    def levels(self) -> Levels | None:
        """The distinct values of an ordinal or nominal column, unless they are very many."""
        return self.source.levels

    @property
    def _is_finite(self) -> bool:
        return bool(np.isfinite(self.low) and np.isfinite(self.high))


@dataclass(frozen=True, repr=False, eq=False)
class PartialStatistics:
    """Partial statistics of a column in some of its rows; those of all rows make its facts.

    However rows are cut into chunks and in whatever order these are merged, the facts are the same
    to the last bit.

    >>> chunks = [np.array([1e16, 1.0]), np.array([-1e16, 2.0])]
    >>> one, two = (PartialStatistics.of(chunk, Kind.NUMERIC) for chunk in chunks)
    >>> (one + two).statistics().mean, (two + one).statistics().mean
    (0.75, 0.75)
    """

    kind: Kind
    rows: int
    missing: int
    extent: tuple[float, float]
    whole: bool
    total: int
    squares: int
    levels: Levels | None

    def __repr__(self) -> str:
        return f"<PartialStatistics of {self.rows} rows>"

    @classmethod
    def of(cls, values: npt.NDArray[Any], kind: Kind) -> PartialStatistics:
        """Gather what there is to see of these values."""
        seen = _Array(values, kind)
        return cls(
            kind, seen.rows, seen.missing, seen.extent, seen.whole, seen.total, seen.squares,
            seen.levels,
        )  # fmt: skip

    @classmethod
    def merge(cls, gatherings: Iterable[PartialStatistics]) -> PartialStatistics:
        """All of them, at least one, as one."""
        return reduce(cls.__add__, gatherings)

    def __add__(self, other: PartialStatistics) -> PartialStatistics:
        if self.kind is not other.kind:
            raise UsageError(
                "PartialStatistics: only what was seen of the same column can be merged."
            )
        return PartialStatistics(
            self.kind,
            self.rows + other.rows,
            self.missing + other.missing,
            _widest(self.extent, other.extent),
            self.whole and other.whole,
            self.total + other.total,
            self.squares + other.squares,
            _bounded(_union(self.levels, other.levels), self.kind),
        )

    def statistics(self) -> ColumnStatistics:
        """The facts of these rows."""
        return ColumnStatistics(self)


@dataclass(frozen=True, repr=False, eq=False)
class _Array:
    """A column that is here as a whole: nothing is looked at before it is needed."""

    values: npt.NDArray[Any]
    kind: Kind

    @property
    def rows(self) -> int:
        return len(self.values)

    @cached_property
    def missing(self) -> int:
        return int(np.count_nonzero(self._holes))

    @cached_property
    def extent(self) -> tuple[float, float]:
        if self._is_nominal:
            return float("nan"), float("nan")
        low, high = self.values.min(initial=np.inf), self.values.max(initial=-np.inf)
        if np.isnan(low):
            present = self.values[~self._holes]
            low, high = present.min(initial=np.inf), present.max(initial=-np.inf)
        return (float(low) + 0.0, float(high) + 0.0) if low <= high else (np.nan, np.nan)

    @cached_property
    def whole(self) -> bool:
        return self._is_nominal or bool(((self.values == np.rint(self.values)) | self._holes).all())

    @cached_property
    def total(self) -> int:
        return 0 if self._is_nominal else exact_sum(self.values)

    @cached_property
    def squares(self) -> int:
        return 0 if self._is_nominal else exact_squares(self.values)

    @cached_property
    def levels(self) -> Levels | None:
        if self.kind is Kind.NUMERIC:
            return None
        return _bounded(Levels.of(self.values, self.kind), self.kind)

    @property
    def _is_nominal(self) -> bool:
        return self.kind is Kind.NOMINAL

    @property
    def _holes(self) -> Flags:
        return self.values < 0 if self._is_nominal else np.isnan(self.values)


def _widest(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return float(np.fmin(one[0], other[0])), float(np.fmax(one[1], other[1]))


def _union(one: Levels | None, other: Levels | None) -> Levels | None:
    return None if one is None or other is None else one.merge(other)


def _bounded(levels: Levels | None, kind: Kind) -> Levels | None:
    """Ordinal levels unless they are too many; nominal ones are needed all."""
    too_many = levels is not None and len(levels.values) > MOST_ORDINAL_LEVELS
    return None if too_many and kind is Kind.ORDINAL else levels
