"""A connection to a SQLite file."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

from swapmeet.io.database.driver_errors import READING, require_driver, translate_errors
from swapmeet.io.database.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.errors import SwapmeetError
    from swapmeet.io.database.address import DatabaseTable

DRIVER: Final = "adbc_driver_sqlite"
READ_ONLY, WRITE = "ro", "rwc"
"""Way to open the file: it must be there, or it is made."""


def find_file(place: DatabaseTable) -> Path:
    """The file that an address names: from the current folder, or from the root.

    >>> from swapmeet.io.database import DatabaseTable
    >>> find_file(DatabaseTable.parse("sqlite:///clinic.db")).as_posix()
    'clinic.db'
    >>> find_file(DatabaseTable.parse("sqlite:////data/clinic.db")).as_posix()
    '/data/clinic.db'
    """
    return Path(unquote(urlsplit(place.url).path)[1:])


@contextmanager
def open_session(
    place: DatabaseTable, mode: str, kind: type[SwapmeetError] = READING
) -> Iterator[tuple[Session, Any]]:
    """A connection in a transaction, which is rolled back at the end unless it was committed."""
    require_driver(DRIVER)
    from adbc_driver_sqlite import dbapi

    file = f"file:{quote(str(find_file(place)))}?mode={mode}"
    with translate_errors(place, kind), dbapi.connect(file) as connection:
        try:
            yield Session(connection), connection
        finally:
            connection.rollback()
