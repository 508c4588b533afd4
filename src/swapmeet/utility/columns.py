"""The columns that have numbers, each table standardised by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures import Undefined
from swapmeet.microdata import LARGEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from swapmeet.measures import Comparison
    from swapmeet.microdata import Microdata

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""Values that differ by less than this share of their size are the same but for rounding."""


@dataclass(frozen=True, repr=False, eq=False)
class Standardised:
    """Columns of one table, a row each: mean 0 and standard deviation 1; NaN is missing.

    Where all values are the same the scores are 0, and so is `spread`.
    """

    scores: Floats
    centre: Floats
    spread: Floats

    @classmethod
    def of(cls, data: Microdata, names: Iterable[str]) -> Standardised:
        """The named columns of a table."""
        columns = [data[name].values for name in names]
        scores = np.empty((len(columns), data.n))
        centre, spread = np.zeros((2, len(columns)))
        for j, values in enumerate(columns):
            centre[j], spread[j] = _standardise(values, scores[j])
        return cls(scores, centre, spread)


@dataclass(frozen=True, repr=False, eq=False)
class Numbers:
    """The numeric columns of both tables; `constant` ones of the original are left out."""

    names: tuple[str, ...]
    constant: tuple[str, ...]
    masked: Flags
    original: Standardised
    released: Standardised

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
    original = Standardised.of(comparison.original, comparison.numeric)
    varies = original.spread > 0.0
    names = tuple(np.array(comparison.numeric, dtype=object)[varies])
    return Numbers(
        names=names,
        constant=tuple(name for name in comparison.numeric if name not in names),
        masked=np.array([name in comparison.masked for name in names], np.bool_),
        original=_only(original, varies),
        released=Standardised.of(comparison.released, names),
    )


def require_finite(comparison: Comparison) -> None:
    """Leave a measure that reckons with numbers where some are infinite."""
    beyond = [
        name
        for name in comparison.numeric
        for data in (comparison.original, comparison.released)
        if bool((np.abs(data[name].values) > LARGEST).any())
    ]
    if beyond:
        listed = ", ".join(dict.fromkeys(beyond))
        raise Undefined(f"infinite values (or beyond {LARGEST:.0e}) in {listed}")


def _only(table: Standardised, rows: Flags) -> Standardised:
    if rows.all():
        return table
    return Standardised(table.scores[rows], table.centre[rows], table.spread[rows])


def _standardise(values: Floats, scores: Floats) -> tuple[float, float]:
    """Write the scores of a column; its mean and standard deviation.

    Values are brought to [0, 1] first, so that no square overflows or vanishes.
    """
    missing = np.isnan(values)
    present = values[~missing] if missing.any() else values
    if not len(present):
        scores[:] = np.nan
        return np.nan, 0.0
    low, high = float(present.min()), float(present.max())
    width = high - low
    if width <= ROUNDING * max(abs(low), abs(high)):
        scores[:] = np.where(missing, np.nan, 0.0)
        return low, 0.0
    np.subtract(values, low, out=scores)
    scores /= width
    unit = scores[~missing] if len(present) < len(values) else scores
    mean, sd = float(unit.mean()), float(unit.std(ddof=1))
    scores -= mean
    scores /= sd
    return low + mean * width, sd * width
