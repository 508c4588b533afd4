"""Delimited text (csv, tsv, txt): typed for masking, written token by token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.base.parallel import Progress, with_progress
from swapmeet.io.delimited.cells import (
    count_formulas,
    guard_formulas,
    is_text,
    render_text,
    warn_of_formulas,
)
from swapmeet.io.delimited.dialect import detect_dialect, read_text, write_text
from swapmeet.io.delimited.look import CellLook, TextLayout, choose_layout, show_blank_rows
from swapmeet.io.delimited.raw_cells import check_header, split_table
from swapmeet.io.delimited.values import parse_column
from swapmeet.io.document import Document
from swapmeet.io.release_table import take_cells, to_arrow_table
from swapmeet.tables.missing_codes import assign_words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from swapmeet.io.publication import Publication
    from swapmeet.tables.missing_codes import MissingCodes


@dataclass(frozen=True, repr=False)
class _RawText:
    """Form of a text, and its cells."""

    layout: TextLayout
    cells: Mapping[str, Any]


def read(
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


def write(aside: Path, publication: Publication) -> None:
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
