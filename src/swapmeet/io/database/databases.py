"""The table of databases, by which module reads and writes which, and snapshots of tables."""

from __future__ import annotations

import os
import tempfile
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from swapmeet.base.atomic import scratch_folder
from swapmeet.base.disk import name_reason
from swapmeet.base.parallel import Progress, silent
from swapmeet.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.io.database.address import DatabaseTable
    from swapmeet.io.database.origin import NewTable, Origin
    from swapmeet.io.database.session import Staged


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


@dataclass(frozen=True)
class Snapshot:
    """The file, and what the database says of its columns."""

    path: Path
    origin: Origin


@contextmanager
def open_snapshot(place: DatabaseTable, progress: Progress = silent) -> Iterator[Snapshot]:
    """The table as it is now, in a private file that is gone afterwards."""
    with open_private_folder(place) as folder:
        yield take_snapshot(place, folder, progress)


@contextmanager
def open_private_folder(about: object) -> Iterator[Path]:
    """A folder among temporary files that only its owner may enter, and that is gone afterwards.

    What a killed run has left there is removed by the next one.
    """
    try:
        scratch = scratch_folder(Path(tempfile.gettempdir()) / "table")
        folder = scratch.__enter__()
    except OSError as error:
        raise _refuse(about, error) from None
    with ExitStack() as stack:
        stack.push(scratch)
        yield folder


def take_snapshot(place: DatabaseTable, folder: Path, progress: Progress = silent) -> Snapshot:
    """The table as it is now, in a file of a private folder."""
    file = folder / f"{place.stem}.parquet"
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return Snapshot(file, fetch(place, file, progress))
    except OSError as error:
        raise _refuse(place, error) from None


def _refuse(about: object, error: OSError) -> FileError:
    return FileError(
        f"{about}: could not be copied to {tempfile.gettempdir()}: {name_reason(error)}. "
        "Name another folder for temporary files: set TMPDIR."
    )
