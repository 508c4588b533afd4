"""A connection in which one transaction runs, and a release that waits in it."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from swapmeet.errors import OutputError, UsageError
from swapmeet.io.database.origin import Origin, list_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from swapmeet.io.database.address import DatabaseTable


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


class CommitUnknownError(OutputError):
    """The connection broke while a transaction was committed: whether it was, is not known."""


@dataclass(frozen=True)
class Staged:
    """A table that nobody else sees until it is committed, and what is to be said of it."""

    place: DatabaseTable
    end: Callable[[], None]
    notes: tuple[str, ...] = ()

    def commit(self) -> None:
        """Make it stay; an error without the server's word leaves open whether it does."""
        import adbc_driver_manager

        try:
            self.end()
        except adbc_driver_manager.Error as error:
            if error.sqlstate is not None and not error.sqlstate.startswith(("08", "57")):
                raise
            raise CommitUnknownError(
                f"{self.place}: the connection broke while the release was committed. Look whether "
                "the table is there. The run file and the audit record were kept: if it is not, "
                "delete them."
            ) from None


def refuse_existing(place: DatabaseTable, *, overwrite: bool) -> None:
    """Refuse a table that is there, unless it may be replaced."""
    if not overwrite:
        raise UsageError(
            f"{place}: the table exists already. Choose another name, or give --overwrite to "
            "replace it."
        )


def refuse_source(place: DatabaseTable, origin: Origin | None, identity: tuple[str, ...]) -> None:
    """Refuse to replace the table that is masked, however it is addressed."""
    if origin is not None and origin.kind == place.kind and origin.identity == identity:
        raise UsageError(
            f"{place}: is an input of this run and is never overwritten. Give the release another "
            "name."
        )


def list_nullable(
    ask: Callable[[str], list[tuple[Any, ...]]], source: str, required: Sequence[bool]
) -> set[int]:
    """Count, by column, the missing values of columns that need all."""
    wanted = [at for at, needed in enumerate(required) if needed]
    if not wanted:
        return set()
    counts = ", ".join(f"count(*) - count(c{at})" for at in wanted)
    (answer,) = ask(f"select {counts} from {source}")
    return {at for at, lacking in zip(wanted, answer, strict=True) if lacking}


def allow_missing(columns: Sequence[Any], missing: set[int]) -> tuple[list[Any], tuple[str, ...]]:
    """Columns in which values were suppressed may be empty, whatever the original says."""
    if not missing:
        return list(columns), ()
    made = [replace(c, not_null=False) if at in missing else c for at, c in enumerate(columns)]
    names = list_names(columns[at].name for at in sorted(missing))
    return made, (f"{names}: values were suppressed, so the table allows null there.",)
