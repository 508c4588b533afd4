"""One sheet of an Excel workbook: a header row, then cells with their types and number formats.

Formulas of a sheet whose results the file does not have.

A workbook holds the last result beside each formula, if a program that computes saved it. Files
that other programs write may have formulas only: their cells would be read as empty.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

import numpy as np
import pandas as pd
import pyarrow as pa

from swapmeet.base.parallel import Progress, with_progress
from swapmeet.errors import FileError, InputError, OutputError
from swapmeet.io.document import Document
from swapmeet.io.header import (
    JUDGED_COLUMNS,
    JUDGED_ROWS,
    check_names,
    number_columns,
    require_header,
)
from swapmeet.io.release_table import to_arrow_table
from swapmeet.release.donors import MADE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from swapmeet.io.format import Format
    from swapmeet.io.publication import Publication


_MOST_ROWS: Final = 1_048_575
_PLAIN: Final = "General"
_DAMAGE: Final = (
    BadZipFile, zlib.error, LookupError, ValueError, TypeError, OSError, EOFError, SyntaxError,
    AttributeError, RuntimeError,
)  # fmt: skip
"""Errors that openpyxl raises when a workbook is damaged."""
_OLD: Final = bytes.fromhex("d0cf11e0a1b11ae1")
"""First bytes of old workbooks, and of new ones that a password locks."""


@dataclass(frozen=True, kw_only=True, repr=False)
class _Layout:
    sheet: str
    cells: dict[str, NDArray[np.object_]]
    number_formats: dict[str, str]
    has_header: bool = True

    @property
    def reading_options(self) -> dict[str, Any]:
        """The sheet, and that there is no header where there is none."""
        return {"sheet": self.sheet} | ({} if self.has_header else {"header": False})


def read(
    kind: Format, path: Path, progress: Progress, *, sheet: str | None = None,
    header: bool | None = None,
) -> Document:  # fmt: skip
    """Read a sheet; its columns are numbered where its first row does not name them."""
    page = _open_sheet(path, sheet)
    columns = _read_columns(path, page, progress, header=header)
    cells = {name: _values(column) for name, column in columns.items()}
    formats = {name: _number_format(column) for name, column in columns.items()}
    frame = pd.DataFrame({name: _parse_column(values) for name, values in cells.items()})
    layout = _Layout(
        sheet=page.title, cells=cells, number_formats=formats, has_header=header is not False
    )
    return Document(path=path, format="excel", frame=frame, layout=layout)


def write(kind: Format, aside: Path, publication: Publication) -> None:
    """Write a workbook with one sheet."""
    import openpyxl

    if len(publication.frame) > _MOST_ROWS:
        raise InputError(
            f"{publication.target}: an Excel sheet has room for {_MOST_ROWS} rows; got "
            f"{len(publication.frame)}. Write .csv or .parquet."
        )
    layout = publication.original.layout if publication.original is not None else None
    book = openpyxl.Workbook(write_only=True)
    page = book.create_sheet(layout.sheet if layout else "Sheet1")
    header = [_text_cell(page, name) for name in publication.names]
    rows = list(zip(*_build_columns(page, publication, layout), strict=True))
    if layout is None or layout.has_header:
        page.append(header)
    for row in with_progress(rows, len(rows), publication.progress, "writing"):
        page.append(row)
    packed = BytesIO()
    book.save(packed)
    aside.write_bytes(packed.getbuffer())


def _open_sheet(path: Path, sheet: str | None) -> Any:
    import openpyxl

    content = BytesIO(path.read_bytes())
    if content.getbuffer()[: len(_OLD)] == _OLD:
        raise FileError(
            f"{path}: is protected by a password, or made by an Excel before 2007. Open it in "
            "Excel, take the password away, and save it as .xlsx."
        )
    with _refuse_damage(path), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(content, read_only=True, data_only=True)
    names = [page.title for page in book.worksheets]
    if not names or (sheet is not None and sheet not in names):
        raise FileError(f"{path}: no sheet {sheet!r}. It has {', '.join(map(repr, names))}.")
    return book[sheet or names[0]]


def _read_columns(
    path: Path, page: Any, progress: Progress, *, header: bool | None
) -> dict[str, Sequence[Any]]:
    """Name and cells of each column that is not blank; blank rows at the end are left out."""
    rows = _read_rows(path, page, progress)
    while rows and not any(_value_of(cell) is not None for cell in rows[-1]):
        rows.pop()
    columns = [
        (place, column)
        for place, column in enumerate(zip_longest(*rows))
        if any(_value_of(cell) is not None for cell in column)
    ]
    if not columns:
        raise FileError(f"{path}: sheet {page.title!r} is empty. Choose another with `sheet`.")
    _check_formulas(path, page, dict(columns), header=header)
    if header is False:
        named = zip(number_columns(len(columns)), columns, strict=True)
        return {name: column for name, (_, column) in named}
    if header is None:
        _check_header(path, [column for _, column in columns])
    names = [_column_name(path, place, column[0]) for place, column in columns]
    check_names(path, names)
    return {name: column[1:] for name, (_, column) in zip(names, columns, strict=True)}


def _read_rows(path: Path, page: Any, progress: Progress) -> list[Any]:
    """All rows; how many there are is not known beforehand, only guessed by the sheet."""
    guessed = page.max_row or 0
    page.reset_dimensions()
    with _refuse_damage(path):
        return list(with_progress(page.iter_rows(), guessed, progress, "reading"))


def _check_formulas(
    path: Path, page: Any, columns: dict[int, Sequence[Any]], *, header: bool | None
) -> None:
    first = {place: _value_of(column[0]) for place, column in columns.items()}
    named = (
        {} if header is False else {place: repr(str(one)) for place, one in first.items() if one}
    )
    with _refuse_damage(path):
        require_results(path, page, named)


@contextmanager
def _refuse_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGE:
        raise FileError(f"{path}: is not a readable Excel file, or it is cut off.") from None


def _check_header(path: Path, columns: list[Sequence[Any]]) -> None:
    judged = [column[:JUDGED_ROWS] for column in columns[:JUDGED_COLUMNS]]
    texts = [["" if value is None else str(value) for value in _values(each)] for each in judged]
    first = ["" if (value := _value_of(each[0])) is None else str(value) for each in columns]
    require_header(path, first, [pa.array(text[1:], pa.large_string()) for text in texts])


def _value_of(cell: Any) -> Any:
    return None if cell is None else cell.value


def _column_name(path: Path, place: int, cell: Any) -> str:
    name = _value_of(cell)
    if name is None:
        raise FileError(
            f"{path}: column {place + 1} has no name in the first row. Give it one, "
            "remove titles above the names, or say --no-header (header=False) if the first row is "
            "a record."
        )
    return str(name)


def _values(column: Iterable[Any]) -> NDArray[np.object_]:
    values = [_value_of(cell) for cell in column]
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    return cells


def _number_format(column: Iterable[Any]) -> str:
    """The number format of the first cell that holds something."""
    return next((str(cell.number_format) for cell in column if _value_of(cell) is not None), _PLAIN)


def _parse_column(values: NDArray[np.object_]) -> pd.Series[Any]:
    """A column of one type; text if its cells are of several."""
    column = pd.Series(values, dtype=object)
    missing = bool(column.isna().any())
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind == "boolean":
        return column.astype("boolean" if missing else bool)
    if kind == "integer" and max(map(abs, column.dropna())) < 2**63:
        return column.astype("Int64" if missing else "int64")
    if kind in {"integer", "floating", "mixed-integer-float"}:
        return column.astype(float)
    if kind in {"datetime", "datetime64", "date"}:
        return pd.to_datetime(column).astype("datetime64[us]")
    return pd.Series([None if value is None else str(value) for value in values])


def _build_columns(
    page: Any, publication: Publication, layout: _Layout | None
) -> Iterator[Iterator[Any]]:
    table = to_arrow_table(publication)
    for name in publication.names:
        known = layout is not None and name in layout.cells
        form = layout.number_formats[name] if layout is not None and known else _PLAIN
        values = _move_values(publication, name, _to_plain(table[name]))
        if layout is not None and known:
            values = _restore_types(values, layout.cells[name])
        yield _build_cells(page, publication, name, values, form)


def _move_values(publication: Publication, name: str, values: list[Any]) -> list[Any]:
    """The values of the donors; those given where there are none, or where a value was made."""
    original, donors = publication.original, publication.cell_donors(name)
    if original is None or donors is None:
        return values
    before = _to_plain(pa.Array.from_pandas(original.frame[name]))
    rows = zip(donors.tolist(), values, strict=True)
    return [before[row] if row >= 0 else value if row == MADE else None for row, value in rows]


def _restore_types(values: list[Any], cells: NDArray[np.object_]) -> list[Any]:
    """Text that stands for the cells of a column of mixed types as such a cell.

    The same text always becomes the same cell: a 5 and a "5" in one column are not told apart.
    """
    stands_for: dict[str, Any] = {}
    for cell in sorted(filter(_is_other, cells), key=lambda cell: type(cell).__name__):
        stands_for.setdefault(str(cell), cell)
    return [stands_for.get(each, each) if isinstance(each, str) else each for each in values]


def _is_other(cell: Any) -> bool:
    return cell is not None and not isinstance(cell, str)


def _to_plain(column: Any) -> list[Any]:
    """Values as Python objects that a cell can hold; moments of a time zone become text."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.string() if column.type.tz else pa.timestamp("us"), safe=False)
    values: list[Any] = column.to_pylist()
    if pa.types.is_floating(column.type):
        finite = (None if value is None or not np.isfinite(value) else value for value in values)
        return [None if value is None else value + 0.0 for value in finite]
    return values


def _build_cells(
    page: Any, publication: Publication, name: str, values: Iterable[Any], form: str
) -> Iterator[Any]:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.utils.exceptions import IllegalCharacterError

    for value in values:
        if value is None:
            yield None
            continue
        try:
            cell = _text_cell(page, value) if isinstance(value, str) else WriteOnlyCell(page, value)
        except (IllegalCharacterError, ValueError, TypeError):
            raise OutputError(
                f"{publication.target}: column {name!r} has values that Excel cannot hold. "
                "No file was written. Write .csv or .parquet."
            ) from None
        if form != _PLAIN:
            cell.number_format = form
        yield cell


def _text_cell(page: Any, text: str) -> Any:
    """A cell of text, even if it begins with `=`."""
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(page, text)
    cell.data_type = "s"
    return cell


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
