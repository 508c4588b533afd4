"""An original and its release, read piece by piece and put on a store, row beside row."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from swapmeet.engines.files.compare import (
    ORIGINAL,
    PERSON,
    RELEASED,
    ColumnStore,
    FileComparison,
    head,
)
from swapmeet.engines.files.needs import ComparisonNeeds
from swapmeet.engines.files.opening import PIECE
from swapmeet.engines.files.spill import Spill, private_folder
from swapmeet.engines.provenance import find_provenance
from swapmeet.errors import TableError, UsageError
from swapmeet.io.delimited.values import has_guards
from swapmeet.measures.matching import find_owners, find_ownership
from swapmeet.release.fingerprint import RowPrinter, RowPrints
from swapmeet.release.record_check import check_record
from swapmeet.tables.arrow import CellType, numbers_of
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.missing_codes import blank_values, flag_codes
from swapmeet.tables.scan import Coding
from swapmeet.tables.schema import Column, Kind
from swapmeet.tables.statistics import PartialStatistics

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from swapmeet.base.arrays import Rows, Values
    from swapmeet.base.parallel import Workers
    from swapmeet.comparison.comparison import Ownership
    from swapmeet.engines.protocol import Request
    from swapmeet.io.format import Source
    from swapmeet.release.provenance import Provenance


@contextmanager
def pair_sources(
    limit: int, original: Source, released: Source, request: Request
) -> Iterator[FileComparison]:
    """A comparison of two files within `limit` bytes of memory; columns lie on the disk."""
    columns, workers = request.columns, request.workers
    needs = ComparisonNeeds.of(original, columns, audited=request.audit is not None)
    needs.require_memory(limit)
    needs.require_disk(original.path)
    piece_rows = needs.piece_rows(limit)
    matched = _match_rows(original, released, request, piece_rows)
    with private_folder(original.path) as folder:
        store = ColumnStore(folder / "columns")
        pairing = FilePairing(
            original, released, columns, matched.places, piece_rows, limit // 8, workers
        )
        matched = matched._replace(places=None)
        one, other = pairing.onto(store, folder)
        del pairing
        yield FileComparison(
            one, other, request.masked, request.known, matched.ownership, request.at_most,
            workers.inside(), keys=request.keys, level=request.level,
            provenance=matched.provenance, notes=matched.notes,
            store=store, folder=folder, size=original.rows,
            piece_rows=piece_rows, room=needs.room(limit),
        )  # fmt: skip


class _Matched(NamedTuple):
    """For each original row the place of the released one that stands for it, and who says so."""

    places: Rows | None
    ownership: Ownership
    provenance: Provenance | None
    notes: tuple[str, ...]


class SourceRows(NamedTuple):
    """A released file whose rows are compared with those of an audit record, piece by piece."""

    source: Source
    piece_rows: int

    @property
    def names(self) -> list[str]:
        """Its columns."""
        return list(self.source.names)

    def print_rows(self, printer: RowPrinter) -> RowPrints:
        """The bits of all its rows."""
        pieces = self.source.pieces(printer.names, self.piece_rows)
        return RowPrints.join([printer.print_rows(Table(table)) for _, table in pieces])


def _match_rows(original: Source, released: Source, request: Request, piece_rows: int) -> _Matched:
    audit, match = request.read_audit(), request.match
    notes: tuple[str, ...] = ()
    if audit is not None:
        audit, notes = check_record(audit, SourceRows(released, piece_rows))
    places = find_owners(
        original.rows, released.rows, audit, match, lambda: _columns(original, released, match)
    )
    ownership = find_ownership(audit, match, request.known, request.masked)
    origin = find_provenance(audit, match)
    _refuse_dropped_columns(request.find_dropped(origin))
    return _Matched(places, ownership, origin, notes)


def _refuse_dropped_columns(columns: tuple[Column, ...]) -> None:
    """Refuse to measure without the dropped columns that intruders are taken to know."""
    if columns:
        raise UsageError(
            "assess: the method looked at columns that are not released "
            f"({', '.join(repr(column.name) for column in columns)}), and intruders may know them. "
            "Piece by piece they would seem weaker than they are: assess the tables in memory."
        )


def _columns(original: Source, released: Source, name: str) -> tuple[Table, Table]:
    """The column that identifies rows, of both files; all of the first rows, if there is none."""
    if name in original.names and name in released.names:
        return _whole_column(original, name), _whole_column(released, name)
    return Table(original.head), Table(released.head)


def _whole_column(source: Source, name: str) -> Table:
    pieces = [table for _, table in source.pieces([name], PIECE)]
    return Table(pa.concat_tables(pieces) if pieces else source.head)


@dataclass(frozen=True, repr=False, eq=False)
class FilePairing:
    """Two files whose rows are to stand side by side on a store.

    `places` has, for each original row, the number of the released row that stands for it; None
    where they are in the same order. The levels of a column may take `limit` bytes.
    """

    original: Source
    released: Source
    columns: tuple[Column, ...]
    places: Rows | None
    piece_rows: int
    limit: int
    workers: Workers

    def onto(self, store: ColumnStore, folder: Path) -> tuple[Microdata, Microdata]:
        """Put all rows on the store; the columns of both files, and what is known of them."""
        heads = Table(self.original.head), Table(self.released.head)
        readers = [_Reader(column, *heads) for column in self.columns]
        for _, columns in self._read(readers, self.original, ORIGINAL):
            for reader, values in zip(readers, columns, strict=True):
                store.append(ORIGINAL + reader.name, values)
        self._put_released(readers, store, folder)
        return tuple(
            head(reader.variable(side) for reader in readers) for side in (ORIGINAL, RELEASED)
        )  # type: ignore[return-value]

    def _read(
        self, readers: list[_Reader], source: Source, side: str
    ) -> Iterator[tuple[int, list[Values]]]:
        """The columns of each piece of a file, as numbers and codes."""
        names = [reader.name for reader in readers]
        with ThreadPoolExecutor(self.workers.threads) as pool:
            for begin, table in source.pieces(names, self.piece_rows):
                cells = [table[name].combine_chunks() for name in names]
                yield begin, list(pool.map(lambda r, c: r.values(c, side), readers, cells))
                _require_few_levels(readers, self.limit)
                self.workers.progress("reading", begin + len(table), source.rows)

    def _put_released(self, readers: list[_Reader], store: ColumnStore, folder: Path) -> None:
        pieces = self._read(readers, self.released, RELEASED)
        if self.places is not None:
            pieces = self._in_order(pieces, folder)
        for _, columns in pieces:
            for reader, values in zip(readers, columns, strict=True):
                store.append(RELEASED + reader.name, values)

    def _in_order(
        self, pieces: Iterator[tuple[int, list[Values]]], folder: Path
    ) -> Iterator[tuple[int, list[Values]]]:
        """The rows in the order of the people they stand for, by way of buckets on the disk."""
        assert self.places is not None
        people = np.empty(len(self.places), np.int64)
        people[self.places] = np.arange(len(people))
        count = -(-len(people) // self.piece_rows)
        buckets = Spill(folder / "buckets", count, self.workers.threads)
        for begin, columns in pieces:
            here = people[begin : begin + len(columns[0])]
            arrays = {str(place): pa.array(values) for place, values in enumerate(columns)}
            buckets.add(pa.table({**arrays, PERSON: pa.array(here)}), here // self.piece_rows)
        for number in range(count):
            table = buckets.bucket(number)
            order = np.argsort(table[PERSON].to_numpy())
            columns = [table[name].to_numpy()[order] for name in table.column_names[:-1]]
            yield number * self.piece_rows, columns
        buckets.discard()


class _Reader:
    """A column of both files as numbers, or as codes that are the same in both."""

    def __init__(self, column: Column, original: Table, released: Table) -> None:
        self.name, self._column = column.name, column
        self._tables = original, released
        self._is_nominal = column.kind is Kind.NOMINAL
        self._is_ordered = not self._is_nominal and original.is_ordered(self.name)
        kinds = [table.plain(self.name).type for table in self._tables]
        self._has_one_type = kinds[0] == kinds[1]
        self._kind = kinds[0]
        self.coding = Coding()
        self._gathered: dict[str, list[PartialStatistics]] = {ORIGINAL: [], RELEASED: []}
        self._had_guards = False

    def values(self, cells: Any, side: str) -> Values:
        """Some rows, which are looked at besides."""
        try:
            values = self._values(cells, side)
        except pa.ArrowException:
            one, other = (table.family(self.name) for table in self._tables)
            raise TableError(
                f"column {self.name!r} holds {one} in the original and {other} in the release. "
                "Read both files in the same way."
            ) from None
        gathered = self._gathered[side]
        gathered.append(PartialStatistics.of(values, self._column.kind))
        gathered[:] = [reduce(add, gathered)]
        return values

    def variable(self, side: str) -> Variable:
        """The column without rows, with what is known of all."""
        column = self._column
        empty = np.empty(0, np.int32 if self._is_nominal else np.float64)
        levels = len(self.coding) if self._is_nominal else 0
        facts = self._gathered[side][0].statistics()
        return Variable(column.name, column.kind, empty, levels, column.role, whole=facts)

    def _values(self, cells: Any, side: str) -> Values:
        values = self._read_values(cells, side)
        if not self._column.missing:
            return values
        return blank_values(values, flag_codes(cells, self._column.missing))

    def _read_values(self, cells: Any, side: str) -> Values:
        if self._is_nominal:
            plain = _plain(cells)
            self._refuse_guards(plain, side)
            return self.coding.learn(plain if self._has_one_type else plain.cast("large_string"))
        if self._is_ordered:
            return self._ranks(cells, side)
        if side is RELEASED and not self._has_one_type and self._is_time:
            return numbers_of(_plain(cells).cast(self._kind, safe=False))
        return numbers_of(cells)

    def _refuse_guards(self, cells: Any, side: str) -> None:
        """Refuse text that has an apostrophe before it in the release and not in the original."""
        if not has_guards(cells):
            return
        if side is RELEASED and not self._had_guards:
            raise TableError(
                f"column {self.name!r}: text of the release has the apostrophes of "
                "--guard-formulas, which are taken off only in memory. Leave out --memory, or "
                "compare a release without them."
            )
        self._had_guards = True

    @property
    def _is_time(self) -> bool:
        return self._tables[0].family(self.name) is CellType.TIME

    def _ranks(self, cells: Any, side: str) -> Values:
        if side is ORIGINAL:
            codes = self.coding.learn(cells)
        else:
            codes = self.coding.codes(_plain(cells).cast(self._kind))
            unknown = int((codes < 0).sum()) - cells.null_count
            if unknown:
                raise TableError(
                    f"column {self.name!r}: {unknown} released values are not among the ordered "
                    "levels of the original. Compare a release with the table it was made of."
                )
        return np.where(codes < 0, np.nan, codes).astype(np.float64)


def _plain(cells: Any) -> Any:
    return cells.cast(cells.type.value_type) if pt.is_dictionary(cells.type) else cells


def _require_few_levels(readers: list[_Reader], limit: int) -> None:
    for reader in readers:
        if reader.coding.bytes > limit:
            raise TableError(
                f"column {reader.name!r} has more distinct values than the memory holds "
                f"({len(reader.coding)} so far). Give it the role drop, or raise the memory."
            )
