"""The table to publish in a columnar file: moved cells, fitting schema, no word of what is gone."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from swapmeet.errors import FileError, OutputError
from swapmeet.io.frames import take_cells, to_arrow_table
from swapmeet.tables.arrow import choose_cells
from swapmeet.tables.traces import remove_traces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from swapmeet.io.publication import Publication


@contextmanager
def refuse_damage(path: Path, title: str) -> Iterator[None]:
    """Say that a file is damaged where pyarrow would, perhaps with a word of its content."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, ValueError, KeyError):
        raise FileError(f"{path}: is not a readable {title} file, or it is cut off.") from None


@contextmanager
def refuse_columns(target: Path, title: str) -> Iterator[None]:
    """Say that the format cannot hold a column where pyarrow would."""
    try:
        yield
    except pa.ArrowException:
        raise OutputError(
            f"{target}: a column has a type or values that {title} files cannot hold. "
            "No file was written. Write .csv instead."
        ) from None


def release_table(publication: Publication) -> pa.Table:
    """The published columns under the schema of the document, as far as it describes them.

    A field becomes nullable when a cell of it was suppressed. What the document tells besides
    values and types is left out.
    """
    table = to_arrow_table(publication)
    like = publication.like
    if like is None or not isinstance(like.frame, pa.Table):
        return remove_traces(table)[0]
    original = like.frame
    columns = [
        _build_column(publication, original, name, table[name]) for name in publication.names
    ]
    fields = [
        _build_field(original.schema, name, column)
        for name, column in zip(publication.names, columns, strict=True)
    ]
    schema = pa.schema(fields, metadata=original.schema.metadata)
    return remove_traces(pa.Table.from_arrays(columns, schema=schema))[0]


def _build_column(publication: Publication, original: pa.Table, name: str, values: Any) -> Any:
    before = original[name] if name in original.column_names else None
    donors = publication.cell_donors(name)
    if before is not None:
        values = _cast_if_exact(values, before.type)
    if before is not None and donors is not None:
        copied, made = take_cells(before, donors), publication.made_cells(name)
        values = copied if made is None else choose_cells(pa.array(made), values, copied)
    return values


def _cast_if_exact(values: Any, wanted: pa.DataType) -> Any:
    try:
        return values.cast(wanted)
    except pa.ArrowException:
        return values


def _build_field(schema: pa.Schema, name: str, column: Any) -> pa.Field:
    index = schema.get_field_index(name)
    if index < 0:
        return pa.field(name, column.type)
    field = schema.field(index)
    return field.with_type(column.type).with_nullable(field.nullable or column.null_count > 0)
