"""Read a data file; write a release of it in the same format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from swapmeet.base.atomic import write_atomically
from swapmeet.base.parallel import Progress, silent
from swapmeet.base.staging import recover
from swapmeet.errors import FileError
from swapmeet.io.database import DatabaseTable
from swapmeet.io.document import Document
from swapmeet.io.format import Format, require_file
from swapmeet.io.formats import (
    FORMATS,
    describe_losses,
    find_lost,
    format_at,
    format_of,
    require_labels,
)
from swapmeet.io.place import Place, find_place, read_table
from swapmeet.io.publication import Publication, name_columns
from swapmeet.tables.roles import MissingCodes, check_arguments

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from swapmeet.tables.traces import Trace

__all__ = [
    "FORMATS",
    "Document",
    "Format",
    "check_format",
    "describe_losses",
    "find_lost",
    "format_at",
    "format_of",
    "name_columns",
    "peek_names",
    "read",
    "require_labels",
    "write",
]  # fmt: skip


@check_arguments
def read(
    path: str | os.PathLike[str] | DatabaseTable,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    header: bool | None = None,
    missing: MissingCodes | None = None,
    progress: Progress = silent,
) -> Document:
    """Read the file at `path`, a folder of Parquet files, or a table of a database.

    A table is named behind the address of its database: "postgresql://ann@host/clinic#patients",
    "sqlite:///clinic.db#patients". `delimiter` and `encoding` are those of a text, found out unless
    given; `sheet` names a sheet of an Excel file, the first unless given. `header` says whether the
    first line of a text or a sheet names the columns; where it may be a record, that is asked.
    `missing` are codes for missing values, such as {"income": ["n/a"]}: words that may stand among
    the numbers of a text.
    """
    source = find_place(path)
    given = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet, "header": header}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if isinstance(source, DatabaseTable):
        return read_table(source, options, progress)
    kind = format_at(source)
    kind.check_options(source, options)
    if missing and "missing" in kind.options:
        options["missing"] = missing
    kind.require_library()
    try:
        _check_source(source, kind)
        return kind.read(source, progress, **options)
    except OSError as error:
        raise FileError(f"{source}: could not be read: {error.strerror or 'failed'}.") from error


def peek_names(path: Place, **reading: Any) -> tuple[str, ...]:
    """The columns of a file that can be told without reading all of it; else none."""
    if isinstance(path, DatabaseTable):
        return ()
    kind = format_at(path)
    try:
        _check_source(path, kind)
        return kind.peek_names(path, **reading)
    except OSError:
        return ()


def write(
    path: str | os.PathLike[str],
    frame: Any,
    *,
    like: Document | None = None,
    donors: Mapping[str, NDArray[np.integer[Any]]] | None = None,
    labels: str | None = None,
    guard_formulas: bool = False,
    overwrite: bool = False,
    progress: Progress = silent,
) -> frozenset[Trace]:
    """Write `frame` to `path`, whole or not at all.

    If `like`, the document it came from, has the same format, that format is reproduced. `donors`
    gives, per column, the row of `like` whose cell stands in each published row (-1: suppressed,
    -2: made); these cells are copied, each value written in one way. Cells that were made and
    columns without donors are written from the values of `frame`. In a file without labels, values
    that `like` has labels for are codes, and nothing where it says that a code means missing;
    `labels` asks for "text", the labels, or for "codes", also of missing values. What is returned
    names what `like` says besides and the release does not; `describe_losses` tells what the
    format has no room for. `guard_formulas` puts an apostrophe before text that spreadsheets would
    run, in a delimited text.
    """
    target = Path(path)
    kind = check_format(target)
    publication = Publication(
        target=target,
        frame=frame,
        like=like,
        donors=donors or {},
        progress=progress,
        guards_formulas=guard_formulas,
    )
    if labels is not None:
        publication = kind.spell_values(publication, labels)
    with write_atomically(target, overwrite=overwrite) as aside:
        kind.write(aside, publication)
    return frozenset(publication.left_out)


def check_format(target: str | os.PathLike[str]) -> Format:
    """The format that the name of a file to write asks for; refuse one that cannot be written."""
    kind = FORMATS[format_of(target)]
    kind.require_writable(Path(target))
    return kind


def _check_source(source: Path, kind: Format) -> None:
    recover(source)
    if kind.has_folder(source):
        return
    require_file(source)
    with source.open("rb") as file:
        if not file.read(1):
            raise FileError(f"{source}: is empty. Give a file that contains a table.")
