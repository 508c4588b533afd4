"""The values of the sensitive columns as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.base.arrays import Ints
    from swapmeet.tables.microdata import Variable


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
