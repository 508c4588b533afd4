"""The first pass over a file: what must be known of the whole before a block is masked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from swapmeet.arrow import grain_of, numbers_of
from swapmeet.errors import TableError
from swapmeet.facts import Gathering
from swapmeet.microdata import Microdata, Variable
from swapmeet.schema import Kind, Role
from swapmeet.streaming.coding import Coding
from swapmeet.streaming.strata import Combinations, Strata

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from swapmeet.blocks import Workers
    from swapmeet.facts import ColumnFacts
    from swapmeet.schema import Column, Schema
    from swapmeet.streaming.source import ParquetSource

    Values = npt.NDArray[Any]


@dataclass(frozen=True, repr=False, eq=False)
class Survey:
    """Facts, levels and strata of a whole file; `grains` has what moments are multiples of.

    `used` has, for each column of categories, which of them some row has.
    """

    schema: Schema
    rows: int
    facts: Mapping[str, ColumnFacts]
    codings: Mapping[str, Coding]
    strata: Strata
    grains: Mapping[str, int]
    used: Mapping[str, npt.NDArray[np.bool_]]

    def __repr__(self) -> str:
        return f"<Survey of {self.rows} rows>"

    def stratum(self, table: Any) -> npt.NDArray[np.int32]:
        """The stratum of each row of a piece of the file."""
        names = self.schema.having(Role.STRATA)
        codes = [self._codes(name, table[name].combine_chunks()) for name in names]
        return self.strata.numbers(codes, len(table))

    def packed(self, table: Any) -> Any:
        """A piece of the file with the codes of categories in their place."""
        for name in self.used.keys() & set(table.column_names):
            codes = self._codes(name, table[name].combine_chunks())
            place = table.column_names.index(name)
            table = table.set_column(place, name, pa.array(codes, mask=codes < 0))
        return table

    def microdata(self, table: Any, *, as_in_the_whole: bool = False) -> Microdata:
        """What a method sees of a piece; its strata are numbered anew, or as in the file."""
        variables = tuple(self._variable(table, self.schema[name]) for name in self.schema.masked)
        strata = self.stratum(table)
        if not as_in_the_whole:
            strata = np.unique(strata, return_inverse=True)[1].astype(np.int32)
        return Microdata(variables, strata)

    def _variable(self, table: Any, column: Column) -> Variable:
        name, kind = column.name, column.kind
        cells = table[name].combine_chunks()
        codes = self._codes(name, cells) if name in self.codings else None
        levels = len(self.codings[name]) if kind is Kind.NOMINAL else 0
        values = _values(cells, kind, codes)
        return Variable(name, kind, values, levels, column.role, whole=self.facts[name])

    def _codes(self, name: str, cells: Any) -> npt.NDArray[np.int32]:
        if name in self.used and not pt.is_dictionary(cells.type):
            return np.asarray(cells.fill_null(-1).to_numpy(zero_copy_only=False), np.int32)
        return self.codings[name].codes(cells)


def survey(
    source: ParquetSource, schema: Schema, piece_rows: int, limit: int, workers: Workers
) -> Survey:
    """Read all rows once, but only the columns that tell something."""
    wanted = [_Column(schema[name], source.schema.field(name).type) for name in schema.published]
    wanted = [column for column in wanted if column.tells]
    seen = Combinations(len(schema.having(Role.STRATA)))
    done = 0
    with ThreadPoolExecutor(workers.threads) as pool:
        for _, table in source.pieces([column.name for column in wanted], piece_rows):
            list(pool.map(lambda column, part=table: column.look(part), wanted))
            seen.add([column.codes for column in wanted if column.is_stratum], len(table))
            _require_few_levels(wanted, limit)
            done += len(table)
            workers.progress("surveying", done, source.rows)
    return Survey(
        schema=schema,
        rows=done,
        facts={c.name: c.gathered.facts() for c in wanted if c.gathered is not None},
        codings={c.name: c.coding for c in wanted if c.coding is not None},
        strata=Strata.of(seen),
        grains={c.name: c.grain for c in wanted if c.grain},
        used={c.name: c.padded() for c in wanted if c.is_dictionary},
    )


class _Column:
    """What was seen of a column."""

    def __init__(self, column: Column, kind: Any) -> None:
        self.name = column.name
        self._kind = column.kind
        self._is_masked = column.role.masked
        self._is_moment = pt.is_timestamp(kind)
        self.is_stratum = column.role is Role.STRATA
        self.is_dictionary = pt.is_dictionary(kind)
        told = self._is_masked and column.kind is Kind.NOMINAL
        self.coding = Coding() if self.is_dictionary or self.is_stratum or told else None
        self.codes: npt.NDArray[np.int32] = np.empty(0, np.int32)
        self.gathered: Gathering | None = None
        self.used = np.zeros(0, bool)
        self.grain = 0

    @property
    def tells(self) -> bool:
        return self._is_masked or self.coding is not None

    def look(self, table: Any) -> None:
        cells = table[self.name].combine_chunks()
        codes = None
        if self.coding is not None:
            self.codes = codes = self.coding.learned(cells)
        if self.is_dictionary:
            self._use(self.codes)
        if self._is_masked:
            self._gather(cells, codes)

    def padded(self) -> npt.NDArray[np.bool_]:
        """Which levels are used; those met last may be in no row."""
        levels = 0 if self.coding is None else len(self.coding)
        return np.pad(self.used, (0, levels - len(self.used)))

    def _use(self, codes: npt.NDArray[np.int32]) -> None:
        self.used = self.padded()
        self.used[codes[codes >= 0]] = True

    def _gather(self, cells: Any, codes: npt.NDArray[np.int32] | None) -> None:
        found = Gathering.of(_values(cells, self._kind, codes), self._kind)
        self.gathered = found if self.gathered is None else self.gathered + found
        if self._is_moment and found.missing < found.rows:
            self.grain = gcd(self.grain, grain_of(cells))


def _values(cells: Any, kind: Kind, codes: npt.NDArray[np.int32] | None) -> Values:
    """As `Microdata` has them: codes if nominal, else numbers."""
    if codes is None:
        return numbers_of(cells)
    if kind is Kind.NOMINAL:
        return codes
    return np.where(codes < 0, np.nan, codes).astype(np.float64)


def _require_few_levels(columns: list[_Column], limit: int) -> None:
    many = [c for c in columns if c.coding is not None and c.coding.bytes > limit]
    if many:
        raise TableError(
            f"column {many[0].name!r} has more distinct values than the memory holds "
            f"({len(many[0].coding or ())} so far). Give it the role keep or drop, or raise the "
            "memory."
        )
