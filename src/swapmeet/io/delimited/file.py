"""Delimited text (csv, tsv, txt): typed for masking, written token by token."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.core.base.parallel import Progress, with_progress
from swapmeet.io.delimited.cells import is_always_quoted, text_of
from swapmeet.io.delimited.dialect import dialect_of
from swapmeet.io.delimited.encoding import read_text, write_text
from swapmeet.io.delimited.layout import TextLayout, layout_like, visible
from swapmeet.io.delimited.tokens import tokens_of
from swapmeet.io.delimited.values import typed
from swapmeet.io.document import Document
from swapmeet.io.frames import as_arrow, taken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from swapmeet.io.publication import Publication


@dataclass(frozen=True, repr=False)
class _Read:
    """How a text was written, and its cells."""

    layout: TextLayout
    cells: Mapping[str, Any]


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
        for name, column in with_progress(found, len(found), progress, "reading")
    }
    comma = frozenset(name for name, column in columns.items() if column.decimal_comma)
    frame = pa.table({name: column.values for name, column in columns.items()})
    as_read = _Read(TextLayout(dialect, tokens.header, comma), tokens.columns)
    return Document(path=path, format="csv", frame=frame, layout=as_read)


def write(aside: Path, publication: Publication) -> None:
    """Write a delimited text in the dialect of the original, if there is one."""
    original = _original(publication)
    layout, table, names = original.layout, as_arrow(publication), publication.names
    columns = [
        _cells(publication, original, name, table[name])
        for name in with_progress(names, len(names), publication.progress, "writing")
    ]
    parts = text_of(layout.titles(names), [visible(columns)], layout.dialect)
    write_text(aside, publication.target, layout.dialect.encoding, parts)


def _original(publication: Publication) -> _Read:
    """Layout and cells to keep, as far as the target allows."""
    before: _Read | None = None if publication.original is None else publication.original.layout
    layout = layout_like(publication.target, None if before is None else before.layout)
    return before if before is not None and layout is before.layout else _Read(layout, {})


def _cells(publication: Publication, original: _Read, name: str, values: Any) -> Any:
    before, donors = original.cells.get(name), publication.moved(name)
    if before is None or donors is None:
        return _formatted(publication, original, name, values)
    copied = pc.fill_null(taken(before, donors), "")
    made = publication.made(name)
    if made is None:
        return copied
    return pc.if_else(pa.array(made), _formatted(publication, original, name, values), copied)


def _formatted(publication: Publication, original: _Read, name: str, values: Any) -> Any:
    before, layout = original.cells.get(name), original.layout
    if before is not None and is_always_quoted(before):
        layout = replace(layout, quoted=frozenset({name}))
    return layout.formatted(publication.target, name, values)
