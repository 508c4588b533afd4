"""The release, written part by part in the order that is asked for, and facts about its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.engines.files.spill import Spill, reorder
from swapmeet.release.fingerprint import Fingerprint, RowPrinter, RowPrints, choose_precisions
from swapmeet.tables.frame import Table
from swapmeet.tables.traces.arrow import clean_column, publish_schema, sort_levels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from swapmeet.base.arrays import Flags, Ints
    from swapmeet.base.parallel import Workers
    from swapmeet.base.seeds import Seed
    from swapmeet.engines.tally import Tally
    from swapmeet.io.format import Outlet, Source
    from swapmeet.tables.scan import Scan


@dataclass(frozen=True, repr=False, eq=False)
class ReleaseWriter:
    """Parts of the release: which rows they get, and how they are written.

    In random order, the part of each row is drawn, and then the order inside each part: every
    order of all rows is as likely as any other, and blocks do not show.
    """

    scan: Scan
    file: Source
    outlets: Sequence[Outlet]
    seed: Seed
    keep_order: bool = field(kw_only=True)
    audited: bool = field(kw_only=True)
    _used: dict[str, Flags] = field(default_factory=dict)
    _count: list[int] = field(default_factory=lambda: [1])
    _missing: dict[str, set[str]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<ReleaseWriter of {self.scan.rows} rows>"

    @property
    def row(self) -> str:
        """The name of the column of row numbers, which no column of the file has."""
        return "row" + "_" * (1 + max(map(len, self.file.names)))

    @property
    def columns(self) -> tuple[str, ...]:
        """Return what is needed of released rows; their numbers only if they are asked for."""
        published = self.scan.schema.published
        return (*published, self.row) if self.keep_order or self.audited else published

    def parts(self, part_rows: int) -> int:
        """Count the parts of about this many rows."""
        self._count[0] = -(-self.scan.rows // part_rows)
        return self._count[0]

    def part(self, block: int, rows: Ints) -> Ints:
        """The part of each row of a block."""
        count = self._count[0]
        if self.keep_order:
            return rows * count // self.scan.rows
        return self.seed.stream("order", "parts", block).integers(count, size=len(rows))

    def use(self, released: Any) -> None:
        """Take note of the categories that released rows have, and how values are missing."""
        for name, before in self.scan.used.items():
            used = self._used.setdefault(name, np.zeros(len(before), bool))
            used[released[name].combine_chunks().drop_null().to_numpy(zero_copy_only=False)] = True
        for name in self.scan.schema.published:
            self._missing.setdefault(name, set()).update(_ways_to_be_missing(released[name]))

    @property
    def has_lost_categories(self) -> bool:
        """Return whether the file lists categories that no released row has."""
        return any(not used.all() for used in self._used.values())

    def write(
        self, asides: Sequence[Path], parts: Spill, tally: Tally, workers: Workers
    ) -> WrittenRows:
        """Write all parts to the file of each outlet; what an audit record must know of rows."""
        schema = self._schema(tally)
        types = {field.name: field.type for field in schema}
        written = WrittenRows(RowPrinter(self.seed, choose_precisions(types)))
        for outlet, aside in zip(self.outlets, asides, strict=True):
            record = written if self.audited and outlet is self.outlets[0] else None
            outlet.write(aside, schema, self._tables(schema, parts, record, workers))
        return written

    def _tables(
        self, schema: Any, parts: Spill, written: WrittenRows | None, workers: Workers
    ) -> Iterator[Any]:
        for number in range(self._count[0]):
            table = self._in_order(parts.bucket(number), number, workers.threads)
            unpacked = self._unpacked(table, schema)
            if written is not None:
                written.add(table[self.row].to_numpy(), unpacked)
            yield unpacked
            workers.progress("writing", number + 1, self._count[0])

    def _in_order(self, table: Any, part: int, threads: int) -> Any:
        if self.keep_order:
            return reorder(table, np.argsort(table[self.row].to_numpy()), threads)
        order = self.seed.stream("order", "rows", part).permutation(len(table))
        return reorder(table, order, threads)

    def _schema(self, tally: Tally) -> Any:
        """That of the file, without a word of what is dropped."""
        original = self.file.schema
        fields = [
            self._field(original.field(name), tally.suppressed(name))
            for name in self.scan.schema.published
        ]
        return publish_schema(pa.schema(fields, metadata=original.metadata), self._levels)

    @staticmethod
    def _field(given: Any, suppressed: int) -> Any:
        return given.with_nullable(given.nullable or suppressed > 0)

    @cached_property
    def _levels(self) -> dict[str, Any]:
        """The categories that released rows have: all blocks must have been seen."""
        kinds = {name: self.file.schema.field(name).type for name in self._used}
        return {
            name: sort_levels(
                self.scan.codings[name].levels.filter(pa.array(used)), ordered=kinds[name].ordered
            ).cast(kinds[name].value_type)
            for name, used in self._used.items()
        }

    def _unpacked(self, table: Any, schema: Any) -> Any:
        columns = [
            self._column(table[name], schema.field(name)) if name in schema.names else table[name]
            for name in table.column_names
        ]
        return pa.table(dict(zip(table.column_names, columns, strict=True)))

    def _column(self, column: Any, wanted: Any) -> Any:
        """A column free of traces; codes as the categories they stand for."""
        name, kind = wanted.name, wanted.type
        if name not in self._used:
            return clean_column(column, nan_is_null=len(self._missing[name]) > 1)
        words, levels = self.scan.codings[name].levels, self._levels[name]
        places = pc.index_in(words.cast(kind.value_type), value_set=levels)
        codes = places.take(column.combine_chunks()).cast(kind.index_type)
        return pa.DictionaryArray.from_arrays(codes, levels, ordered=kind.ordered)


def _ways_to_be_missing(column: Any) -> set[str]:
    """Of numbers: whether some are null, and whether some are NaN."""
    if not pa.types.is_floating(column.type):
        return set()
    has_nan = pc.any(pc.is_nan(column), min_count=0).as_py()
    return ({"null"} if column.null_count else set()) | ({"NaN"} if has_nan else set())


class WrittenRows:
    """The rows that were written so far: which row each stands for, and its print."""

    def __init__(self, printer: RowPrinter) -> None:
        self._printer = printer
        self._owners: list[Ints] = []
        self._prints: list[RowPrints] = []

    def __repr__(self) -> str:
        return f"<WrittenRows of {len(self._owners)} parts>"

    def add(self, owners: Ints, table: Any) -> None:
        """Some more rows, as they are published."""
        self._owners.append(owners)
        self._prints.append(self._printer.print_rows(Table(table)))

    @property
    def owner(self) -> Ints:
        """The row that each released row stands for."""
        return np.concatenate(self._owners)

    @property
    def fingerprint(self) -> Fingerprint:
        """That of all rows."""
        whole = RowPrints.join(self._prints)
        rows = np.empty_like(whole.rows)
        rows[self.owner] = whole.rows
        return Fingerprint(self._printer.precisions, RowPrints(rows, whole.totals))
