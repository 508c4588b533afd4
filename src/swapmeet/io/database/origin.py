"""Facts of a database about the columns of a table, so that a release can have the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

AT_ONCE: Final = 1 << 16
"""Rows that are sent at once."""


class Passage(StrEnum):
    """Transport of a column's values between database and table."""

    AS_THEY_ARE = "the driver has a type for them"
    AS_TEXT = "as text, which is compared and moved like any other"
    AS_DECIMAL = "as text in the database, as decimals in the table"
    UNREAD = "as text that is not looked at: a column to keep or drop"


@dataclass(frozen=True, kw_only=True)
class DatabaseColumn:
    """A column as its database declares it, and the Arrow type that stands for it."""

    name: str
    declared: str
    not_null: bool = False
    passage: Passage = Passage.AS_THEY_ARE
    arrow: Any = None
    collation: str | None = None


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The origin of a table: the kind of database, and the columns as it declares them."""

    kind: str
    columns: tuple[DatabaseColumn, ...]
    identity: tuple[str, ...] = ()
    strict: bool = False

    def find(self, kind: str, name: str) -> DatabaseColumn | None:
        """The column of this name, if the table came from a database of the same kind."""
        if kind != self.kind:
            return None
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True, kw_only=True)
class NewTable:
    """Table of a database to be: a Parquet file, and what its columns were.

    Columns in `recoded` have other values than the database's types may allow.
    """

    file: Path
    origin: Origin | None = None
    recoded: frozenset[str] = field(default_factory=frozenset)
    overwrite: bool = False

    def find_origin(self, kind: str, name: str, arrow: Any) -> DatabaseColumn | None:
        """The column that this one is like, if it still holds such values."""
        column = None if self.origin is None else self.origin.find(kind, name)
        if column is None or column.arrow != arrow:
            return None
        free = column.passage is Passage.AS_TEXT or _is_text(arrow)
        return None if name in self.recoded and free else column

    def read_in_pieces(self, columns: Sequence[Any]) -> tuple[Any, Iterator[Any]]:
        """The rows of the file, as the driver takes them, with columns named by their number."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema([(f"c{at}", column.carrier) for at, column in enumerate(columns)])

        def read() -> Iterator[Any]:
            with pq.ParquetFile(self.file) as file:
                for batch in file.iter_batches(AT_ONCE):
                    cells = [c.carry(v) for v, c in zip(batch.columns, columns, strict=True)]
                    yield pa.RecordBatch.from_arrays(cells, schema=schema)

        return schema, read()


def _is_text(arrow: Any) -> bool:
    import pyarrow.types as pt

    return bool(pt.is_string(arrow) or pt.is_large_string(arrow))


def list_names(names: Iterable[str], shown: int = 5) -> str:
    """Some names in a row, for a message.

    >>> list_names(["age", "sex"])
    "'age', 'sex'"
    """
    every = list(names)
    more = f" and {len(every) - shown} more" if len(every) > shown else ""
    return ", ".join(map(repr, every[:shown])) + more
