"""The table of databases: which module reads and writes which kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from swapmeet.base.parallel import Progress
    from swapmeet.io.database.address import DatabaseTable
    from swapmeet.io.database.origin import NewTable, Origin
    from swapmeet.io.database.staged import Staged


class Database(Protocol):
    """Protocol of each kind of database."""

    def fetch(self, place: DatabaseTable, file: Path, progress: Progress) -> Origin:
        """Write one consistent snapshot of a table to a Parquet file."""

    def check_target(self, place: DatabaseTable, *, overwrite: bool) -> None:
        """Refuse a table that cannot be made, before any work is done."""

    def stage(self, place: DatabaseTable, new: NewTable) -> AbstractContextManager[Staged]:
        """A new table in a transaction that is not committed yet."""


def fetch(place: DatabaseTable, file: Path, progress: Progress) -> Origin:
    """Write one consistent snapshot of a table to a Parquet file."""
    return _choose(place).fetch(place, file, progress)


def check_target(place: DatabaseTable, *, overwrite: bool) -> None:
    """Refuse a table that cannot be made, before any work is done."""
    _choose(place).check_target(place, overwrite=overwrite)


def stage(place: DatabaseTable, new: NewTable) -> AbstractContextManager[Staged]:
    """A new table in a transaction that is not committed yet; without the word it is undone."""
    return _choose(place).stage(place, new)


def _choose(place: DatabaseTable) -> Database:
    place.name  # noqa: B018  refuses an address without a table
    if place.kind == "sqlite":
        from swapmeet.io.database.sqlite import SQLITE

        return SQLITE
    from swapmeet.io.database.postgresql import POSTGRESQL

    return POSTGRESQL
