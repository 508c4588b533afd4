"""A connection to a database in which one transaction runs."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class Session:
    """A connection in which one transaction runs."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __repr__(self) -> str:
        return "<Session of a database>"

    def run(self, sql: str) -> None:
        """Run a statement that gives no rows."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(sql)

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a small answer."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def ask_one(self, sql: str) -> Any:
        """The one value of an answer."""
        return self.ask(sql)[0][0]

    @contextmanager
    def stream(self, sql: str) -> Iterator[Any]:
        """The rows of a large answer, batch by batch."""
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(sql)
            with cursor.fetch_record_batch() as reader:
                yield reader

    def ingest(self, table: str, schema: Any, batches: Iterator[Any]) -> None:
        """Put rows into a new temporary table.

        Drivers do not say what went wrong while the rows were made: that is raised as it was.
        """
        import pyarrow as pa

        failed: list[Exception] = []
        reader = pa.RecordBatchReader.from_batches(schema, _note_failure(batches, failed))
        with closing(self._connection.cursor()) as cursor:
            try:
                cursor.adbc_ingest(table, reader, mode="create", temporary=True)
            except Exception:
                if failed:
                    raise failed[0] from None
                raise


def _note_failure(batches: Iterator[Any], failed: list[Exception]) -> Iterator[Any]:
    try:
        yield from batches
    except Exception as error:
        failed.append(error)
        raise
