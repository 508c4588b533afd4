"""Formulas of a sheet whose results the file does not have.

A workbook holds the last result beside each formula, if a program that computes saved it. Files
that other programs write may have formulas only: their cells would be read as empty.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree
from zipfile import ZipFile

from swapmeet.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PIECE: Final = 1 << 20
_FORMULA: Final = re.compile(rb"<(?:\w+:)?f[ />]")


def require_results(path: Path, page: Any, names: Mapping[int, str]) -> None:
    """Refuse a sheet with formulas that have no result; `names` has columns by their place."""
    counts = sorted(_count_without_result(path, page).items())
    culprits = [f"{names.get(place, f'column {place + 1}')} ({count})" for place, count in counts]
    if culprits:
        raise FileError(
            f"{path}: formulas without results in {', '.join(culprits)}; their cells would be "
            "empty. Open the file in Excel or LibreOffice and save it, which computes them."
        )


def _count_without_result(path: Path, page: Any) -> Counter[int]:
    """Count such formulas in each column of a sheet, by its place from 0."""
    member = getattr(page, "_worksheet_path", None)
    with ZipFile(path) as book:
        if member is None or member not in book.namelist() or not _has_formulas(book, member):
            return Counter()
        with book.open(member) as sheet:
            return Counter(place for place in map(_find_empty, _iterate_cells(sheet)) if place >= 0)


def _has_formulas(book: ZipFile, member: str) -> bool:
    before = b""
    with book.open(member) as sheet:
        while piece := sheet.read(_PIECE):
            if _FORMULA.search(before + piece):
                return True
            before = piece[-64:]
    return False


def _iterate_cells(sheet: Any) -> Any:
    for _, element in ElementTree.iterparse(sheet):
        if _tag(element) == "c":
            yield element
        elif _tag(element) == "row":
            element.clear()


def _find_empty(cell: Any) -> int:
    """The column of a formula that has no result; -1 of any other cell.

    An empty result is one where the cell says that it is text.
    """
    parts = {_tag(part): part.text for part in cell}
    known = parts.get("v") or "is" in parts or ("v" in parts and cell.get("t") == "str")
    return -1 if known or "f" not in parts else _place_of(cell.get("r", ""))


def _place_of(reference: str) -> int:
    """The place of a column from 0.

    >>> _place_of("A7"), _place_of("AB12")
    (0, 27)
    """
    letters = reference.rstrip("0123456789").upper()
    place = 0
    for letter in letters:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
