"""A file that is read in pieces: what all have in common, and Parquet."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from swapmeet.core.tables.schema_guess import HEAD
from swapmeet.errors import FileError
from swapmeet.io.columnar import ParquetSettings
from swapmeet.io.names import check_names

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

READ_AHEAD = 1 << 20
"""Bytes of a column that are read from the disk at once."""


class Source(Protocol):
    """A file that is read in pieces; `schema` has the types of its columns as Arrow knows them."""

    @property
    def path(self) -> Path: ...
    @property
    def rows(self) -> int: ...
    @property
    def schema(self) -> Any: ...
    @property
    def names(self) -> list[str]:
        """The columns, in order."""

    @property
    def head(self) -> Any:
        """The first rows."""

    def pieces(self, columns: Iterable[str], rows: int) -> Iterator[tuple[int, Any]]:
        """The number of the first row, and a table of at most so many rows, until the end."""


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
        with _readable(source), pq.ParquetFile(source) as file:
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
        """The number of the first row, and a table of at most so many rows, until the end."""
        names, begin = list(columns), 0
        batches = self._batches(names, rows)
        while True:
            with _readable(self.path):
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


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, ValueError, KeyError):
        raise FileError(f"{path}: is not a readable Parquet file, or it is cut off.") from None
