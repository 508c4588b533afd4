"""SQLite, by its ADBC driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from swapmeet.base.parallel import Progress
    from swapmeet.io.database.address import DatabaseTable
    from swapmeet.io.database.origin import NewTable, Origin
    from swapmeet.io.database.session import Staged


class SQLite:
    """Tables and views are read; ordinary tables are written."""

    def fetch(self, place: DatabaseTable, file: Path, progress: Progress) -> Origin:
        """A snapshot, by a transaction that only reads."""
        from swapmeet.io.database.sqlite.reading import fetch

        return fetch(place, file, progress)

    def check_target(self, place: DatabaseTable, *, overwrite: bool) -> None:
        """Refuse names that are taken, and folders that are not there."""
        from swapmeet.io.database.sqlite.writing import check_target

        check_target(place, overwrite=overwrite)

    def stage(self, place: DatabaseTable, new: NewTable) -> AbstractContextManager[Staged]:
        """A table like the original, in a transaction."""
        from swapmeet.io.database.sqlite.writing import stage

        return stage(place, new)


SQLITE: Final = SQLite()
