"""Read a data file; write a release of it so that everything about the format survives."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swapmeet.core.base.atomic import written_aside
from swapmeet.core.base.parallel import Progress, silent
from swapmeet.errors import FileError, UsageError
from swapmeet.io.document import Document
from swapmeet.io.formats import FORMATS, Format, format_of
from swapmeet.io.publication import Publication

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FORMATS", "Document", "Format", "check_format", "format_of", "read", "write"]


def read(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    progress: Progress = silent,
) -> Document:
    """Read the file at `path`, or a folder of Parquet files; what is not told is found out.

    `delimiter` parts the cells of delimited text, `encoding` is how text is stored, `sheet` names
    a sheet of an Excel file (otherwise the first).
    """
    source = Path(path)
    kind = FORMATS["parquet" if is_parquet_folder(source) else format_of(source)]
    told = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet}
    options = {name: value for name, value in told.items() if value is not None}
    _check_options(source, kind, options)
    kind.require_library()
    try:
        _check_source(source)
        document: Document = _module(kind).read(source, progress, **options)
    except OSError as error:
        raise FileError(f"{source}: could not be read: {error.strerror or 'failed'}.") from error
    return document


def write(
    path: str | os.PathLike[str],
    frame: Any,
    *,
    like: Document | None = None,
    donors: Mapping[str, NDArray[np.integer[Any]]] | None = None,
    overwrite: bool = False,
    progress: Progress = silent,
) -> None:
    """Write `frame` to `path`, whole or not at all.

    If `like`, the document it came from, has the same format, that format is reproduced to the
    detail. `donors` gives, per column, the row of `like` whose cell stands in each published row
    (-1: suppressed, -2: made); these cells are copied as they stand in the file. Cells that were
    made and columns without donors are written from the values of `frame`.
    """
    target = Path(path)
    kind = check_format(target)
    publication = Publication(
        target=target, frame=frame, like=like, donors=donors or {}, progress=progress
    )
    with written_aside(target, overwrite=overwrite) as aside:
        _module(kind).write(aside, publication)


def check_format(target: str | os.PathLike[str]) -> Format:
    """The format that the name of a file to write asks for; refuse one that cannot be written."""
    kind = FORMATS[format_of(target)]
    if not kind.can_write:
        raise UsageError(
            f"{target}: {kind.title} files can be read but not written. "
            "Write .xpt, which SAS reads, or .csv or .parquet."
        )
    kind.require_library()
    return kind


def _module(kind: Format) -> Any:
    return import_module(f"swapmeet.io.{kind.module}")


def _check_options(source: Path, kind: Format, options: Mapping[str, str]) -> None:
    for name in options:
        if name not in kind.options:
            raise UsageError(f"{source}: `{name}` does not apply to {kind.title} files.")


def is_parquet_folder(path: Path) -> bool:
    """Whether it is a folder with Parquet files, such as Spark writes."""
    return path.is_dir() and any(path.glob("*.parquet"))


def _check_source(source: Path) -> None:
    if is_parquet_folder(source):
        return
    if source.is_dir():
        raise FileError(f"{source}: is a folder. Give the name of a file.")
    if not source.exists():
        raise FileError(f"{source}: no such file. Check the name.")
    with source.open("rb") as file:
        if not file.read(1):
            raise FileError(f"{source}: is empty. Give a file that holds a table.")
