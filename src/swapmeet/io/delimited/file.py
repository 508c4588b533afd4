"""Delimited text (csv, tsv, txt): typed for masking, written token by token.

Text is cut into tokens, the cells as they stand in the file, with their quotes. A cell that begins
with a quote ends at the next quote before a separator; a doubled quote inside is text. A quote
inside an unquoted cell is text, too. All cuts are found at once with numpy; the cells become Arrow
arrays without ever being Python objects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.base.parallel import Progress, with_progress
from swapmeet.base.sentences import count
from swapmeet.errors import FileError
from swapmeet.io.delimited.dialect import Dialect, detect_dialect, read_text, write_text
from swapmeet.io.delimited.look import CellLook, TextLayout, choose_layout, show_blank_rows
from swapmeet.io.delimited.values import (
    count_formulas,
    guard_formulas,
    is_text,
    parse_column,
    render_text,
    warn_of_formulas,
)
from swapmeet.io.document import Document
from swapmeet.io.header import (
    JUDGED_COLUMNS,
    JUDGED_ROWS,
    check_names,
    name_blanks,
    number_columns,
    require_header,
)
from swapmeet.io.release_table import take_cells, to_arrow_table
from swapmeet.tables.missing_codes import assign_words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from swapmeet.base.arrays import Flags, Ints
    from swapmeet.io.format import Format
    from swapmeet.io.publication import Publication
    from swapmeet.tables.roles import MissingCodes


@dataclass(frozen=True, repr=False)
class _RawText:
    """Form of a text, and its cells."""

    layout: TextLayout
    cells: Mapping[str, Any]

    @property
    def reading_options(self) -> dict[str, Any]:
        """Delimiter and encoding, and that there is no header where there is none."""
        dialect = self.layout.dialect
        options = {"delimiter": dialect.delimiter, "encoding": dialect.encoding.codec}
        return options | ({"header": False} if dialect.has_header is False else {})


def read(
    kind: Format,
    path: Path,
    progress: Progress,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    missing: MissingCodes = (),
) -> Document:
    """Read a delimited text; its columns are numbered where it has no header line.

    Words among the codes for a `missing` value do not keep a column of numbers from being one.
    """
    text, stored = read_text(path, encoding)
    dialect = detect_dialect(path, text, stored, delimiter, header=header)
    check_header(path, text, dialect)
    tokens = split_table(path, text, dialect)
    pairs, gaps = tokens.columns.items(), assign_words(missing, tuple(tokens.columns))
    columns = {
        name: parse_column(column, decimal_comma=dialect.decimal_comma, gaps=gaps[name])
        for name, column in with_progress(pairs, len(pairs), progress, "reading")
    }
    comma = frozenset(name for name, column in columns.items() if column.decimal_comma)
    frame = pa.table({name: column.values for name, column in columns.items()})
    kinds = {field.name: field.type for field in frame.schema}
    looks = {
        name: CellLook.of(column.tokens, kinds[name], comma=column.decimal_comma, gaps=gaps[name])
        for name, column in columns.items()
    }
    layout = TextLayout(dialect, tokens.header, comma, kinds, looks)
    as_read = _RawText(layout, tokens.columns)
    return Document(path=path, format="csv", frame=frame, layout=as_read)


def write(kind: Format, aside: Path, publication: Publication) -> None:
    """Write a delimited text in the dialect of the original, if there is one."""
    original = _find_original(publication)
    layout, table, names = original.layout, to_arrow_table(publication), publication.names
    columns = [
        _render_column(publication, original, name, table[name])
        for name in with_progress(names, len(names), publication.progress, "writing")
    ]
    if publication.guards_formulas:
        columns = [
            guard_formulas(cells) if is_text(table[name].type) else cells
            for name, cells in zip(names, columns, strict=True)
        ]
    counts = map(count_formulas, columns, (table[name] for name in names))
    warn_of_formulas(publication.target, dict(zip(names, counts, strict=True)))
    parts = render_text(layout.titles(names), [show_blank_rows(columns)], layout.dialect)
    write_text(aside, publication.target, layout.dialect.encoding, parts)


def _find_original(publication: Publication) -> _RawText:
    """Layout and cells to keep, as far as the target allows."""
    before: _RawText | None = None if publication.original is None else publication.original.layout
    layout = choose_layout(publication.target, None if before is None else before.layout)
    return before if before is not None and layout is before.layout else _RawText(layout, {})


def _render_column(publication: Publication, original: _RawText, name: str, values: Any) -> Any:
    before, donors = original.cells.get(name), publication.cell_donors(name)
    if before is None or donors is None:
        return original.layout.format_cells(publication.target, name, values)
    copied = pc.fill_null(take_cells(before, donors), "")
    copied = original.layout.rewrite_cells(name, copied)
    made = publication.made_cells(name)
    if made is None:
        return copied
    fresh = original.layout.format_cells(publication.target, name, values)
    return pc.if_else(pa.array(made), fresh, copied)


_QUOTE: Final = ord('"')
_RETURN: Final = ord("\r")
HEAD_BYTES: Final = 1 << 20
"""Bytes by which delimiter, line ends and header are judged."""


@dataclass(frozen=True, repr=False)
class RawCells:
    """The tokens of a text: those of the header, and one array per column name."""

    header: dict[str, str]
    columns: dict[str, pa.LargeStringArray]


@dataclass(frozen=True, repr=False)
class _Cuts:
    """The bytes of all cells, closed up; where each cell ends and how long it is; cells per row."""

    body: NDArray[np.uint8]
    ends: Ints
    lengths: Ints
    fields: Ints


def split_table(path: Path, text: bytes, dialect: Dialect) -> RawCells:
    """The tokens of a text whose rows all have as many cells as its first line."""
    cells, width = _split_cells(path, text, dialect)
    if dialect.has_header is False:
        header = {name: name for name in number_columns(width)}
        return RawCells(header, _arrange_columns(cells, header, 0))
    header = _parse_header(path, cells[:width].to_pylist())
    return RawCells(header, _arrange_columns(cells, header, width))


def split_rows(
    path: Path, text: bytes, dialect: Dialect, header: dict[str, str], line: int
) -> RawCells:
    """The tokens of the rows from this line on, where a text comes piece by piece."""
    cells, _ = _split_cells(path, text, dialect, width=len(header), line=line)
    return RawCells(header, _arrange_columns(cells, header, 0))


def _split_cells(
    path: Path, text: bytes, dialect: Dialect, width: int | None = None, line: int = 1
) -> tuple[Any, int]:
    """All cells, row by row, and how many a row has."""
    if not text.endswith(dialect.newline[-1:].encode()):
        text += dialect.newline.encode()
    data = np.frombuffer(text, dtype=np.uint8)
    cuts = _find_cuts(data, dialect)
    if width is None:
        cuts, width = _begin_table(path, cuts, dialect)
    if width > 1:
        cuts = _drop_lines(cuts, _find_blank_lines(cuts))
    _check_shape(path, data, cuts, ord(dialect.newline[-1]), width, line)
    return _build_cells(cuts), width


def _arrange_columns(
    cells: Any, header: dict[str, str], start: int
) -> dict[str, pa.LargeStringArray]:
    rows = np.arange(start, len(cells), len(header))
    return {name: cells.take(rows + j) for j, name in enumerate(header)}


def check_header(path: Path, head: bytes, dialect: Dialect) -> None:
    """Ask whether the first line names the columns, where it was not said and is in doubt."""
    if dialect.has_header is not None:
        return
    head = head[:HEAD_BYTES]
    end = find_row_end(head, dialect) if len(head) == HEAD_BYTES else 0
    cells, width = _split_cells(path, head[:end] if end else head, dialect)
    rows = np.arange(width, min(len(cells), width * JUDGED_ROWS), width)
    below = [cells.take(rows + j) for j in range(min(width, JUDGED_COLUMNS))]
    first = cells[:width].to_pylist()
    require_header(path, first, below, decimal_comma=dialect.decimal_comma)


def find_row_end(text: bytes, dialect: Dialect) -> int:
    """Count the bytes of a text that goes on that are surely whole rows."""
    data = np.frombuffer(text, dtype=np.uint8)
    newlines = data == ord(dialect.newline[-1])
    quote = data == _QUOTE
    outside = newlines & (np.cumsum(quote, dtype=np.uint8) % 2 == 0)
    end = _find_last(outside)
    head = data[:end]
    separates = (head == ord(dialect.delimiter)) | newlines[:end]
    if not quote.any() or (end and _is_regular(head, separates, np.flatnonzero(quote[:end]))):
        return end
    return _find_last(newlines & ~_find_quoted_cells(data, dialect, goes_on=True))


def unquote(token: str) -> str:
    """The text that a token stands for.

    >>> unquote('"say ""hi"" now"')
    'say "hi" now'
    """
    if len(token) > 1 and token[0] == token[-1] == '"':
        return token[1:-1].replace('""', '"')
    return token


def _find_cuts(data: NDArray[np.uint8], dialect: Dialect) -> _Cuts:
    newline = ord(dialect.newline[-1])
    separates = (data == ord(dialect.delimiter)) | (data == newline)
    separates &= ~_find_quoted(data, separates, dialect)
    ends = np.flatnonzero(separates)
    lengths = np.diff(ends, prepend=-1) - 1
    last = data[ends] == newline
    fields = np.diff(np.flatnonzero(last), prepend=-1)
    if newline != _RETURN:
        returns = last & (lengths > 0) & (data[ends - 1] == _RETURN)
        separates[ends[returns] - 1] = True
        ends, lengths = ends - returns, lengths - returns
    return _Cuts(data[~separates], ends, lengths, fields)


def _find_quoted(data: NDArray[np.uint8], separates: Flags, dialect: Dialect) -> Flags:
    quote: Flags = data == _QUOTE
    places = np.flatnonzero(quote)
    if len(places) == 0:
        return quote
    if _is_regular(data, separates, places):
        inside: Flags = np.cumsum(quote, dtype=np.uint8) % 2 == 1
        return inside
    return _find_quoted_cells(data, dialect)


def _is_regular(data: NDArray[np.uint8], separates: Flags, places: Ints) -> bool:
    """Return whether odd quotes open cells and even ones close them, or both are one doubled quote.

    The byte before the first is taken to be the last, which is a line end.
    """
    if len(places) % 2:
        return False
    before, after = places[::2] - 1, places[1::2] + 1
    opens = separates[before] | (data[before] == _QUOTE)
    closes = separates[after] | (data[after] == _QUOTE) | (data[after] == _RETURN)
    return bool(opens.all() and closes.all())


def _find_quoted_cells(
    data: NDArray[np.uint8], dialect: Dialect, *, goes_on: bool = False
) -> Flags:
    """The same where some quotes are mere text: only whole quoted cells count.

    In a text that goes on, also one that has not ended yet.
    """
    part = re.escape(dialect.delimiter)
    end = rf'"(?=[{part}\r\n])' + (r'|"?\Z' if goes_on else "")
    cell = re.compile(rf'(?<![^{part}\r\n])"[^"]*+(?:""[^"]*+)*+(?:{end})'.encode())
    spans = np.array([match.span() for match in cell.finditer(data.data)], dtype=np.int64)
    steps = np.zeros(len(data) + 1, dtype=np.int8)
    if len(spans):
        steps[spans[:, 0]], steps[spans[:, 1]] = 1, -1
    return np.cumsum(steps[:-1], dtype=np.int8).astype(bool)


def _find_last(flags: Flags) -> int:
    """The place after the last that is flagged; 0 if none is."""
    places = np.flatnonzero(flags[::-1])
    return len(flags) - int(places[0]) if len(places) else 0


def _begin_table(path: Path, cuts: _Cuts, dialect: Dialect) -> tuple[_Cuts, int]:
    """The rows from the header on, and how many cells its first line has that is not blank.

    In a table of one column, a blank line is a missing value, but for those before the header.
    """
    blank = _find_blank_lines(cuts)
    if blank.all():
        raise FileError(f"{path}: is empty. Give a file that contains a table.")
    first = int(np.argmin(blank))
    width = int(cuts.fields[first])
    if dialect.has_header is not False:
        blank[first:] = False
        cuts = _drop_lines(cuts, blank)
    return cuts, width


def _find_blank_lines(cuts: _Cuts) -> Flags:
    last = np.cumsum(cuts.fields) - 1
    blank: Flags = (cuts.fields == 1) & (cuts.lengths[last] == 0)
    return blank


def _drop_lines(cuts: _Cuts, blank: Flags) -> _Cuts:
    if not blank.any():
        return cuts
    cells = np.ones(len(cuts.ends), dtype=bool)
    cells[np.cumsum(cuts.fields)[blank] - 1] = False
    return _Cuts(cuts.body, cuts.ends[cells], cuts.lengths[cells], cuts.fields[~blank])


def _check_shape(
    path: Path, data: NDArray[np.uint8], cuts: _Cuts, newline: int, width: int, line: int
) -> None:
    ragged = np.flatnonzero(cuts.fields != width)
    if len(ragged) == 0:
        return
    row = int(ragged[0])
    first = int(cuts.fields[:row].sum())
    line += int(np.count_nonzero(data[: cuts.ends[first] - cuts.lengths[first]] == newline))
    raise FileError(
        f"{path}: line {line} has {count(int(cuts.fields[row]), 'cell')}, and the first line has "
        f"{width}. Repair it, remove what is not part of the table, or give the delimiter if the "
        "wrong one was detected."
    )


def _build_cells(cuts: _Cuts) -> Any:
    offsets = np.concatenate(([0], np.cumsum(cuts.lengths)))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(cuts.body)]
    return pa.Array.from_buffers(pa.large_string(), len(cuts.ends), buffers)


def _parse_header(path: Path, tokens: list[str]) -> dict[str, str]:
    written = [unquote(token) for token in tokens]
    names = name_blanks(path, written)
    check_names(path, names)
    titles = (token if name.strip() else "" for token, name in zip(tokens, written, strict=True))
    return dict(zip(names, titles, strict=True))
