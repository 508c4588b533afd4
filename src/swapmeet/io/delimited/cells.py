"""Values as tokens, tokens as bytes, and text that a spreadsheet would run as a formula.

Spreadsheets run cells such as =cmd…, +…, -…, @… of a delimited text when it is opened. Numbers are
none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.errors import OutputError, warn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from swapmeet.io.delimited.dialect import Dialect


_TEXT: Final = pa.large_string()
_ROWS_AT_ONCE: Final = 1 << 16


def format_cells(target: Path, name: str, values: Any, dialect: Dialect, *, comma: bool) -> Any:
    """Values as tokens: missing ones empty, text quoted where it must be."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    try:
        words = pc.cast(values, _TEXT)
    except pa.ArrowException:
        raise OutputError(
            f"{target}: column {name!r} of type {values.type} cannot be written as text. "
            "Drop the column or write .parquet."
        ) from None
    if comma and pa.types.is_floating(values.type):
        words = pc.replace_substring(words, ".", ",")
    if pa.types.is_timestamp(values.type):
        words = _cut_zeros(words)
    return pc.fill_null(quote_where_needed(words, dialect), "")


def format_words(moments: Any) -> Any:
    """Moments as words."""
    return _cut_zeros(pc.cast(moments, _TEXT))


def quote(words: Any) -> Any:
    """Words between quotes, those inside doubled.

    >>> quote(pa.array(['say "hi" now'])).to_pylist()
    ['"say ""hi"" now"']
    """
    doubled = pc.cast(pc.replace_substring(words, '"', '""'), _TEXT)
    quote, nothing = pa.scalar('"', _TEXT), pa.scalar("", _TEXT)
    return pc.binary_join_element_wise(quote, doubled, quote, nothing)


def render_text(header: list[str], parts: Iterable[list[Any]], dialect: Dialect) -> Iterator[bytes]:
    """The bytes of header, if any, and rows; each part of these has one array per column."""
    newline = dialect.newline.encode()
    before = newline if header else b""
    yield dialect.delimiter.join(header).encode()
    for columns in parts:
        for start in range(0, len(columns[0]), _ROWS_AT_ONCE):
            some = [column[start : start + _ROWS_AT_ONCE] for column in columns]
            yield before + _join_rows(some, dialect)
            before = newline
    if dialect.ends_in_newline:
        yield newline


def _cut_zeros(words: Any) -> Any:
    """Moments with the fractions of a second that they need."""
    words = pc.replace_substring_regex(words, r"(\.[0-9]*[1-9])0+(Z?)$", r"\1\2")
    return pc.replace_substring_regex(words, r"\.0+(Z?)$", r"\1")


def quote_where_needed(words: Any, dialect: Dialect) -> Any:
    """Words between quotes if they could not be read again without."""
    special = f'^$|^\\s|\\s$|[{re.escape(dialect.delimiter)}"\\r\\n]'
    needed = pc.match_substring_regex(words, special)
    if pc.any(needed, min_count=0).as_py():
        words = pc.if_else(needed, quote(words), words)
    return words


def _join_rows(columns: list[Any], dialect: Dialect) -> Any:
    """Rows joined by line ends, read off the buffer of one array of lines."""
    parts = [_combine(column) for column in columns]
    lines = pc.binary_join_element_wise(*parts, pa.scalar(dialect.delimiter, _TEXT))
    lists = pa.LargeListArray.from_arrays(pa.array([0, len(lines)], pa.int64()), lines)
    joined = pc.binary_join(lists, pa.scalar(dialect.newline, _TEXT))
    return joined[0].as_buffer().to_pybytes()


def _combine(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


_STARTS: Final = r'^"?[=+\-@\t\r]'
_NUMBER: Final = r'^"?[+-]?(?:[0-9][0-9 .,]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?%?"?$'


def count_formulas(cells: Any, values: Any) -> int:
    """Count the cells of a column that a spreadsheet would run, as they are written."""
    if not is_text(values.type):
        return 0
    return pc.sum(find_formulas(cells), min_count=0).as_py() or 0


def find_formulas(cells: Any) -> Any:
    """Flag the cells that a spreadsheet would run.

    >>> import pyarrow as pa
    >>> find_formulas(pa.array(["=1+1", "-5", '"@sum"', "-", "+49 30", "a=b"])).to_pylist()
    [True, False, True, True, False, False]
    """
    starts = pc.match_substring_regex(cells, _STARTS)
    return pc.and_(starts, pc.invert(pc.match_substring_regex(cells, _NUMBER)))


def guard_formulas(cells: Any) -> Any:
    """Cells with an apostrophe before those that a spreadsheet would run.

    >>> import pyarrow as pa
    >>> guard_formulas(pa.array(["=1+1", "-5", "a=b"])).to_pylist()
    ["'=1+1", '-5', 'a=b']
    """
    guarded = pc.replace_substring_regex(cells, r'^("?)', r"\1'", max_replacements=1)
    return pc.if_else(find_formulas(cells), guarded, cells)


def unguard_text(values: Any) -> Any:
    """Text without the apostrophe that `guard_formulas` puts before it."""
    bare = pc.utf8_slice_codeunits(values, 1)
    guarded = pc.and_(pc.starts_with(values, "'"), find_formulas(bare))
    return pc.if_else(guarded, bare, values)


def has_guards(values: Any) -> bool:
    """Return whether a column has such apostrophes.

    >>> import pyarrow as pa
    >>> has_guards(pa.array(["'=1", "a"])), has_guards(pa.array(["'tis", None]))
    (True, False)
    """
    if not is_text(values.type) or not pc.any(pc.starts_with(values, "'")).as_py():
        return False
    return not unguard_text(values).equals(values)


def is_text(kind: Any) -> bool:
    """Return whether a type holds text, perhaps as categories."""
    text = pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind)
    return bool(text or pt.is_dictionary(kind))


def warn_of_formulas(target: Path, counts: Mapping[str, int]) -> None:
    """Tell how many such cells a file got, by column, and which columns have such names.

    Names are never guarded: programs that read the release look for them.
    """
    columns = [f"{name!r} ({count})" for name, count in counts.items() if count]
    if columns:
        warn(
            f"{target.name}: text that spreadsheets take for formulas and run stands in "
            f"{', '.join(columns)}. Open the file as text, write .xlsx, where it is never "
            "one, or put an apostrophe before it: --guard-formulas."
        )
    names = pa.array(counts, pa.large_string())
    named = names.filter(find_formulas(names)).to_pylist()
    if named:
        warn(
            f"{target.name}: spreadsheets take names of columns for formulas and run them: "
            f"{', '.join(map(repr, named))}. Rename them in the original, or write .xlsx."
        )
