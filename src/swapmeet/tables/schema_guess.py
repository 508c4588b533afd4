"""Kinds of the columns of a table that is too large to look at as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.tables.arrow import CellType, numbers_of
from swapmeet.tables.column import FEW, Column, Kind, guess_integer_kind
from swapmeet.tables.identifiers import JUDGED_ROWS
from swapmeet.tables.missing_codes import flag_codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.base.arrays import Floats
    from swapmeet.tables.frame import Table
    from swapmeet.tables.schema import Schema

HEAD = JUDGED_ROWS
"""So many rows are looked at before all."""
FIRST = 1024
"""... if its schema is known, and looking is dear."""
INFERRED = (
    "kinds of columns were inferred from all rows, and what looks like an identifier from the "
    f"first {HEAD}."
)


def uncertain_columns(guessed: Schema, head: Table) -> list[str]:
    """Integers that have few distinct values among the first rows, but may have more in all."""
    return [
        column.name
        for column in guessed
        if head.family(column.name) is CellType.INTEGER and column.kind is Kind.NOMINAL
    ]


def correct_kinds(guessed: Schema, many: set[str]) -> Schema:
    """The schema when some columns turn out to have many distinct values."""
    columns = tuple(
        replace(c, kind=Kind.NUMERIC, reason="integers") if c.name in many else c for c in guessed
    )
    return replace(guessed, columns=columns)


def reconsider_kinds(schema: Schema, table: Table) -> Schema:
    """The schema, with kinds as they are guessed once codes for missing values count as missing.

    >>> import pandas as pd
    >>> from swapmeet.tables.frame import Table
    >>> from swapmeet.tables.schema import Schema
    >>> grades = Table(pd.DataFrame({"grade": [*range(1, 11), 99] * 3}))
    >>> guessed = Schema.guess(grades, {}).assign(missing=99)
    >>> [(str(schema["grade"].kind)) for schema in (guessed, reconsider_kinds(guessed, grades))]
    ['numeric', 'nominal']
    """
    return replace(schema, columns=tuple(_reconsider(column, table) for column in schema))


def _reconsider(column: Column, table: Table) -> Column:
    if not column.missing or not column.reason.startswith("integers with"):
        return column
    levels = table.codes(column.name).dictionary
    codes = 0 if levels is None else int(flag_codes(levels, column.missing).sum())
    return guess_integer_kind(column, table.codes(column.name).levels - codes, len(table))


class FewValues:
    """The distinct values of some integer columns, until they are more than a few.

    >>> import pyarrow as pa
    >>> seen = FewValues(["a", "b"])
    >>> seen.add(pa.table({"a": [1, 2, 1], "b": [1, 2, 3]}))
    >>> seen.add(pa.table({"a": [2, 2, 2], "b": [4, 5, 6]}))
    >>> seen.add(pa.table({"a": [1] * 5, "b": [7, 8, 9, 10, 11]}))
    >>> seen.many
    {'b'}
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.values: dict[str, Floats] = {name: np.empty(0) for name in names}

    def __repr__(self) -> str:
        return f"<FewValues of {len(self.values)} columns>"

    @property
    def many(self) -> set[str]:
        """The columns that have more than a few."""
        return {name for name, values in self.values.items() if len(values) > FEW}

    @property
    def is_decided(self) -> bool:
        """Return whether there is nothing more to find out."""
        return len(self.many) == len(self.values)

    def add(self, table: Any) -> None:
        """See some rows."""
        for name in self.values.keys() - self.many:
            numbers = numbers_of(table[name].combine_chunks())
            self.merge({name: numbers[~np.isnan(numbers)]})

    def merge(self, values: Mapping[str, Floats]) -> None:
        """Add values that were seen elsewhere."""
        for name, numbers in values.items():
            self.values[name] = np.union1d(self.values[name], numbers)[: FEW + 1]
