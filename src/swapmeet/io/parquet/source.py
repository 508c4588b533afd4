"""A Parquet file that is read in pieces."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from swapmeet.core.tables.arrow_types import simplify_schema, simplify_types
from swapmeet.core.tables.schema_guess import HEAD
from swapmeet.io.names import check_names
from swapmeet.io.parquet.row_widths import RowWidths
from swapmeet.io.parquet.settings import ParquetSettings
from swapmeet.io.release_table import refuse_damage

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

READ_AHEAD = 1 << 20
"""Bytes of a column that are read from the disk at once, and 64 times as many of all columns."""
PIECE_BYTES = 1 << 26
"""Bytes that a piece takes in memory at most, unless a single row takes more."""


@dataclass(frozen=True)
class ParquetSource:
    """A Parquet file, its number of rows, its schema, and how it was written."""

    path: Path
    rows: int
    schema: Any
    settings: ParquetSettings
    widths: RowWidths = field(compare=False, repr=False)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ParquetSource:
        """Look at a file; its cells are not read yet."""
        source = Path(path)
        with refuse_damage(source, "Parquet"), pq.ParquetFile(source) as file:
            settings = ParquetSettings.of(file.metadata)
            found = cls(
                source,
                file.metadata.num_rows,
                simplify_schema(file.schema_arrow, keep_views=False),
                settings,
                RowWidths(source),
            )
        check_names(source, found.names)
        return found

    @property
    def names(self) -> list[str]:
        """The columns, in order."""
        return list(self.schema.names)

    @cached_property
    def head(self) -> Any:
        """The first rows."""
        for _, table in self.pieces(self.names, HEAD):
            return table
        return self.schema.empty_table()

    def pieces(self, columns: Iterable[str], rows: int) -> Iterator[tuple[int, Any]]:
        """Tables of at most `rows` rows until the end, each with the number of its first row.

        They have fewer rows where so many would take more than `PIECE_BYTES`.
        """
        names, begin = list(columns), 0
        batches = join_batches(self._batches(names, rows), rows, PIECE_BYTES)
        while True:
            with refuse_damage(self.path, "Parquet"):
                batch = next(batches, None)
            if batch is None:
                return
            yield begin, batch
            begin += batch.num_rows

    def _batches(self, names: list[str], rows: int) -> Iterator[Any]:
        """Tables of rows of one row group, none of which takes much more than a piece may."""
        ahead, wanted = 64 * READ_AHEAD // max(len(names), 64), frozenset(names)
        with pq.ParquetFile(self.path, buffer_size=ahead, pre_buffer=False) as file:
            for group in range(file.num_row_groups):
                width = self.widths.of_group(file, group, wanted)
                fitting = max(min(rows, int(PIECE_BYTES / max(width, 1.0))), 1)
                for batch in file.iter_batches(fitting, row_groups=[group], columns=names):
                    batch.validate(full=True)
                    table = pa.Table.from_batches([batch]).select(names)
                    yield simplify_types(table, keep_views=False)


def join_batches(tables: Iterable[Any], rows: int, size: int) -> Iterator[Any]:
    """The same rows in tables of at most `rows` rows and `size` bytes, if each of them has less."""
    held: list[Any] = []
    for table in tables:
        if held and sum(each.nbytes for each in held) + table.nbytes > size:
            yield _join(held)
            held = []
        held.append(table)
        while sum(map(len, held)) >= rows:
            whole = _join(held)
            yield whole[:rows]
            held = [whole[rows:]] if len(whole) > rows else []
    if sum(map(len, held)):
        yield _join(held)


def _join(tables: list[Any]) -> Any:
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables).combine_chunks()
