"""The columns of a table as those see them who look for what they mean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.core.base.seeds import Seed
from swapmeet.core.tables.arrow import Family, seconds_of
from swapmeet.core.tables.missing_codes import blank_values, flag_codes
from swapmeet.core.tables.role import Role
from swapmeet.core.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import numpy.typing as npt

    from swapmeet.core.tables.frame import Table
    from swapmeet.core.tables.schema import Schema
    from swapmeet.inspecting.finding import Finding

    Codes = npt.NDArray[np.int32]
    Floats = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int64]

SAMPLE = 5_000
"""So many random rows are looked at before all."""
NUMBERS = {Family.INTEGER, Family.FLOAT, Family.DECIMAL}
DAY = 86_400.0
DIGITS = 6
"""So many decimals count; a column with more shows none in particular."""
WHOLE = 2.0**53
"""Doubles from here on have no decimals."""
_STREAM = Seed(bytes(32)).within("inspect")
"""Not a secret: the same table gives the same findings."""


@dataclass(frozen=True, repr=False, eq=False)
class Columns:
    """The published columns of a table whose values compare, as codes and as numbers.

    A missing value is a value of its own (code 0); codes that stand for one count as such.
    `labels` are those of values, by column, where the file has some, and `titles` those of columns.
    """

    table: Table
    schema: Schema
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    _codes: dict[str, Codes] = field(default_factory=dict)
    _numbers: dict[str, Floats] = field(default_factory=dict)
    _distinct: dict[str, int] = field(default_factory=dict)
    _units: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Columns of {self.rows} rows>"

    def declare(self, codes: Iterable[Finding]) -> Columns:
        """The same columns, with the codes that were found for missing values counted as such."""
        found = {one.columns[0]: one.codes for one in codes if one.codes}
        if not found:
            return self
        schema = replace(
            self.schema,
            columns=tuple(
                replace(column, missing=(*column.missing, *found.get(column.name, ())))
                for column in self.schema
            ),
        )
        return Columns(self.table, schema, self.labels, self.titles)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.table)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        beyond = {Family.MIXED, Family.NESTED, Family.EMPTY}
        return tuple(
            column.name
            for column in self.schema
            if column.role is not Role.DROP and self.table.family(column.name) not in beyond
        )

    @cached_property
    def sample(self) -> Rows:
        """Some random rows, in order; all where there are few."""
        if self.rows <= SAMPLE:
            return np.arange(self.rows)
        drawn = _STREAM.stream("sample").integers(0, self.rows, SAMPLE)
        return np.unique(drawn)

    def codes(self, name: str) -> Codes:
        """The values as numbers from 0 to `levels` - 1; 0 is missing."""
        if name not in self._codes:
            found = self.table.codes(name)
            self._codes[name] = blank_values(found.codes, self._flags(name)) + 1
        return self._codes[name]

    def numbers(self, name: str) -> Floats:
        """The values as doubles, NaN where missing."""
        if name not in self._numbers:
            values = self.table.numbers(name)
            self._numbers[name] = blank_values(values, self._flags(name))
        return self._numbers[name]

    def quantities(self, name: str) -> Floats:
        """Numbers as they are reckoned with: moments as days."""
        seconds = seconds_of(self.table.plain(name))
        numbers = self.numbers(name)
        return numbers if seconds is None else numbers * (seconds / DAY)

    def unit(self, name: str) -> float:
        """The smallest decimal unit that the values of a column show; 0 if they show none."""
        if name not in self._units:
            self._units[name] = find_unit(self.quantities(name))
        return self._units[name]

    def room(self, name: str) -> int:
        """A number above all codes of the column."""
        return self.table.codes(name).levels + 1

    def distinct(self, name: str) -> int:
        """How many values there are, missing not counted."""
        if name not in self._distinct:
            counts = np.bincount(self.codes(name))
            self._distinct[name] = int(np.count_nonzero(counts[1:]))
        return self._distinct[name]

    def missing(self, name: str) -> int:
        """How many rows miss the value."""
        return int(np.count_nonzero(self.codes(name) == 0))

    def has_numbers(self, name: str) -> bool:
        """Whether the column holds numbers, and neither dates nor categories."""
        return self.table.family(name) in NUMBERS

    def list_quantities(self, leave_out: Collection[str]) -> list[str]:
        """Columns of numbers that vary and that a method masks, without some."""
        return [
            name
            for name in self.names
            if name not in leave_out
            and self.has_role(name, Role.KEY, Role.SENSITIVE)
            and self.has_numbers(name)
            and self.distinct(name) > 1
        ]

    def list_dates(self, leave_out: Collection[str] = ()) -> list[str]:
        """Columns of moments that vary and that a method masks, without some."""
        return [
            name
            for name in self.names
            if name not in leave_out
            and self.has_role(name, Role.KEY, Role.SENSITIVE)
            and seconds_of(self.table.plain(name)) is not None
            and self.distinct(name) > 1
        ]

    def can_have_rest(self, name: str) -> bool:
        """Whether what is left of the column by others could be masked in its place."""
        return self.schema[name].kind is not Kind.NOMINAL

    def has_role(self, name: str, *roles: Role) -> bool:
        """Whether the column was given one of these roles."""
        return self.schema[name].role in roles

    def is_identifier(self, name: str) -> bool:
        """Whether it looks like a direct identifier of people."""
        return bool(self.schema[name].identifier)

    def determines(self, one: str, other: str, rows: Rows | None = None) -> bool:
        """Whether rows that agree in one column agree in the other."""
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

    def _flags(self, name: str) -> npt.NDArray[np.bool_]:
        codes = self.schema[name].missing
        return flag_codes(self.table.cells(name), codes) if codes else np.zeros(1, bool)


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
