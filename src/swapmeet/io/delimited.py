"""Delimited text (csv, tsv, txt): typed for masking, written token by token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.blocks import Progress, counted
from swapmeet.io.csv_dialect import Dialect, delimiter_by, dialect_of
from swapmeet.io.csv_format import formatted, is_always_quoted, quoted, text_of
from swapmeet.io.csv_text import read_text, write_text
from swapmeet.io.csv_tokens import Tokens, tokens_of
from swapmeet.io.csv_types import typed
from swapmeet.io.document import Document
from swapmeet.io.frames import as_arrow, taken

if TYPE_CHECKING:
    from pathlib import Path

    from swapmeet.io.publication import Publication


@dataclass(frozen=True, repr=False)
class _Layout:
    dialect: Dialect
    tokens: Tokens
    decimal_comma: frozenset[str]


def read(
    path: Path, progress: Progress, *, delimiter: str | None = None, encoding: str | None = None
) -> Document:
    """Read a delimited text with a header line."""
    text, stored = read_text(path, encoding)
    dialect = dialect_of(path, text, stored, delimiter)
    tokens = tokens_of(path, text, dialect)
    found = tokens.columns.items()
    columns = {
        name: typed(column, decimal_comma=dialect.decimal_comma)
        for name, column in counted(found, len(found), progress, "reading")
    }
    comma = frozenset(name for name, column in columns.items() if column.decimal_comma)
    frame = pa.table({name: column.values for name, column in columns.items()})
    return Document(path=path, format="csv", frame=frame, layout=_Layout(dialect, tokens, comma))


def write(aside: Path, publication: Publication) -> None:
    """Write a delimited text in the dialect of the original, if there is one."""
    layout = _layout(publication)
    dialect = layout.dialect
    table = as_arrow(publication)
    names = publication.names
    columns = [
        _tokens(publication, layout, name, table[name])
        for name in counted(names, len(names), publication.progress, "writing")
    ]
    if len(columns) == 1:
        columns = [pc.replace_substring_regex(columns[0], "^$", '""')]
    header = [layout.tokens.header.get(name) or _title(name, dialect) for name in names]
    parts = text_of(header, columns, dialect)
    write_text(aside, publication.target, dialect.encoding, parts)


def _layout(publication: Publication) -> _Layout:
    """The layout of the original, unless the new name demands another delimiter."""
    demanded = delimiter_by(publication.target)
    if publication.original is not None:
        layout: _Layout = publication.original.layout
        if demanded in {None, layout.dialect.delimiter}:
            return layout
    return _Layout(Dialect(delimiter=demanded or ","), Tokens({}, {}), frozenset())


def _tokens(publication: Publication, layout: _Layout, name: str, values: Any) -> Any:
    original, donors = layout.tokens.columns.get(name), publication.moved(name)
    if original is None or donors is None:
        return _formatted(publication, layout, name, values)
    copied = pc.fill_null(taken(original, donors), "")
    made = publication.made(name)
    if made is None:
        return copied
    return pc.if_else(pa.array(made), _formatted(publication, layout, name, values), copied)


def _formatted(publication: Publication, layout: _Layout, name: str, values: Any) -> Any:
    original = layout.tokens.columns.get(name)
    comma = name in layout.decimal_comma
    tokens = formatted(publication.target, name, values, layout.dialect, comma=comma)
    if original is not None and is_always_quoted(original):
        return _all_quoted(tokens)
    return tokens


def _all_quoted(tokens: Any) -> Any:
    bare = pc.invert(pc.or_(pc.equal(tokens, ""), pc.starts_with(tokens, '"')))
    return pc.if_else(bare, quoted(tokens), tokens)


def _title(name: str, dialect: Dialect) -> str:
    special = any(mark in name for mark in (dialect.delimiter, '"', "\r", "\n"))
    return '"' + name.replace('"', '""') + '"' if special else name
