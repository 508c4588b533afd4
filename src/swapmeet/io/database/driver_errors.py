"""Complaints of a driver, in our words: its own may quote a value or a password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pyarrow as pa

from swapmeet.base.extras import require_library
from swapmeet.errors import DatabaseError, OutputError, SwapmeetError

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
