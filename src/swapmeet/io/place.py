"""The place of a table: a file here, or a table of a database."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swapmeet.base.parallel import Progress, silent
from swapmeet.errors import UsageError
from swapmeet.io.database import DatabaseTable, is_address, open_snapshot
from swapmeet.io.formats import PARQUET, format_at

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from swapmeet.io.document import Document

    Place = Path | DatabaseTable
else:
    Place = Path


def find_place(text: str | os.PathLike[str] | DatabaseTable) -> Place:
    """The file or the table of a database that a text stands for.

    >>> find_place("sqlite:///clinic.db#patients").kind
    'sqlite'
    """
    if isinstance(text, DatabaseTable):
        return text
    return DatabaseTable.parse(text) if isinstance(text, str) and is_address(text) else Path(text)


def find_format(place: Place) -> str:
    """The name of the format in which a table comes from its place."""
    return PARQUET.name if isinstance(place, DatabaseTable) else format_at(place).name


def name_format(place: Place) -> str:
    """Return what people call the format of a file, or the database of a table.

    >>> name_format(Path("people.csv")), name_format(find_place("sqlite:///clinic.db#patients"))
    ('delimited text', 'SQLite')
    """
    return place.title if isinstance(place, DatabaseTable) else format_at(place).title


@contextmanager
def open_file(place: Place, progress: Progress = silent) -> Iterator[Path]:
    """A file with the table: itself, or a private copy of a table that is gone afterwards."""
    if not isinstance(place, DatabaseTable):
        yield place
        return
    with open_snapshot(place, progress) as snapshot:
        yield snapshot.path


def read_table(place: DatabaseTable, options: Mapping[str, Any], progress: Progress) -> Document:
    """A table of a database, whole; it is a document as Parquet has them."""
    refuse_options(place, options)
    with open_snapshot(place, progress) as snapshot:
        document = PARQUET.read(snapshot.path, progress)
    return replace(document, path=Path(place.stem))


def refuse_options(place: DatabaseTable, options: Mapping[str, Any]) -> None:
    """Refuse settings that only files have."""
    for name in options:
        raise UsageError(f"{place}: `{name}` does not apply to tables of databases.")
