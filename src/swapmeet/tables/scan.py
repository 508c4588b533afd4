"""Facts of a whole table that comes piece by piece: its columns, levels and strata."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from swapmeet.errors import TableError
from swapmeet.tables.arrow import codes_of, grain_of, numbers_of, set_arrow_columns, to_dictionary
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.missing_codes import blank_values, flag_codes
from swapmeet.tables.schema import Column, Kind, Role, Schema
from swapmeet.tables.statistics import ColumnStatistics, PartialStatistics
from swapmeet.tables.ties import find_sets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.base.arrays import Flags, Ints, ShortInts, Values
    from swapmeet.tables.rests import Rests


class CombinationCounts:
    """Counts of rows that have each combination of codes, as far as seen."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.counts: Counter[tuple[int, ...]] = Counter()

    def __repr__(self) -> str:
        return f"<Combinations: {len(self.counts)}>"

    def add(self, codes: Sequence[ShortInts], rows: int) -> None:
        """Count some rows, given by the codes of each column."""
        combined = np.zeros(rows, np.int64)
        for column in codes:
            combined = combined * (int(column.max(initial=0)) + 2) + column + 1
            combined = np.unique(combined, return_inverse=True)[1]
        first, counts = np.unique(combined, return_index=True, return_counts=True)[1:]
        combinations = zip(*(column[first].tolist() for column in codes), strict=True)
        keys = list(combinations) if codes else [()]
        self.counts.update(dict(zip(keys, counts.tolist(), strict=True)))


@dataclass(frozen=True, repr=False, eq=False)
class Strata:
    """The size of each stratum, numbered as `Microdata` numbers those of a whole table.

    >>> seen = CombinationCounts(2)
    >>> seen.add([np.array([0, 1, 0], np.int32), np.array([1, -1, 0], np.int32)], 3)
    >>> strata = Strata.of(seen)
    >>> strata.numbers([np.array([1, 0], np.int32), np.array([-1, 1], np.int32)], 2).tolist()
    [2, 1]
    """

    sizes: Ints
    known: tuple[Ints, ...]
    radices: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<Strata: {len(self.sizes)}>"

    @classmethod
    def of(cls, seen: CombinationCounts) -> Self:
        """Count those of all rows."""
        ordered = sorted(seen.counts)
        sizes = np.array([seen.counts[key] for key in ordered], np.int64)
        keys = np.array(ordered, np.int64).reshape(len(ordered), seen.columns)
        radices = tuple(int(column.max(initial=0)) + 2 for column in keys.T)
        known, combined = [], np.zeros(len(keys), np.int64)
        for column, radix in zip(keys.T, radices, strict=True):
            prefixes, combined = np.unique(combined * radix + column + 1, return_inverse=True)
            known.append(prefixes)
        return cls(sizes, tuple(known), radices)

    def numbers(self, codes: Sequence[ShortInts], rows: int) -> ShortInts:
        """The stratum of each of some rows."""
        combined = np.zeros(rows, np.int64)
        for column, known, radix in zip(codes, self.known, self.radices, strict=True):
            combined = np.searchsorted(known, combined * radix + column + 1)
        return combined.astype(np.int32)


class Coding:
    """The levels met so far, numbered by first appearance (categories: by their own order).

    >>> import pyarrow as pa
    >>> coding = Coding()
    >>> coding.learn(pa.array(["b", "a", "b"])).tolist()
    [0, 1, 0]
    >>> coding.learn(pa.array(["c", None, "a"])).tolist()
    [2, -1, 1]
    """

    def __init__(self) -> None:
        self.levels: Any = None

    def __repr__(self) -> str:
        return f"<Coding of {len(self)} levels>"

    def __len__(self) -> int:
        return 0 if self.levels is None else len(self.levels)

    @property
    def bytes(self) -> int:
        """Return the bytes that the levels take."""
        return 0 if self.levels is None else int(self.levels.nbytes)

    def learn(self, column: Any) -> ShortInts:
        """The codes of some rows; levels not met before get the next numbers."""
        return self._codes(column, learning=True)

    def codes(self, column: Any) -> ShortInts:
        """The codes of some rows whose levels have been met."""
        return self._codes(column, learning=False)

    def _codes(self, column: Any, *, learning: bool) -> ShortInts:
        if pt.is_null(column.type):
            return np.full(len(column), -1, np.int32)
        column = to_dictionary(column)
        if learning:
            self._add(column.dictionary)
        return self._places(column.dictionary)[codes_of(column).codes]

    def _add(self, words: Any) -> None:
        import pyarrow.compute as pc

        if self.levels is None:
            self.levels = words
            return
        fresh = words.filter(pc.is_null(pc.index_in(words, value_set=self.levels)))
        if len(fresh):
            self.levels = pa.concat_arrays([self.levels, fresh])

    def _places(self, words: Any) -> ShortInts:
        """The number of each word; the last is for what is missing."""
        import pyarrow.compute as pc

        places = np.full(len(words) + 1, -1, np.int32)
        places[:-1] = pc.index_in(words, value_set=self.levels).to_numpy(zero_copy_only=False)
        return places


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
        has_levels = self._is_masked and column.kind is Kind.NOMINAL
        self.coding = Coding() if self.is_dictionary or self.is_stratum or has_levels else None
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
        part = PartialStatistics.of(values, self._kind)
        self.gathered = part if self.gathered is None else self.gathered + part
        if self._is_moment and part.missing < part.rows:
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
