"""Layout of a delimited text: its delimiter, line ends, compression and encoding."""

from __future__ import annotations

import codecs
import csv
import gzip
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Final

from swapmeet.errors import FileError, OutputError, UsageError, warn

_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_PACKED: Final = {b"\x1f\x8b": "what gzip packed", b"PK\x03\x04": "a workbook or a zip archive",
                  b"PAR1": "Parquet", b"$FL": "an SPSS file"}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TextEncoding:
    """Encoding of text: a codec without byte order mark, and the mark before it, if any."""

    codec: str = "utf-8"
    mark: bytes = b""


def read_text(path: Path, encoding: str | None) -> tuple[bytes, TextEncoding]:
    """The text of a file as UTF-8, and how it is stored."""
    raw = _read_bytes(path)
    mark, marked = find_mark(raw)
    known = resolve_encoding(path, encoding, marked) if encoding else marked
    mark = mark if known == marked else b""
    text, codec = _decode(path, raw, len(mark), known) if known else _guess_codec(path, raw)
    if b"\0" in text:
        raise not_text_error(path, codec)
    return text, TextEncoding(codec=codec, mark=mark)


def write_text(aside: Path, target: Path, encoding: TextEncoding, parts: Iterable[bytes]) -> None:
    """Write UTF-8 `parts` to `aside`, stored as `encoding` says, packed if `target` says so."""
    with aside.open("wb") as plain:
        if not is_packed(target):
            plain.write(encoding.mark)
            plain.writelines(_encode(target, part, encoding.codec) for part in parts)
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=plain, compresslevel=6, mtime=0) as out:
            out.write(encoding.mark)
            for part in parts:
                out.write(_encode(target, part, encoding.codec))


def not_text_error(path: Path, codec: str) -> FileError:
    """Message about a file with a zero byte."""
    with path.open("rb") as file:
        begins = file.read(4)
    packed = next((name for mark, name in _PACKED.items() if begins.startswith(mark)), None)
    if packed and not is_packed(path):
        return FileError(
            f"{path}: holds {packed}, not text. Give the file a name that ends accordingly."
        )
    return FileError(f"{path}: is not a text, or not one in {codec}. Give its encoding.")


def gzip_error(path: Path) -> FileError:
    """Message about a file that only looks packed."""
    return FileError(
        f"{path}: is not a readable gzip file, or it is cut off. If it is not packed, remove .gz "
        "from its name."
    )


def decoding_error(path: Path, place: int, codec: str) -> FileError:
    """Message about a byte that is not text."""
    return FileError(f"{path}: byte {place} is not valid {codec}. Give the file's encoding.")


def warn_of_guess(path: Path, codec: str) -> None:
    """Say that an encoding was guessed."""
    warn(f"{path} is not UTF-8; it was read as {codec}. Give the encoding if this is wrong.")


def is_packed(path: Path) -> bool:
    """Return whether the name says that the file is packed."""
    return path.suffix.lower() == ".gz"


def _read_bytes(path: Path) -> bytes:
    raw = path.read_bytes()
    if not is_packed(path):
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error):
        raise gzip_error(path) from None


def find_mark(raw: bytes) -> tuple[bytes, str | None]:
    """The byte order mark at the beginning, and the codec it stands for."""
    for mark, codec in _MARKS.items():
        if raw.startswith(mark):
            return mark, codec
    return b"", None


def resolve_encoding(path: Path, encoding: str, marked: str | None) -> str:
    """The codec that a user named; a byte order mark makes it precise."""
    try:
        b"    ".decode(encoding, errors="replace")
    except (LookupError, UnicodeError):
        raise UsageError(f"{path}: unknown encoding {encoding!r}. Try utf-8 or latin-1.") from None
    name = codecs.lookup(encoding).name.removesuffix("-sig")
    if marked and marked.startswith(name):
        return marked
    return f"{name}-le" if name in {"utf-16", "utf-32"} else name


def _decode(path: Path, raw: bytes, start: int, codec: str) -> tuple[bytes, str]:
    body = raw[start:]
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as error:
        raise decoding_error(path, start + error.start, codec) from None
    return (body if codec == "utf-8" else text.encode()), codec


def _guess_codec(path: Path, raw: bytes) -> tuple[bytes, str]:
    if raw.isascii():
        return raw, "utf-8"
    for codec in ("utf-8", "cp1252", "latin-1"):
        try:
            text = raw.decode(codec)
        except UnicodeDecodeError:
            continue
        if codec == "utf-8":
            return raw, codec
        warn_of_guess(path, codec)
        return text.encode(), codec
    raise AssertionError("latin-1 decodes everything")


def _encode(target: Path, part: bytes, codec: str) -> bytes:
    if codec == "utf-8":
        return part
    try:
        return part.decode().encode(codec)
    except UnicodeEncodeError:
        raise OutputError(
            f"{target}: some text cannot be stored in {codec}, the encoding of the original. "
            "No file was written. Convert the original to UTF-8 first."
        ) from None


_CANDIDATES: Final = ",;\t|"
_SAMPLE: Final = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The layout of a delimited text; whether it has a header may have to be found out."""

    delimiter: str = ","
    newline: str = "\n"
    ends_in_newline: bool = True
    has_header: bool | None = True
    encoding: TextEncoding = field(default_factory=TextEncoding)

    @property
    def decimal_comma(self) -> bool:
        """Return whether `3,14` may be a number: where the delimiter is a semicolon."""
        return self.delimiter == ";"


def detect_dialect(
    path: Path,
    text: bytes,
    encoding: TextEncoding,
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
