"""Key and sensitive columns as the K-L-θ clusters see them: scaled numbers, marks and levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind

FEW = 63
"""Up to so many levels of a nominal column a mark is one bit."""


class Divisor(StrEnum):
    """Divisor of numbers: their range, or the largest absolute value."""

    RANGE = "range"
    LARGEST = "largest"


class EncodedKeys(NamedTuple):
    """Numbers and marks of each row, the weight of each number and the cost of each mark.

    The marks of a column's levels have a different sum for each set of levels: they are powers of
    two or, for more than 63 levels, scrambled bits, which fail with a chance of about one in 2⁶⁰.
    """

    numbers: Floats
    marks: Ints
    weights: Floats
    costs: Floats

    def of(self, rows: Ints) -> EncodedKeys:
        """The keys of these rows."""
        return self._replace(numbers=self.numbers[rows], marks=self.marks[rows])


def encode_keys(
    variables: Sequence[Variable], weights: Mapping[str, float], divisor: Divisor
) -> EncodedKeys:
    """Scale numeric columns and the ranks of ordinal ones, and mark the levels of nominal ones.

    Two levels are the numbers 0 and 1 instead. A missing number is the mean, and another number, 0
    or 1, of the same weight tells it apart; a missing nominal value is a level of its own. Columns
    that are constant or have weight 0 take no part.
    """
    n = len(variables[0].values)
    numbers: list[tuple[Floats, float]] = []
    marks: list[tuple[Ints, float]] = []
    for variable in variables:
        weight = weights.get(variable.name, 1.0)
        if weight == 0.0:
            continue
        if variable.kind is Kind.NOMINAL:
            codes, count = _codes(variable)
            if count == 2:
                numbers.append((codes.astype(np.float64), weight))
            elif count > 2:
                marks.append((_marks(count)[codes], weight))
        else:
            columns = (_scaled(variable, divisor), variable.missing.astype(np.float64))
            numbers += [(column, weight) for column in columns if np.ptp(column) > 0.0]
    return EncodedKeys(
        np.array([column for column, _ in numbers]).reshape(-1, n).T.copy(),
        np.array([column for column, _ in marks], np.int64).reshape(-1, n).T.copy(),
        np.array([weight for _, weight in numbers]),
        np.array([weight for _, weight in marks]),
    )


def _codes(variable: Variable) -> tuple[Ints, int]:
    """The number of each row's level among those that the column has, and how many these are."""
    known = variable.known.values
    if variable.statistics.missing:
        known = np.append(-1, known)
    return np.searchsorted(known, variable.values), len(known)


def _scaled(variable: Variable, divisor: Divisor) -> Floats:
    values, low, high, mean = _numbers(variable)
    if not low < high:
        return np.zeros(len(values))
    numbers = np.where(variable.missing, mean, values)
    if divisor is Divisor.RANGE:
        return (numbers - low) / (high - low)
    return numbers / max(-low, high)


def _numbers(variable: Variable) -> tuple[Floats, float, float, float]:
    """The values or, if ordinal, their ranks; the least, the largest and the mean of the column."""
    facts = variable.statistics
    if variable.kind is not Kind.ORDINAL:
        return variable.values, facts.low, facts.high, facts.mean
    levels = variable.known
    return variable.ranks(), 0.0, len(levels.values) - 1.0, levels.mean_rank()


def _marks(levels: int) -> Ints:
    """Bits of their own, or scrambled ones (splitmix64), none of which is a power of two."""
    if levels <= FEW:
        return np.int64(1) << np.arange(levels)
    bits = np.arange(1, levels + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (bits ^ (bits >> np.uint64(31))).view(np.int64) >> 1 | 3


class SensitiveCodes(NamedTuple):
    """For each row and sensitive column a number, the same for the same value.

    Column j has the numbers from `ranges[j]` up to `ranges[j + 1]`, so that one table can count the
    values of all columns.
    """

    codes: Ints
    ranges: Ints

    @property
    def in_column(self) -> Ints:
        """Return the number of values of each column."""
        return np.diff(self.ranges)

    def of(self, rows: Ints) -> SensitiveCodes:
        """The values of these rows, numbered anew."""
        return number_columns(column[rows] for column in self.codes.T)


def encode_sensitive(variables: Iterable[Variable]) -> SensitiveCodes:
    """The values of these columns; a missing value is a value too."""
    return number_columns(variable.values for variable in variables)


def number_columns(columns: Iterable[Ints]) -> SensitiveCodes:
    """Number the distinct values of each column, one column after the other."""
    codes, ranges = [], [0]
    for column in columns:
        distinct, numbers = np.unique(column, return_inverse=True)
        codes.append(numbers + ranges[-1])
        ranges.append(ranges[-1] + len(distinct))
    return SensitiveCodes(np.stack(codes, axis=1).astype(np.int64), np.array(ranges))
