"""Scan of a column that comes piece by piece."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.types as pt

from swapmeet.errors import TableError
from swapmeet.tables.arrow import grain_of, numbers_of
from swapmeet.tables.missing_codes import blank_values, flag_codes
from swapmeet.tables.scan.coding import Coding
from swapmeet.tables.schema import Kind, Role
from swapmeet.tables.statistics import PartialStatistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Flags, Ints, ShortInts, Values
    from swapmeet.tables.schema import Column, Schema


LAST = np.iinfo(np.int64).max


class ColumnScan:
    """Scan of a column; `first` has the first row of each level, if rows have numbers."""

    def __repr__(self) -> str:
        return f"<ColumnScan {self.name!r}>"

    def __init__(self, column: Column, kind: Any) -> None:
        self.name = column.name
        self._kind = column.kind
        self._missing = column.missing
        self._is_masked = column.role.masked
        self._is_moment = pt.is_timestamp(kind)
        self.is_stratum = column.role is Role.STRATA
        self.is_dictionary = pt.is_dictionary(kind)
        told = self._is_masked and column.kind is Kind.NOMINAL
        self.coding = Coding() if self.is_dictionary or self.is_stratum or told else None
        self.codes: ShortInts = np.empty(0, np.int32)
        self.gathered: PartialStatistics | None = None
        self.used = np.zeros(0, bool)
        self.first = np.empty(0, np.int64)
        self.grain = 0

    @property
    def is_needed(self) -> bool:
        """Return whether anything of this column must be known."""
        return self._is_masked or self.coding is not None

    def look(self, table: Any, rows: Ints | None = None) -> None:
        """See some rows; where they come in any order, their numbers tell the first of a level."""
        cells = table[self.name].combine_chunks()
        codes = None
        if self.coding is not None:
            self.codes = codes = self.coding.learn(cells)
            if rows is not None:
                self._date(codes, rows)
        if self.is_dictionary:
            self._use(self.codes)
        if self._is_masked:
            self._gather(cells, codes)

    def used_levels(self) -> Flags:
        """Flag the levels that are used; those met last may be in no row."""
        levels = 0 if self.coding is None else len(self.coding)
        return np.pad(self.used, (0, levels - len(self.used)))

    def _use(self, codes: ShortInts) -> None:
        self.used = self.used_levels()
        self.used[codes[codes >= 0]] = True

    def _date(self, codes: ShortInts, rows: Ints) -> None:
        fresh = len(self.coding or ()) - len(self.first)
        self.first = np.append(self.first, np.full(fresh, LAST))
        present = codes >= 0
        np.minimum.at(self.first, codes[present], rows[present])

    def _gather(self, cells: Any, codes: ShortInts | None) -> None:
        values = values_of(cells, self._kind, codes)
        if self._missing:
            values = blank_values(values, flag_codes(cells, self._missing))
        found = PartialStatistics.of(values, self._kind)
        self.gathered = found if self.gathered is None else self.gathered + found
        if self._is_moment and found.missing < found.rows:
            self.grain = gcd(self.grain, grain_of(cells))


def values_of(cells: Any, kind: Kind, codes: ShortInts | None) -> Values:
    """As `Microdata` has them: codes if nominal, else numbers."""
    if codes is None:
        return numbers_of(cells)
    if kind is Kind.NOMINAL:
        return codes
    return np.where(codes < 0, np.nan, codes).astype(np.float64)


def columns_to_scan(schema: Schema, types: Any) -> list[ColumnScan]:
    """The columns to look at, of a table whose Arrow schema is `types`."""
    wanted = [ColumnScan(schema[name], types.field(name).type) for name in schema.published]
    return [column for column in wanted if column.is_needed]


def require_few_levels(columns: Sequence[ColumnScan], limit: int) -> None:
    """Refuse a column whose levels take more bytes than `limit`."""
    many = [c for c in columns if c.coding is not None and c.coding.bytes > limit]
    if many:
        raise TableError(
            f"column {many[0].name!r} has more distinct values than the memory holds "
            f"({len(many[0].coding or ())} so far). Give it the role keep or drop, or raise the "
            "memory."
        )
