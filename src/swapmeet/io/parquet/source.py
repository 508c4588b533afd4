"""A Parquet file that is read in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from swapmeet.core.tables.schema_guess import HEAD
from swapmeet.io.names import check_names
from swapmeet.io.parquet.settings import ParquetSettings
from swapmeet.io.release_table import refuse_damage

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

READ_AHEAD = 1 << 20
"""Bytes of a column that are read from the disk at once."""


@dataclass(frozen=True)
class ParquetSource:
    """A Parquet file, its number of rows, its schema, and how it was written."""

    path: Path
    rows: int
    schema: Any
    settings: ParquetSettings

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ParquetSource:
        """Look at a file; its cells are not read yet."""
        source = Path(path)
        with refuse_damage(source, "Parquet"), pq.ParquetFile(source) as file:
            settings = ParquetSettings.of(file.metadata)
            found = cls(source, file.metadata.num_rows, file.schema_arrow, settings)
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
        """Tables of at most `rows` rows until the end, each with the number of its first row."""
        names, begin = list(columns), 0
        batches = self._batches(names, rows)
        while True:
            with refuse_damage(self.path, "Parquet"):
                batch = next(batches, None)
            if batch is None:
                return
            yield begin, batch
            begin += batch.num_rows

    def _batches(self, names: list[str], rows: int) -> Iterator[Any]:
        with pq.ParquetFile(self.path, buffer_size=READ_AHEAD, pre_buffer=False) as file:
            for batch in file.iter_batches(rows, columns=names):
                batch.validate(full=True)
                if batch.num_rows:
                    yield pa.Table.from_batches([batch]).select(names)
