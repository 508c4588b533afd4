"""The table of file formats, which a file name means, and what a release in another one loses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swapmeet.errors import FileError, UsageError
from swapmeet.io.feature import TYPES, Feature, describe_lost
from swapmeet.io.format import Format, StreamingFormat
from swapmeet.io.statistical import SAS, SAS_TRANSPORT, SPSS, STATA

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from swapmeet.io.document import Document

DELIMITED_TEXT: Final = StreamingFormat(
    name="csv",
    title="delimited text",
    suffixes=(".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"),
    module="swapmeet.io.delimited.file",
    streaming="swapmeet.io.delimited.pieces",
    options=("delimiter", "encoding", "header", "missing"),
    keeps=TYPES,
    carries=frozenset({Feature.BOOLEANS, Feature.LONG_NUMBERS}),
)
PARQUET: Final = StreamingFormat(
    name="parquet",
    title="Parquet",
    suffixes=(".parquet", ".pq"),
    module="swapmeet.io.parquet",
    streaming="swapmeet.io.parquet",
    reads_folders=True,
    keeps=TYPES,
    carries=TYPES,
)
ARROW: Final = Format(
    name="arrow",
    title="Arrow",
    suffixes=(".arrow", ".feather", ".ipc"),
    module="swapmeet.io.arrow",
    keeps=TYPES,
    carries=TYPES,
)
EXCEL: Final = Format(
    name="excel",
    title="Excel",
    suffixes=(".xlsx",),
    module="swapmeet.io.excel",
    libraries=("openpyxl", "pandas"),
    options=("sheet", "header"),
    keeps=frozenset({Feature.BOOLEANS}),
    carries=frozenset({Feature.BOOLEANS}),
)
FORMATS: Final[dict[str, Format]] = {
    each.name: each
    for each in (DELIMITED_TEXT, PARQUET, ARROW, SPSS, STATA, SAS, SAS_TRANSPORT, EXCEL)
}
LABELS: Final = ("text", "codes")
"""Choice for values with a label in a file without labels: the label, or the code."""
_SPELLED: Final = frozenset({Feature.VALUE_LABELS, Feature.MISSING_CODES, Feature.MISSING_REASONS})
_TEXT: Final = " To write labels in place of codes: --labels text."
_CODES: Final = " To write all codes, also of missing values: --labels codes."
_REMEDIES: Final = {None: _TEXT + _CODES, "text": "", "codes": _TEXT}


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


def find_lost(
    target: str | os.PathLike[str],
    document: Document,
    names: Iterable[str],
    labels: str | None = None,
) -> frozenset[Feature]:
    """List what `document` says about the columns `names` and the format of `target` loses."""
    kind = FORMATS[format_of(target)]
    kept = kind.keeps if kind.name == document.format else kind.carries
    features = set(FORMATS[document.format].find_features(document, names)) - kept
    if labels == "text":
        features -= {Feature.VALUE_LABELS, Feature.TEXT_LABELS}
    return frozenset(features)


def describe_losses(
    targets: Sequence[Path], document: Document, names: Sequence[str], labels: str | None = None
) -> tuple[str, ...]:
    """Notes on what each file loses, and how labels and codes for missing values can be kept."""
    alike: dict[tuple[frozenset[Feature], str], list[str]] = {}
    for target in targets:
        lost = _name_reasons(find_lost(target, document, names, labels), labels)
        remedy = "" if _holds_labels(target) or not lost & _SPELLED else _REMEDIES[labels]
        alike.setdefault((lost, remedy), []).append(target.name)
    return tuple(
        describe_lost(files, lost, remedy) for (lost, remedy), files in alike.items() if lost
    )


def require_labels(how: str | None, targets: Sequence[Path]) -> None:
    """Refuse a way to write labelled values that there is not, or that no file needs."""
    if how is None:
        return
    if how not in LABELS:
        raise UsageError(f"labels: {how!r} must be one of {', '.join(LABELS)}.")
    if all(map(_holds_labels, targets)):
        raise UsageError("labels: each file of the release keeps its labels. Leave it out.")


def require_labelled(document: Document, how: str | None) -> None:
    """Refuse a way to write labelled values of a file that has none."""
    if how is not None and not document.labels:
        raise UsageError(f"labels: {document.path} has no labels of values. Leave it out.")


def _name_reasons(lost: frozenset[Feature], labels: str | None) -> frozenset[Feature]:
    """Name the reasons that are lost where codes for missing values are not written."""
    if labels is not None or Feature.MISSING_CODES not in lost:
        return lost
    return lost - {Feature.MISSING_CODES} | {Feature.MISSING_REASONS}


def _holds_labels(target: Path) -> bool:
    return Feature.VALUE_LABELS in FORMATS[format_of(target)].carries
