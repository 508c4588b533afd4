"""A table of a database, spooled to a Parquet file that only its owner may read."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.base.atomic import scratch_folder
from swapmeet.base.disk import name_reason
from swapmeet.base.parallel import Progress, silent
from swapmeet.errors import FileError
from swapmeet.io.database.databases import fetch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.io.database.address import DatabaseTable
    from swapmeet.io.database.origin import Origin


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
