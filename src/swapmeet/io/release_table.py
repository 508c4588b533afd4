"""The table to publish in a columnar file: moved cells, fitting schema, no word of what is gone."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from swapmeet.errors import FileError, OutputError
from swapmeet.io.frames import take_cells, to_arrow_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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

    A field becomes nullable when a cell of it was suppressed. Metadata that speak of a dropped
    column are left out, and so are the categories that only suppressed cells had.
    """
    table = to_arrow_table(publication)
    like = publication.like
    if like is None or not isinstance(like.frame, pa.Table):
        return _strip_metadata(table)
    original = like.frame
    columns = [
        _build_column(publication, original, name, table[name]) for name in publication.names
    ]
    fields = [
        _build_field(original.schema, name, column)
        for name, column in zip(publication.names, columns, strict=True)
    ]
    metadata = filter_metadata(
        original.schema.metadata or {}, publication.names, publication.dropped
    )
    return pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=metadata or None))


def _strip_metadata(table: pa.Table) -> pa.Table:
    columns = [_drop_lost_categories(column, None) for column in table.columns]
    return pa.table(dict(zip(table.column_names, columns, strict=True)))


def _build_column(publication: Publication, original: pa.Table, name: str, values: Any) -> Any:
    before = original[name] if name in original.column_names else None
    donors = publication.cell_donors(name)
    if before is not None:
        values = _cast_if_exact(values, before.type)
    if before is not None and donors is not None:
        copied, made = take_cells(before, donors), publication.made_cells(name)
        values = copied if made is None else pc.if_else(pa.array(made), values, copied)
    return _drop_lost_categories(values, before)


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


def _drop_lost_categories(column: Any, before: Any) -> Any:
    """Drop the categories that some row had before and none has now.

    Categories that no row ever had describe nobody and stay; without the column as it was
    before, every unused category goes.
    """
    if not pa.types.is_dictionary(column.type):
        return column
    values = _unify_dictionary(column)
    kept = _find_used(values)
    if before is not None and before.type.equals(column.type):
        earlier = _unify_dictionary(before)
        if earlier.dictionary.equals(values.dictionary):
            kept |= ~_find_used(earlier)
    if kept.all():
        return pa.chunked_array([values])
    return pa.chunked_array([_recode(values, kept)], type=column.type)


def _unify_dictionary(column: Any) -> Any:
    whole = column.unify_dictionaries().combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def _find_used(values: Any) -> Any:
    used = np.zeros(len(values.dictionary), dtype=bool)
    used[values.indices.drop_null().to_numpy(zero_copy_only=False)] = True
    return used


def _recode(values: Any, kept: Any) -> Any:
    codes = pa.array(np.cumsum(kept) - 1).take(values.indices).cast(values.type.index_type)
    words = values.dictionary.filter(pa.array(kept))
    return pa.DictionaryArray.from_arrays(codes, words, ordered=values.type.ordered)


def filter_metadata(
    metadata: Mapping[bytes, bytes], names: list[str], dropped: list[str]
) -> dict[bytes, bytes]:
    """What a file says of itself, without a word of dropped columns."""
    kept = {
        key: _filter_pandas(value, names) if key == b"pandas" else value
        for key, value in metadata.items()
        if key != b"PANDAS_ATTRS"
    }
    return {
        key: value
        for key, value in kept.items()
        if value and not any(_speaks_of(value, name) for name in dropped)
    }


def _speaks_of(value: bytes, name: str) -> bool:
    return re.search(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)", value) is not None


def _filter_pandas(value: bytes, names: list[str]) -> bytes:
    """The notes of pandas on the published columns, without index values or attributes."""
    try:
        notes = json.loads(value)
        notes["columns"] = [each for each in notes["columns"] if each["field_name"] in names]
        index = [each for each in notes["index_columns"] if each in names]
    except (ValueError, KeyError, TypeError):
        return b""
    notes["index_columns"] = index
    notes.pop("attributes", None)
    return json.dumps(notes).encode()
