"""The table of file formats, and which of them a file name means."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swapmeet.errors import FileError, UsageError
from swapmeet.io.arrow import ARROW
from swapmeet.io.delimited import DELIMITED_TEXT
from swapmeet.io.excel import EXCEL
from swapmeet.io.format import Format, StreamingFormat
from swapmeet.io.parquet import PARQUET
from swapmeet.io.statistical import SAS, SAS_TRANSPORT, SPSS, STATA

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

FORMATS: Final[dict[str, Format]] = {
    each.name: each
    for each in (DELIMITED_TEXT, PARQUET, ARROW, SPSS, STATA, SAS, SAS_TRANSPORT, EXCEL)
}


def format_of(path: str | os.PathLike[str]) -> str:
    """The name of the format that the end of a file name stands for.

    >>> format_of("survey.csv.gz")
    'csv'
    >>> format_of("Survey.SAV")
    'spss'
    """
    for each in FORMATS.values():
        if each.matches(Path(path)):
            return each.name
    if re.match("(postgres|postgresql|sqlite):/", str(path)):
        raise UsageError(
            "a table of a database was named where only a file will do. Write a file; tables are "
            "read by sm.read, and written by the command swapmeet mask."
        )
    if Path(path).is_dir():
        raise FileError(f"{path}: is a folder. Give the name of a file.")
    suffixes = [suffix for each in FORMATS.values() for suffix in each.suffixes]
    raise UsageError(
        f"{path}: unknown file format. The name must end in {join_words(suffixes, 'or')}."
    )


def format_at(path: Path) -> Format:
    """The format of a file to read, or of a folder of files that make one table."""
    for each in FORMATS.values():
        if each.has_folder(path):
            return each
    return FORMATS[format_of(path)]


def streaming_format(path: str | os.PathLike[str], task: str = "mask") -> StreamingFormat:
    """The format of a file to `task` piece by piece; refuse one that does not stream."""
    kind = FORMATS[format_of(path)]
    if isinstance(kind, StreamingFormat):
        return kind
    raise UsageError(
        f"{path}: {kind.title} files cannot be {task}ed piece by piece; only "
        f"{streaming_titles()} files can. Use another format, or {task} the table in memory: "
        "without a memory limit."
    )


def streaming_titles(word: str = "and") -> str:
    """The formats that stream, for people.

    >>> streaming_titles()
    'delimited text and Parquet'
    """
    titles = [each.title for each in FORMATS.values() if isinstance(each, StreamingFormat)]
    return join_words(titles, word)


def all_titles() -> str:
    """All formats, for people.

    >>> all_titles()
    'delimited text, Parquet, Arrow, SPSS, Stata, SAS, SAS transport or Excel'
    """
    return join_words([each.title for each in FORMATS.values()], "or")


def join_words(words: Iterable[str], word: str) -> str:
    """Words in a row, the last two joined by `word`.

    >>> join_words([".csv", ".tsv", ".txt"], "or")
    '.csv, .tsv or .txt'
    """
    *most, last = words
    return f"{', '.join(most)} {word} {last}" if most else last
