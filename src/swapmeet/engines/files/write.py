"""The release, written part by part in the order that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from swapmeet.engines.files.spill import reorder
from swapmeet.io.release_table import filter_metadata

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from swapmeet.core.base.parallel import Workers
    from swapmeet.core.base.seeds import Seed
    from swapmeet.core.tables.scan.scan import Scan
    from swapmeet.engines.files.spill import Spill
    from swapmeet.engines.tally import Tally
    from swapmeet.io.stream import Outlet, Source

    Ints = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, repr=False, eq=False)
class ReleaseWriter:
    """Which part of the release a row goes to, and how parts are written.

    In random order, the part of each row is drawn, and then the order inside each part: every
    order of all rows is as likely as any other, and blocks do not show.
    """

    found: Scan
    file: Source
    outlet: Outlet
    seed: Seed
    keep_order: bool = field(kw_only=True)
    audited: bool = field(kw_only=True)
    _used: dict[str, Flags] = field(default_factory=dict)
    _count: list[int] = field(default_factory=lambda: [1])

    def __repr__(self) -> str:
        return f"<ReleaseWriter of {self.found.rows} rows>"

    @property
    def row(self) -> str:
        """The name of the column of row numbers, which no column of the file has."""
        return "row" + "_" * (1 + max(map(len, self.file.names)))

    @property
    def columns(self) -> tuple[str, ...]:
        """What is needed of released rows; their numbers only if they are asked for."""
        published = self.found.schema.published
        return (*published, self.row) if self.keep_order or self.audited else published

    def parts(self, part_rows: int) -> int:
        """How many parts of about this many rows there are."""
        self._count[0] = -(-self.found.rows // part_rows)
        return self._count[0]

    def part(self, block: int, rows: Ints) -> Ints:
        """The part of each row of a block."""
        count = self._count[0]
        if self.keep_order:
            return rows * count // self.found.rows
        return self.seed.stream("order", "parts", block).integers(count, size=len(rows))

    def use(self, released: Any) -> None:
        """Take note of the categories that released rows have."""
        for name, before in self.found.used.items():
            used = self._used.setdefault(name, np.zeros(len(before), bool))
            used[released[name].combine_chunks().drop_null().to_numpy(zero_copy_only=False)] = True

    def write(self, aside: Path, parts: Spill, tally: Tally, workers: Workers) -> Ints:
        """Write all parts; if asked for, the row that each released row stands for."""
        schema, owners = self._schema(tally), [np.empty(0, np.int64)]
        self.outlet.write(aside, schema, self._tables(schema, parts, owners, workers))
        return np.concatenate(owners)

    def _tables(
        self, schema: Any, parts: Spill, owners: list[Ints], workers: Workers
    ) -> Iterator[Any]:
        for number in range(self._count[0]):
            table = self._in_order(parts.bucket(number), number, workers.threads)
            if self.audited:
                owners.append(table[self.row].to_numpy())
            yield self._unpacked(table, schema)
            workers.progress("writing", number + 1, self._count[0])

    def _in_order(self, table: Any, part: int, threads: int) -> Any:
        if self.keep_order:
            return reorder(table, np.argsort(table[self.row].to_numpy()), threads)
        order = self.seed.stream("order", "rows", part).permutation(len(table))
        return reorder(table, order, threads)

    def _schema(self, tally: Tally) -> Any:
        """That of the file, without a word of what is dropped."""
        names = list(self.found.schema.published)
        original = self.file.schema
        fields = [self._field(original.field(name), tally.suppressed(name)) for name in names]
        dropped = [name for name in self.file.names if name not in names]
        metadata = filter_metadata(original.metadata or {}, names, dropped)
        return pa.schema(fields, metadata=metadata or None)

    @staticmethod
    def _field(given: Any, suppressed: int) -> Any:
        return given.with_nullable(given.nullable or suppressed > 0)

    def _unpacked(self, table: Any, schema: Any) -> Any:
        for place, name in enumerate(table.column_names):
            if name in self._used:
                wanted = schema.field(name)
                table = table.set_column(place, wanted, self._column(table[name], wanted))
        return table

    def _column(self, column: Any, wanted: Any) -> Any:
        """Codes as the categories they stand for, but for those that no row has any more."""
        kept = self._used[wanted.name] | ~self.found.used[wanted.name]
        codes = pa.array(np.cumsum(kept) - 1).take(column.combine_chunks())
        words = self.found.codings[wanted.name].levels.filter(pa.array(kept))
        kind = wanted.type
        return pa.DictionaryArray.from_arrays(
            codes.cast(kind.index_type), words.cast(kind.value_type), ordered=kind.ordered
        )
