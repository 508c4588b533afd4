"""The table of databases, by which module reads and writes which, and snapshots of tables."""

from __future__ import annotations

import os
import tempfile
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swapmeet.base.atomic import scratch_folder
from swapmeet.base.disk import name_reason
from swapmeet.base.parallel import Progress, silent
from swapmeet.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.io.database.address import DatabaseTable
    from swapmeet.io.database.origin import NewTable, Origin
    from swapmeet.io.database.session import Staged


def fetch(place: DatabaseTable, file: Path, progress: Progress) -> Origin:
    """Write one consistent snapshot of a table to a Parquet file."""
    origin: Origin = _load(place, "reading").fetch(place, file, progress)
    return origin


def check_target(place: DatabaseTable, *, overwrite: bool) -> None:
    """Refuse a table that cannot be made, before any work is done."""
    _load(place, "writing").check_target(place, overwrite=overwrite)


def stage(place: DatabaseTable, new: NewTable) -> AbstractContextManager[Staged]:
    """A new table in a transaction that is not committed yet; without the word it is undone."""
    staged: AbstractContextManager[Staged] = _load(place, "writing").stage(place, new)
    return staged


def _load(place: DatabaseTable, task: str) -> Any:
    """The module that does it for the kind of database; it loads the driver's libraries."""
    place.name  # noqa: B018  refuses an address without a table
    return import_module(f"swapmeet.io.database.{place.kind}.{task}")


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
