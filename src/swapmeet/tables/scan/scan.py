"""Facts about a whole table that must be known before a block of it is masked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from swapmeet.tables.arrow import set_arrow_columns
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.missing_codes import blank_values, flag_codes
from swapmeet.tables.scan.column import values_of
from swapmeet.tables.schema import Kind, Role
from swapmeet.tables.ties import find_sets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.base.arrays import Flags, ShortInts
    from swapmeet.tables.rests import Rests
    from swapmeet.tables.scan.coding import Coding
    from swapmeet.tables.scan.strata import Strata
    from swapmeet.tables.schema import Column, Schema
    from swapmeet.tables.statistics import ColumnStatistics


@dataclass(frozen=True, repr=False, eq=False)
class Scan:
    """Facts, levels and strata of a whole file; `grains` has what moments are multiples of.

    `used` has, for each column of categories, which of them some row has.
    """

    schema: Schema
    rows: int
    statistics: Mapping[str, ColumnStatistics]
    codings: Mapping[str, Coding]
    strata: Strata
    grains: Mapping[str, int]
    used: Mapping[str, Flags]
    rests: Rests | None = None

    def __repr__(self) -> str:
        return f"<Scan of {self.rows} rows>"

    def stratum(self, table: Any) -> ShortInts:
        """The stratum of each row of a piece of the file."""
        names = self.schema.having(Role.STRATA)
        codes = [self._codes(name, table[name].combine_chunks()) for name in names]
        return self.strata.numbers(codes, len(table))

    def packed(self, table: Any) -> Any:
        """A piece of the file with the codes of categories in their place."""
        packed = {}
        for name in self.used.keys() & set(table.column_names):
            codes = self._codes(name, table[name].combine_chunks())
            packed[name] = (pa.field(name, pa.int32()), pa.array(codes, mask=codes < 0))
        return set_arrow_columns(table, packed)

    def microdata(self, table: Any, *, as_in_the_whole: bool = False) -> Microdata:
        """Return a piece as a method sees it; its strata are numbered anew, or as in the whole."""
        variables = tuple(self._variable(table, self.schema[name]) for name in self.schema.masked)
        strata = self.stratum(table)
        if not as_in_the_whole:
            strata = np.unique(strata, return_inverse=True)[1].astype(np.int32)
        data = Microdata(variables, strata, together=find_sets(self.schema))
        if not self.rests:
            return data
        levels = {name: self.codings[name].levels for name in self.used}
        return self.rests.put_into(data, Table(table), levels, in_part=True)

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that a method and its strata need, and what rests follow from."""
        parents = self.rests.parents if self.rests else ()
        return tuple(
            dict.fromkeys((*self.schema.masked, *self.schema.having(Role.STRATA), *parents))
        )

    def _variable(self, table: Any, column: Column) -> Variable:
        name, kind = column.name, column.kind
        cells = table[name].combine_chunks()
        codes = self._codes(name, cells) if name in self.codings else None
        levels = len(self.codings[name]) if kind is Kind.NOMINAL else 0
        values = values_of(cells, kind, codes)
        if column.missing:
            values = blank_values(values, self._flag_missing(column, cells, codes))
        return Variable(name, kind, values, levels, column.role, whole=self.statistics[name])

    def _flag_missing(self, column: Column, cells: Any, codes: ShortInts | None) -> Flags:
        """Rows whose cell is a code for a missing value; cells may be those of a packed piece."""
        if codes is None:
            return flag_codes(cells, column.missing)
        levels = flag_codes(self.codings[column.name].levels, column.missing)
        return np.append(levels, False)[codes]

    def _codes(self, name: str, cells: Any) -> ShortInts:
        if name in self.used and not pt.is_dictionary(cells.type):
            return np.asarray(cells.fill_null(-1).to_numpy(zero_copy_only=False), np.int32)
        return self.codings[name].codes(cells)
