"""A connection to PostgreSQL that speaks one language, whatever server and user are set to."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from swapmeet.io.database.driver_errors import READING, require_driver, translate_errors
from swapmeet.io.database.session import Session
from swapmeet.io.database.table_name import quote_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.errors import SwapmeetError
    from swapmeet.io.database.address import DatabaseTable

SETTINGS: Final = {
    "standard_conforming_strings": "on",
    "client_encoding": "UTF8",
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "timezone": "UTC",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "lc_monetary": "C",
    "xmloption": "content",
    "synchronize_seqscans": "off",
    "max_parallel_workers_per_gather": "0",
}
"""Values as text that is read back exactly; rows in the order in which they are stored."""
DRIVER: Final = "adbc_driver_postgresql"
PATIENCE: Final = {"connect_timeout": "20", "application_name": "swapmeet"}


@contextmanager
def open_session(
    place: DatabaseTable, begin: str, kind: type[SwapmeetError] = READING
) -> Iterator[Session]:
    """A connection in a transaction, which is rolled back at the end unless it was committed."""
    require_driver(DRIVER)
    from adbc_driver_postgresql import dbapi

    with (
        translate_errors(place, kind),
        dbapi.connect(_add_patience(place.url), autocommit=True) as c,
    ):
        session = Session(c)
        for name, value in SETTINGS.items():
            session.run(f"set {name} = {quote_text(value)}")
        session.run(begin)
        yield session


def _add_patience(url: str) -> str:
    """The address, with a limit to waiting unless it has one of its own."""
    parts = urlsplit(url)
    given = parts.query.split("&") if parts.query else []
    named = {unquote(setting.partition("=")[0]) for setting in given}
    ours = [f"{name}={value}" for name, value in PATIENCE.items() if name not in named]
    return parts._replace(query="&".join([*given, *ours])).geturl()
