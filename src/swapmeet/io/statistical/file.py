"""SPSS, Stata and SAS files: cells as stored, typed for masking, written with their labels.

Two tables are kept of a file. The stored one holds numbers for dates and codes for user-missing
values, so that a release repeats them exactly; the typed one holds dates, and nothing where a
value is declared missing.

Entries of an SPSS file's dictionary that pyreadstat cannot write.

The weight is a number in the file header: the place of a variable, counted from 1, where text of
more than eight bytes takes several places. Multiple-response sets are a record of their own before
the record that ends the dictionary. The layout is that of "System File Format" in the PSPP
developers' guide.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from swapmeet.errors import FileError
from swapmeet.io.document import Document
from swapmeet.io.statistical.reading import damage_error, read_apart
from swapmeet.io.statistical.release import write_release
from swapmeet.io.statistical.values import find_sets, find_value_labels, parse_frame
from swapmeet.tables.traces import Trace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pandas as pd

    from swapmeet.base.parallel import Progress
    from swapmeet.io.publication import Publication
    from swapmeet.io.statistical import StatisticalFormat


_MEASURES: Final = {"nominal": "nominal", "ordinal": "ordinal", "scale": "numeric"}
_STATA_END: Final = b"</stata_dta>"
_RECORD: Final = 80


@dataclass(frozen=True, kw_only=True, repr=False)
class Layout:
    """A file as stored: its table, pyreadstat's metadata, and options for pyreadstat's writer.

    `weight` is the column that an SPSS file names as its weight.
    """

    stored: pd.DataFrame
    metadata: Any
    container: dict[str, Any]
    weight: str | None = None


def read(
    kind: StatisticalFormat,
    path: Path,
    progress: Progress,
    *,
    encoding: str | None = None,
) -> Document:
    """Read a statistical package's file."""
    stored, metadata = _read_stored(kind, path, encoding)
    frame = parse_frame(kind.name, stored, metadata)
    container = _read_container(path, kind.name)
    weight = _find_weight(kind, path, metadata)
    return Document(
        path=path,
        format=kind.name,
        frame=frame,
        kinds=_find_kinds(frame, metadata),
        labels=find_value_labels(metadata),
        weight=weight,
        layout=Layout(stored=stored, metadata=metadata, container=container, weight=weight),
    )


def write(kind: StatisticalFormat, aside: Path, publication: Publication) -> None:
    """Write a statistical package's file, with the labels of the original as far as they apply."""
    import pyreadstat as library

    try:
        rows = write_release(kind, library, aside, publication)
    except library.ReadstatError as error:
        raise OSError(None, f"{error}; the disk may be full") from None
    if kind.name == "spss" and publication.original is not None:
        _add_to_dictionary(aside, publication, publication.original.layout)
    _check_rows(kind, aside, publication.names, rows)


def _find_weight(kind: StatisticalFormat, path: Path, metadata: Any) -> str | None:
    if kind.name != "spss":
        return None
    dictionary = SpssDictionary.read(path, metadata.file_encoding)
    named = None if dictionary is None else dictionary.weight
    return named if named in metadata.column_names else None


def _add_to_dictionary(aside: Path, publication: Publication, layout: Layout) -> None:
    """Name the weight and the multiple-response sets again, as far as they are published."""
    sets = find_sets(layout.metadata, publication.names)
    if len(sets) < len(layout.metadata.mr_sets or {}):
        publication.leave_out(Trace.RESPONSE_SETS)
    weight = layout.weight if layout.weight in publication.names else None
    if sets or weight is not None:
        add_to_dictionary(aside, weight, sets)


def _read_stored(
    kind: StatisticalFormat, path: Path, encoding: str | None
) -> tuple[pd.DataFrame, Any]:
    _check_whole(kind, path)
    declared = {} if kind.name == "xport" else {"user_missing": True}
    stored, metadata = read_apart(kind, path, encoding, **declared)
    coded = list(metadata.missing_user_values)
    if kind.name == "stata" and coded:
        plain, _ = read_apart(kind, path, encoding, usecols=coded)
        stored = stored.assign(**{each: _repair(stored[each], plain[each]) for each in coded})
    return stored, metadata


def _repair(stored: pd.Series[Any], plain: pd.Series[Any]) -> pd.Series[Any]:
    """Undo that pyreadstat 1.3 shows any number for `.` where a column has `.a` to `.z`, too."""
    coded = stored.map(lambda cell: isinstance(cell, str))
    return stored.astype(object).where(coded | plain.notna(), np.nan)


def _check_whole(kind: StatisticalFormat, path: Path) -> None:
    """Refuse a cut file that pyreadstat reads as far as it goes.

    A Stata 13+ file has an end; a SAS transport file consists of records of 80 bytes.
    """
    if kind.name == "xport" and path.stat().st_size % _RECORD:
        raise damage_error(kind, path)
    content = path.read_bytes() if kind.name == "stata" else b""
    if content.startswith(b"<stata_dta>") and not content.rstrip().endswith(_STATA_END):
        raise FileError(f"{path}: is cut off. Get a complete copy.")


def _read_container(path: Path, name: str) -> dict[str, Any]:
    with path.open("rb") as file:
        head = file.read(80)
    if name == "spss":
        return {"row_compress": 1 in head[72:76]}
    if name == "stata":
        return {"version": _stata_version(head)}
    if name == "xport":
        version = 8 if b"LIBV8" in head else 5
        return {"file_format_version": version}
    return {}


def _stata_version(head: bytes) -> int:
    for release, version in ((b"117", 13), (b"118", 14), (b"119", 15)):
        if b"<release>" + release in head:
            return version
    return {113: 8, 114: 10, 115: 12}.get(head[0], 12)


def _find_kinds(frame: pd.DataFrame, metadata: Any) -> dict[str, str]:
    """Kinds of columns by measurement levels and value labels, dates apart."""
    kinds = {
        str(name): _MEASURES.get(metadata.variable_measure.get(name))
        or _kind_by_labels(frame, metadata, name)
        for name in frame.columns
        if frame[name].dtype.kind != "M"
    }
    return {name: kind for name, kind in kinds.items() if kind}


def _kind_by_labels(frame: pd.DataFrame, metadata: Any, name: str) -> str | None:
    labels = metadata.variable_value_labels.get(name)
    values = frame[name].dropna()
    if not labels or values.empty:
        return None
    return "nominal" if values.isin(list(labels)).all() else None


def _check_rows(kind: StatisticalFormat, aside: Path, names: list[str], rows: int) -> None:
    """Count the rows that reached the disk: pyreadstat does not report every failed write."""
    import pyreadstat as library

    try:
        frame, _ = getattr(library, kind.reader)(aside, usecols=names[:1])
    except (library.ReadstatError, library.PyreadstatError, ValueError):
        frame = None
    if frame is None or len(frame) != rows:
        raise OSError(None, "some rows did not reach the disk, which may be full")


_LAYOUT, _WEIGHT, _FIRST = 64, 76, 176
_VARIABLE, _LABELS, _USED, _LINES, _MORE, _END = 2, 3, 4, 6, 7, 999
_SETS, _LONG_NAMES = 7, 13
_ZLIB: Final = b"$FL3"


@dataclass(frozen=True, repr=False)
class SpssDictionary:
    """The places of the variables by their long names, the weight's place, and where it all ends.

    `short` has the names of eight bytes, which records use for variables.
    """

    order: str
    weight_place: int
    places: dict[str, int]
    short: dict[str, str]
    end: int

    @classmethod
    def read(cls, path: Path, encoding: str | None = None) -> Self | None:
        """That of a file; none where it cannot be followed."""
        try:
            walk = _Walk(path.read_bytes(), encoding or "utf-8")
            end = walk.find_end()
        except (struct.error, LookupError, ValueError):
            return None
        long = walk.long_names
        places = {long.get(name.upper(), name): place for name, place in walk.places.items()}
        short = {long.get(name.upper(), name): name for name in walk.places}
        return cls(walk.order, walk.number(_WEIGHT), places, short, end)

    @property
    def weight(self) -> str | None:
        """The variable that the file names as its weight."""
        named = {place: name for name, place in self.places.items()}
        return named.get(self.weight_place)


def add_to_dictionary(path: Path, weight: str | None, sets: Mapping[str, Any]) -> None:
    """Name the weight and the multiple-response sets in a file that was written without them."""
    dictionary = SpssDictionary.read(path)
    assert dictionary is not None
    content = bytearray(path.read_bytes())
    if weight is not None:
        struct.pack_into(f"{dictionary.order}i", content, _WEIGHT, dictionary.places[weight])
    if sets:
        record = _build_record(dictionary, sets)
        content[dictionary.end : dictionary.end] = record
        if content.startswith(_ZLIB):
            _shift_blocks(content, dictionary.order, dictionary.end + len(record) + 8, len(record))
    path.write_bytes(content)


def _build_record(dictionary: SpssDictionary, sets: Mapping[str, Any]) -> bytes:
    text = b"".join(_spell_set(dictionary, name, facts) for name, facts in sets.items())
    text += b"\n" * (-len(text) % 4)
    return struct.pack(f"{dictionary.order}4i", _MORE, _SETS, 1, len(text)) + text


def _spell_set(dictionary: SpssDictionary, name: str, facts: Mapping[str, Any]) -> bytes:
    label = (facts["label"] or "").encode()
    kind = b"C"
    if facts["is_dichotomy"]:
        counted = str(facts["counted_value"]).encode()
        kind = b"D%d %b" % (len(counted), counted)
    members = " ".join(dictionary.short[each].lower() for each in facts["variable_list"]).encode()
    return b"$%b=%b %d %b %b\n" % (name.lstrip("$").encode(), kind, len(label), label, members)


def _shift_blocks(content: bytearray, order: str, header: int, by: int) -> None:
    """Offsets in the headers of compressed data, which has moved."""
    _, trailer, length = struct.unpack_from(f"{order}3q", content, header)
    struct.pack_into(f"{order}3q", content, header, header, trailer + by, length)
    blocks = struct.unpack_from(f"{order}i", content, trailer + by + 20)[0]
    for at in range(trailer + by + 24, trailer + by + 24 + 24 * blocks, 24):
        plain, packed = struct.unpack_from(f"{order}2q", content, at)
        struct.pack_into(f"{order}2q", content, at, plain + by, packed + by)


@dataclass
class _Walk:
    """The records of a dictionary, one after the other."""

    content: bytes
    encoding: str
    at: int = _FIRST
    places: dict[str, int] = field(default_factory=dict)
    long_names: dict[str, str] = field(default_factory=dict)
    order: str = "<"
    _count: int = 0

    def __post_init__(self) -> None:
        self.order = "<" if self.number(_LAYOUT) in {2, 3} else ">"

    def number(self, place: int) -> int:
        """The whole number at an offset."""
        number: int = struct.unpack_from(f"{self.order}i", self.content, place)[0]
        return number

    def find_end(self) -> int:
        """Find the record that ends the dictionary."""
        steps = {_VARIABLE: self._variable, _LABELS: self._labels, _USED: self._used,
                 _LINES: self._lines, _MORE: self._more}  # fmt: skip
        while (kind := self.number(self.at)) != _END:
            steps[kind]()
        return self.at

    def _variable(self) -> None:
        width, has_label, missing = (self.number(self.at + skip) for skip in (4, 8, 12))
        self._count += 1
        if width >= 0:
            name = self.content[self.at + 24 : self.at + 32].decode(self.encoding, "replace")
            self.places[name.rstrip(" \0")] = self._count
        self.at += 32
        if has_label:
            self.at += 4 + -(-self.number(self.at) // 4) * 4
        self.at += 8 * abs(missing)

    def _labels(self) -> None:
        count, self.at = self.number(self.at + 4), self.at + 8
        for _ in range(count):
            self.at += 8 + -(-(1 + self.content[self.at + 8]) // 8) * 8

    def _used(self) -> None:
        self.at += 8 + 4 * self.number(self.at + 4)

    def _lines(self) -> None:
        self.at += 8 + 80 * self.number(self.at + 4)

    def _more(self) -> None:
        kind, size, count = (self.number(self.at + skip) for skip in (4, 8, 12))
        if size < 0 or count < 0:
            raise ValueError
        content = self.content[self.at + 16 : self.at + 16 + size * count]
        self.at += 16 + size * count
        if kind == _LONG_NAMES:
            pairs = (
                pair.partition("=") for pair in content.decode(self.encoding, "replace").split("\t")
            )
            self.long_names = {short.upper(): long for short, _, long in pairs}
