"""The columns that have numbers, and how each table is standardised by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.tables.microdata import LARGEST
from swapmeet.measures.score import Undefined

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from swapmeet.core.tables.microdata import Microdata
    from swapmeet.core.tables.statistics import ColumnStatistics
    from swapmeet.measures.comparison import Comparison

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""Values that differ by less than this share of their size are the same but for rounding."""


@dataclass(frozen=True, repr=False, eq=False)
class Standards:
    """The means and standard deviations of some columns of a table; 0 where all is the same."""

    names: tuple[str, ...]
    centre: Floats
    spread: Floats

    @classmethod
    def of(cls, data: Microdata, names: Iterable[str]) -> Standards:
        """Those of the named columns of a whole table."""
        names = tuple(names)
        facts = [data[name].statistics for name in names]
        spread = [_spread(fact) for fact in facts]
        return cls(names, np.array([fact.mean for fact in facts]), np.array(spread))

    def only(self, columns: Flags) -> Standards:
        """Those of some of the columns."""
        names = tuple(np.array(self.names, dtype=object)[columns])
        return Standards(names, self.centre[columns], self.spread[columns])

    def scores(self, data: Microdata, names: Iterable[str] | None = None) -> Floats:
        """Columns of some rows, a row each: mean 0 and standard deviation 1 in the whole table.

        NaN is missing; where all values are the same the scores are 0.
        """
        names = self.names if names is None else tuple(names)
        scores = np.empty((len(names), data.n))
        for row, name in zip(scores, names, strict=True):
            place = self.names.index(name)
            np.subtract(data[name].values, self.centre[place], out=row)
            if self.spread[place] > 0.0:
                row /= self.spread[place]
            else:
                row[~np.isnan(row)] = 0.0
        return scores


@dataclass(frozen=True, repr=False, eq=False)
class Numbers:
    """The numeric columns of both tables; `constant` ones of the original are left out."""

    names: tuple[str, ...]
    constant: tuple[str, ...]
    masked: Flags
    original: Standards
    released: Standards

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """Pairs of columns of which at least one is masked."""
        first, second = np.triu_indices(len(self.names), 1)
        either = self.masked[first] | self.masked[second]
        return first[either], second[either]

    @property
    def flat(self) -> tuple[str, ...]:
        """Columns that have lost all variation in the release."""
        lost = self.released.spread == 0.0
        return tuple(name for name, is_lost in zip(self.names, lost, strict=True) if is_lost)

    @property
    def only_masked(self) -> Standards:
        """How the masked columns of the original are standardised."""
        return self.original.only(self.masked)

    def require(self, columns: int) -> None:
        """Leave a measure that needs more columns than there are."""
        if len(self.names) < columns or not self.masked.any():
            raise Undefined(
                f"it needs {columns} columns with numbers that vary, a masked one among them"
                if columns > 1
                else "no masked column has numbers that vary"
            )


def numbers_of(comparison: Comparison) -> Numbers:
    """The numeric columns of a comparison."""
    require_finite(comparison)
    every = Standards.of(comparison.original, comparison.numeric)
    original = every.only(every.spread > 0.0)
    return Numbers(
        names=original.names,
        constant=tuple(name for name in comparison.numeric if name not in original.names),
        masked=np.array([name in comparison.masked for name in original.names], np.bool_),
        original=original,
        released=Standards.of(comparison.released, original.names),
    )


def require_finite(comparison: Comparison) -> None:
    """Leave a measure that reckons with numbers where some are infinite."""
    beyond = [
        name
        for name in comparison.numeric
        for data in (comparison.original, comparison.released)
        if data[name].statistics.size > LARGEST
    ]
    if beyond:
        listed = ", ".join(dict.fromkeys(beyond))
        raise Undefined(f"infinite values (or beyond {LARGEST:.0e}) in {listed}")


def _spread(facts: ColumnStatistics) -> float:
    return facts.sd if facts.span > ROUNDING * facts.size else 0.0
