"""The columns of a table as codes and as numbers, wherever they are held."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from functools import cached_property

import numpy as np

from swapmeet.base.arrays import Floats, Rows, ShortInts
from swapmeet.base.seeds import Seed

SAMPLE = 5_000
"""So many random rows are looked at before all."""
DIGITS = 6
"""So many decimals count; a column with more shows none in particular."""
WHOLE = 2.0**53
"""Doubles from here on have no decimals."""
_STREAM = Seed(bytes(32)).within("inspect")
"""Not a secret: the same table gives the same findings."""


class ColumnView(ABC):
    """Columns whose values compare. A missing value is a value of its own (code 0)."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""

    @property
    @abstractmethod
    def all_names(self) -> Collection[str]:
        """These and all others of the table."""

    @abstractmethod
    def codes(self, name: str) -> ShortInts:
        """The values as numbers from 0 to `room` - 1; 0 is missing."""

    def nearest_codes(self, name: str) -> ShortInts:
        """The same, where a number that has no code of its own has that of the nearest below."""
        return self.codes(name)

    @abstractmethod
    def room(self, name: str) -> int:
        """A number above all codes of the column."""

    @abstractmethod
    def numbers(self, name: str) -> Floats:
        """The values as doubles, NaN where missing."""

    @abstractmethod
    def quantities(self, name: str) -> Floats:
        """Numbers as they are reckoned with: moments as days."""

    @abstractmethod
    def is_masked(self, name: str) -> bool:
        """Return whether a method masks the column."""

    @abstractmethod
    def has_numbers(self, name: str) -> bool:
        """Return whether the column holds numbers, and neither dates nor categories."""

    @abstractmethod
    def has_dates(self, name: str) -> bool:
        """Return whether the column holds moments."""

    @abstractmethod
    def can_have_rest(self, name: str) -> bool:
        """Return whether what is left of the column by others could be masked in its place."""

    @cached_property
    def _distinct(self) -> dict[str, int]:
        return {}

    @cached_property
    def _units(self) -> dict[str, float]:
        return {}

    @cached_property
    def sample(self) -> Rows:
        """Some random rows, in order; all where there are few."""
        if self.rows <= SAMPLE:
            return np.arange(self.rows)
        drawn = _STREAM.stream("sample").integers(0, self.rows, SAMPLE)
        return np.unique(drawn)

    def unit(self, name: str) -> float:
        """The smallest decimal unit that the values of a column show; 0 if they show none."""
        if name not in self._units:
            self._units[name] = find_unit(self.quantities(name))
        return self._units[name]

    def distinct(self, name: str) -> int:
        """The number of distinct values; missing is not counted."""
        if name not in self._distinct:
            counts = np.bincount(self.codes(name))
            self._distinct[name] = int(np.count_nonzero(counts[1:]))
        return self._distinct[name]

    def missing(self, name: str) -> int:
        """Return the number of rows that miss the value."""
        return int(np.count_nonzero(self.codes(name) == 0))

    def list_quantities(self, leave_out: Collection[str]) -> list[str]:
        """Columns of numbers that vary and that a method masks, without some."""
        return [name for name in self._list_varied(leave_out) if self.has_numbers(name)]

    def list_dates(self, leave_out: Collection[str] = ()) -> list[str]:
        """Columns of moments that vary and that a method masks, without some."""
        return [name for name in self._list_varied(leave_out) if self.has_dates(name)]

    def _list_varied(self, leave_out: Collection[str]) -> list[str]:
        return [
            name
            for name in self.names
            if name not in leave_out and self.is_masked(name) and self.distinct(name) > 1
        ]

    def determines(self, one: str, other: str, rows: Rows | None = None) -> bool:
        """Return whether rows that agree in one column agree in the other."""
        return self.count_exceptions(one, other, rows) == 0

    def count_exceptions(self, one: str, other: str, rows: Rows | None = None) -> int:
        """Rows that differ in `other` from the last row with the same value in `one`."""
        key, value = self.codes(one), self.codes(other)
        if rows is not None:
            key, value = key[rows], value[rows]
        last = np.zeros(self.room(one), np.int32)
        last[key] = value
        return int(np.count_nonzero(last[key] != value))

    def count_followers(self, one: str, other: str, rows: Rows | None = None) -> int:
        """Rows that have in `other` what most rows with the same value in `one` have there."""
        key, value = self.codes(one), self.codes(other)
        if rows is not None:
            key, value = key[rows], value[rows]
        pairs, counts = np.unique(key.astype(np.int64) * self.room(other) + value,
                                  return_counts=True)  # fmt: skip
        most = np.zeros(self.room(one), np.int64)
        np.maximum.at(most, pairs // self.room(other), counts)
        return int(most.sum())


def find_unit(numbers: Floats) -> float:
    """The smallest decimal unit that numbers show; 0 if they show none in particular.

    >>> find_unit(np.array([12.5, np.nan, 3.25])), find_unit(np.array([1 / 3]))
    (0.01, 0.0)
    """
    there = numbers[np.abs(numbers) < WHOLE]
    for digits in range(DIGITS + 1):
        shifted = there * 10.0**digits
        if np.abs(shifted - np.rint(shifted)).max(initial=0.0) <= 1e-6 * 10.0 ** (digits / 2):
            return 10.0**-digits
    return 0.0
