"""Layout of a delimited text: its delimiter, its line ends, its encoding."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Final

from swapmeet.errors import UsageError
from swapmeet.io.delimited.encoding import Encoding

if TYPE_CHECKING:
    from pathlib import Path

_CANDIDATES: Final = ",;\t|"
_SAMPLE: Final = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The layout of a delimited text; whether it has a header may have to be found out."""

    delimiter: str = ","
    newline: str = "\n"
    ends_in_newline: bool = True
    has_header: bool | None = True
    encoding: Encoding = field(default_factory=Encoding)

    @property
    def decimal_comma(self) -> bool:
        """Return whether `3,14` may be a number: where the delimiter is a semicolon."""
        return self.delimiter == ";"


def detect_dialect(
    path: Path,
    text: bytes,
    encoding: Encoding,
    delimiter: str | None,
    *,
    header: bool | None = None,
) -> Dialect:
    """The dialect of a text; `delimiter` is found out unless given."""
    newline = _detect_newline(text)
    return Dialect(
        delimiter=_require_delimiter(path, delimiter)
        if delimiter
        else required_delimiter(path) or _detect_delimiter(text),
        newline=newline,
        ends_in_newline=text.endswith(newline.encode()),
        has_header=header,
        encoding=encoding,
    )


def required_delimiter(path: Path) -> str | None:
    """The delimiter that a file name demands: tab for .tsv."""
    return "\t" if ".tsv" in path.suffixes[-2:] else None


def _require_delimiter(path: Path, delimiter: str) -> str:
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise UsageError(
            f"{path}: `delimiter` must be one ASCII character other than a quote or a line break."
        )
    return delimiter


def _detect_newline(text: bytes) -> str:
    first = text.find(b"\n")
    if first < 0:
        return "\r" if b"\r" in text else "\n"
    return "\r\n" if text[first - 1 : first] == b"\r" else "\n"


def _detect_delimiter(text: bytes) -> str:
    return max(_CANDIDATES, key=lambda candidate: _rate_delimiter(text, candidate))


def _rate_delimiter(text: bytes, delimiter: str) -> tuple[float, int]:
    """Rate how well a delimiter splits the first lines into as many cells as the header has."""
    sample = StringIO(text[:_SAMPLE].decode(errors="ignore"), newline="")
    try:
        counts = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
    except csv.Error:
        return 0.0, 0
    if len(text) > _SAMPLE and len(counts) > 1:
        counts.pop()
    if not counts or counts[0] == 1:
        return 0.0, 0
    return counts.count(counts[0]) / len(counts), counts[0]
