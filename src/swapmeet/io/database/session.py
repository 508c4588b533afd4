"""A connection in which one transaction runs, and a release that waits in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from swapmeet.base.extras import require_library
from swapmeet.errors import DatabaseError, OutputError, SwapmeetError, UsageError

if TYPE_CHECKING:
    from swapmeet.io.database.address import DatabaseTable, TableName
    from swapmeet.io.database.origin import Origin


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


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A table, a view or the like that is there, and the `kind` that people call it.

    PostgreSQL knows it by its `oid`; in SQLite its rows may be numbered, its types may be strict.
    """

    name: TableName
    kind: str
    is_table: bool
    oid: int = 0
    has_rows_numbered: bool = False
    strict: bool = False


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


def require_free(place: DatabaseTable, former: Relation | None, *, overwrite: bool) -> None:
    """Refuse a name that is taken, unless by a table that may be replaced."""
    if former is None:
        return
    if not former.is_table:
        raise UsageError(
            f"{place}: is a {former.kind}, which is never replaced. Choose another name."
        )
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


READING: Final = DatabaseError
WRITING: Final = OutputError

BROKEN: Final = "the connection broke, or the server was shut down"
STATES: Final = {
    "22001": "a value is too long for its column",
    "22003": "a number is too large for its column",
    "22021": "a text holds a character that the database cannot hold",
    "22P02": "a value does not fit the type of its column",
    "22P05": "a text holds a character that the database cannot hold",
    "23502": "a value is missing in a column that must have one",
    "23514": "a value breaks a rule of its type",
    "25006": "the database can only be read",
    "28000": "the server does not let this user in",
    "2BP01": "views or other objects depend on the former table. Drop them first",
    "3F000": "the schema does not exist. Create it first",
    "42501": "this user lacks the permission",
    "42704": "a type of the original's columns does not exist there. Create it first",
    "42P01": "the table does not exist",
    "42P07": "the table exists already. Choose another name, or give --overwrite to replace it",
    "53100": "the disk of the server is full",
    "53200": "the server has no memory left",
    "53300": "the server has too many connections",
    "55P03": "the table is locked by another user",
    "57014": "the server cancelled the work",
    "57P01": "the server was shut down",
    "57P02": "the server was shut down",
}
CONNECTING: Final = {
    "password authentication failed": "the server refuses this user and password. Check the user "
    "in the address, and PGPASSWORD or the password file (PGPASSFILE, ~/.pgpass)",
    "no password supplied": "the server asks for a password. Set PGPASSWORD, or put it in a file "
    "(PGPASSFILE, ~/.pgpass)",
    "no pg_hba.conf entry": "the server does not let this user in from here",
    "Connection refused": "no server listens there. Check host and port, and that it runs",
    "could not translate host name": "the host is not known. Check its name",
    "timeout expired": "the server does not answer. Check host and port",
    "server closed the connection": BROKEN,
    "SSL connection has been closed": BROKEN,
    "SSL SYSCALL error": BROKEN,
    "system is starting up": "the server is starting. Try again",
    "system is shutting down": "the server was shut down",
    "does not exist": "there is no such database or user. Check the address",
    "SSL": "the encrypted connection could not be made. Check sslmode in the address",
    "invalid URI query parameter": "a setting behind the question mark is not known",
    "unable to open database": "the file could not be opened. Check its name",
    "not a database": "the file is not a SQLite database",
    "database is locked": "the file is locked by another program. Try again",
    "disk is full": "the disk is full",
}


@contextmanager
def translate_errors(where: object, kind: type[SwapmeetError] = READING) -> Iterator[None]:
    """Say in our words what a driver complains of, with the code that the server gave.

    While rows are read, the driver's errors come by Arrow, and look like those of files; but only
    the system's own have a number.
    """
    import adbc_driver_manager
    import pyarrow as pa

    try:
        yield
    except (adbc_driver_manager.Error, pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise kind(f"{where}: {_explain(error)}.{_nothing_written(kind)}") from None


def require_driver(module: str) -> None:
    """Refuse where the driver is not installed."""
    require_library(module, "databases")


def _explain(error: Exception) -> str:
    state, message = getattr(error, "sqlstate", None), str(error)
    if state in STATES:
        return STATES[state]
    explanations = (words for mark, words in CONNECTING.items() if mark in message)
    code = f" (SQLSTATE {state})" if state else ""
    return next(explanations, f"the database failed{code}")


def _nothing_written(kind: type[SwapmeetError]) -> str:
    return " Nothing was written." if kind is WRITING else ""
