"""Entries of an SPSS file's dictionary that pyreadstat cannot write.

The weight is a number in the file header: the place of a variable, counted from 1, where text of
more than eight bytes takes several places. Multiple-response sets are a record of their own before
the record that ends the dictionary. The layout is that of "System File Format" in the PSPP
developers' guide.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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
    found = SpssDictionary.read(path)
    assert found is not None
    content = bytearray(path.read_bytes())
    if weight is not None:
        struct.pack_into(f"{found.order}i", content, _WEIGHT, found.places[weight])
    if sets:
        record = _build_record(found, sets)
        content[found.end : found.end] = record
        if content.startswith(_ZLIB):
            _shift_blocks(content, found.order, found.end + len(record) + 8, len(record))
    path.write_bytes(content)


def _build_record(found: SpssDictionary, sets: Mapping[str, Any]) -> bytes:
    text = b"".join(_spell_set(found, name, told) for name, told in sets.items())
    text += b"\n" * (-len(text) % 4)
    return struct.pack(f"{found.order}4i", _MORE, _SETS, 1, len(text)) + text


def _spell_set(found: SpssDictionary, name: str, told: Mapping[str, Any]) -> bytes:
    label = (told["label"] or "").encode()
    kind = b"C"
    if told["is_dichotomy"]:
        counted = str(told["counted_value"]).encode()
        kind = b"D%d %b" % (len(counted), counted)
    members = " ".join(found.short[each].lower() for each in told["variable_list"]).encode()
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
        found: int = struct.unpack_from(f"{self.order}i", self.content, place)[0]
        return found

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
        told = self.content[self.at + 16 : self.at + 16 + size * count]
        self.at += 16 + size * count
        if kind == _LONG_NAMES:
            pairs = (
                pair.partition("=") for pair in told.decode(self.encoding, "replace").split("\t")
            )
            self.long_names = {short.upper(): long for short, _, long in pairs}
