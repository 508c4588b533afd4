"""Columns as the inspection sees them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.tables.arrow import CellType, seconds_of
from swapmeet.tables.missing_codes import blank_values, flag_codes
from swapmeet.tables.role import Role
from swapmeet.tables.schema import Kind, Schema
from swapmeet.ties.finding import ColumnView, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from swapmeet.base.arrays import Flags, Floats, ShortInts
    from swapmeet.tables.frame import Table

NUMBERS = {CellType.INTEGER, CellType.FLOAT, CellType.DECIMAL}
DAY = 86_400.0
TEXTS = 1_000
"""So many texts of a column show what they are."""


@dataclass(frozen=True, repr=False, eq=False)
class Columns(ColumnView):
    """The published columns of a table whose values compare, as codes and as numbers.

    A missing value is a value of its own (code 0); codes that stand for one count as such.
    `labels` are those of values, by column, where the file has some, and `titles` those of columns.
    """

    table: Table
    schema: Schema
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    _codes: dict[str, ShortInts] = field(default_factory=dict)
    _numbers: dict[str, Floats] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Columns of {self.rows} rows>"

    def declare(self, codes: Iterable[Finding]) -> Columns:
        """The same columns, with the codes that were found for missing values counted as such."""
        missing = {one.columns[0]: one.codes for one in codes if one.codes}
        if not missing:
            return self
        schema = replace(
            self.schema,
            columns=tuple(
                replace(column, missing=(*column.missing, *missing.get(column.name, ())))
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
        beyond = {CellType.MIXED, CellType.NESTED, CellType.EMPTY}
        return tuple(
            column.name
            for column in self.schema
            if column.role is not Role.DROP and self.table.family(column.name) not in beyond
        )

    @property
    def all_names(self) -> tuple[str, ...]:
        """These and all others of the table."""
        return self.table.names

    def codes(self, name: str) -> ShortInts:
        """The values as numbers from 0 to `levels` - 1; 0 is missing."""
        if name not in self._codes:
            column = self.table.codes(name)
            self._codes[name] = blank_values(column.codes, self._flags(name)) + 1
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

    def room(self, name: str) -> int:
        """A number above all codes of the column."""
        return self.table.codes(name).levels + 1

    def has_numbers(self, name: str) -> bool:
        """Return whether the column holds numbers, and neither dates nor categories."""
        return self.table.family(name) in NUMBERS

    def has_dates(self, name: str) -> bool:
        """Return whether the column holds moments."""
        return seconds_of(self.table.plain(name)) is not None

    def is_masked(self, name: str) -> bool:
        """Return whether a method masks the column, by its role."""
        return self.has_role(name, Role.KEY, Role.SENSITIVE)

    def can_have_rest(self, name: str) -> bool:
        """Return whether what is left of the column by others could be masked in its place."""
        return self.schema[name].kind is not Kind.NOMINAL

    def has_role(self, name: str, *roles: Role) -> bool:
        """Return whether the column was given one of these roles."""
        return self.schema[name].role in roles

    def texts(self, name: str) -> list[str]:
        """Some of the texts of a column, each once, without blanks around them."""
        levels = self.table.codes(name).dictionary
        return [str(text).strip() for text in levels[:TEXTS].to_pylist() if text is not None]

    def is_identifier(self, name: str) -> bool:
        """Return whether it looks like a direct identifier of people."""
        return bool(self.schema[name].identifier)

    def _flags(self, name: str) -> Flags:
        codes = self.schema[name].missing
        return flag_codes(self.table.cells(name), codes) if codes else np.zeros(1, bool)
