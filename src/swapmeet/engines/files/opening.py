"""A file to be read in pieces, opened as its format asks."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from swapmeet.core.base.parallel import Workers
from swapmeet.engines.files.source import ParquetSource, Source
from swapmeet.engines.files.spill import private_folder
from swapmeet.engines.files.text_source import TextSource
from swapmeet.errors import FileError, UsageError
from swapmeet.io.formats import FORMATS, format_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

STREAMED = ("parquet", "csv")
"""The formats of files that can be masked piece by piece."""


@contextmanager
def opened(
    path: str | os.PathLike[str],
    beside: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    workers: Workers | None = None,
    to: str = "mask",
) -> Iterator[Source]:
    """The file at `path`, to mask or to assess it.

    The cells of a text are put aside in a private folder beside the file `beside`.
    """
    source = Path(path)
    require_streamed(source, to)
    _require_file(source)
    if format_of(source) == "parquet":
        _require_no_text_options(source, delimiter=delimiter, encoding=encoding)
        yield ParquetSource.open(source)
        return
    with private_folder(Path(beside)) as folder:
        yield TextSource.open(
            source, folder, workers or Workers(), delimiter=delimiter, encoding=encoding
        )


def require_streamed(path: Path, to: str = "mask") -> None:
    """Refuse the name of a file of another format, which one may want to mask or to assess."""
    found = format_of(path)
    if found not in STREAMED:
        raise UsageError(
            f"{path}: only Parquet files and delimited text can be {to}ed piece by piece, not "
            f"{FORMATS[found].title}. Convert it, or {to} it in memory: without a limit of memory."
        )


def _require_file(path: Path) -> None:
    if path.is_dir():
        raise FileError(f"{path}: is a folder. Give the name of a file.")
    if not path.exists():
        raise FileError(f"{path}: no such file. Check the name.")


def _require_no_text_options(path: Path, **options: str | None) -> None:
    told = [name for name, value in options.items() if value is not None]
    if told:
        raise UsageError(f"{path}: `{told[0]}` does not apply to Parquet files.")
