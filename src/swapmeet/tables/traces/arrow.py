"""Arrow columns, tables and schemas that tell values and types, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.tables.arrow import cells_of
from swapmeet.tables.traces import Trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    Levels = Mapping[str, Any]


def clean_column(column: Any, *, nan_is_null: bool | None = None) -> Any:
    """The same values in one piece: no odd zeros or NaNs, and nothing under missing values.

    A column that has both NaN and null has null only; `nan_is_null` decides it for one that is a
    part of a larger column.
    """
    whole = join_chunks(column)
    if isinstance(whole, pa.ChunkedArray):
        return whole
    if pt.is_dictionary(whole.type):
        return rebuild_levels(whole)
    if pt.is_float32(whole.type) or pt.is_float64(whole.type):
        whole = _unify_floats(whole, nan_is_null=nan_is_null)
    whole = _clear_missing(whole)
    return _rebuild_inside(whole) if _has_levels_inside(whole.type) else whole


def join_chunks(column: Any) -> Any:
    """One array with one dictionary; a chunked one where Arrow cannot hold so much in one."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if pt.is_dictionary(column.type):
        column = column.unify_dictionaries()
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray) and whole.num_chunks == 1:
        return whole.chunk(0)
    return whole


def rebuild_levels(column: Any) -> Any:
    """Categories anew: those that a row has, once each, sorted unless they have an order.

    >>> rebuild_levels(pa.array(["z", "a", None, "z"]).dictionary_encode()).dictionary.to_pylist()
    ['a', 'z']
    """
    words, kind = _plain_words(column.dictionary), column.type
    used = np.unique(column.indices.drop_null().to_numpy(zero_copy_only=False))
    levels = sort_levels(words.take(pa.array(used)), ordered=kind.ordered)
    codes = pc.index_in(words, value_set=levels).take(column.indices)
    codes = _clear_missing(codes.cast(kind.index_type))
    return pa.DictionaryArray.from_arrays(codes, levels.cast(kind.value_type), ordered=kind.ordered)


def _has_levels_inside(kind: Any) -> bool:
    inside = [kind.field(place).type for place in range(kind.num_fields)]
    return any(pt.is_dictionary(each) or _has_levels_inside(each) for each in inside)


def _rebuild_inside(column: Any) -> Any:
    """Categories inside lists and structures anew; other nested columns stay as they are."""
    kind, gaps = column.type, column.is_null() if column.null_count else None
    if pt.is_struct(kind):
        parts = [clean_column(column.field(place)) for place in range(kind.num_fields)]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=gaps)
    if pt.is_list(kind) or pt.is_large_list(kind):
        compact = pa.concat_arrays([column.slice(0, 0), column])
        values = clean_column(compact.values)
        return type(column).from_arrays(compact.offsets, values, type=kind, mask=gaps)
    return column


def sort_levels(words: Any, *, ordered: bool) -> Any:
    """Each word once; sorted, unless their order has a meaning."""
    present = words.drop_null().unique()
    if ordered:
        return present
    try:
        return present.take(pc.array_sort_indices(present))
    except pa.ArrowNotImplementedError:
        return present.take(pc.array_sort_indices(present.cast(pa.large_string())))


def _plain_words(words: Any) -> Any:
    if pt.is_string_view(words.type):
        return words.cast(pa.large_string())
    return words.cast(pa.large_binary()) if pt.is_binary_view(words.type) else words


def _unify_floats(column: Any, *, nan_is_null: bool | None) -> Any:
    """One zero, one NaN, and no NaN where other values are missing in another way."""
    nan_is_null = column.null_count > 0 if nan_is_null is None else nan_is_null
    zero = pa.scalar(0.0, column.type)
    column = pc.if_else(pc.equal(column, zero), zero, column)
    is_nan = pc.is_nan(column)
    if not pc.any(is_nan, min_count=0).as_py():
        return column
    missing = pa.scalar(None if nan_is_null else np.nan, column.type)
    return pc.if_else(pc.fill_null(is_nan, fill_value=False), missing, column)


def _clear_missing(column: Any) -> Any:
    """Memory of its own: masked-out values may still stand under the missing ones."""
    if not column.null_count or isinstance(column.type, pa.BaseExtensionType):
        return column
    return cells_of(column, pa.array(np.arange(len(column))))


def remove_traces(table: Any) -> tuple[Any, frozenset[Trace]]:
    """The same values, and what was left out."""
    columns = [clean_column(column) for column in table.columns]
    levels = {
        name: column.dictionary
        for name, column in zip(table.column_names, columns, strict=True)
        if pt.is_dictionary(column.type)
    }
    traces = find_metadata(table.schema)
    if any(_count_levels(table[name]) > len(levels[name]) for name in levels):
        traces |= {Trace.CATEGORIES}
    return pa.table(columns, schema=publish_schema(table.schema, levels)), traces


def _count_levels(column: Any) -> int:
    return max((len(chunk.dictionary) for chunk in column.chunks), default=0)


_PANDAS: Final = b"pandas"
_TECHNICAL: Final = frozenset({_PANDAS, b"ARROW:schema", b"PARQUET:field_id"})
"""Keys that a library wrote, not a person; nobody needs to hear that they are gone."""
_EXTENSION: Final = (b"ARROW:extension:name", b"ARROW:extension:metadata")
_ENUM: Final = (b"_PL_ENUM_VALUES2", b"_PL_ENUM_VALUES")
"""Where polars lists the levels of an enum."""
_FACTS: Final = frozenset({"timezone", "unit", "encoding", "precision", "scale"})
_COLUMN: Final = ("name", "field_name", "pandas_type", "numpy_type")


def publish_schema(schema: Any, levels: Levels) -> Any:
    """The fields, with what they need to be read again; `levels` are the present categories."""
    fields = [_publish_field(field, levels.get(field.name)) for field in schema]
    return pa.schema(fields, metadata=_publish_metadata(schema, levels))


def find_metadata(schema: Any) -> frozenset[Trace]:
    """Find the metadata that somebody wrote and that are not published."""
    traces = set()
    if _has_text(schema.metadata) or _has_pandas_attributes(schema.metadata):
        traces.add(Trace.TABLE_METADATA)
    if any(_has_text(field.metadata) for field in schema):
        traces.add(Trace.COLUMN_METADATA)
    return frozenset(traces)


def _publish_field(field: Any, levels: Any) -> Any:
    given = field.metadata or {}
    kept = {key: given[key] for key in _EXTENSION if key in given}
    if levels is not None and pt.is_dictionary(field.type) and field.type.ordered:
        kept |= {key: _list_levels(levels) for key in _ENUM if key in given}
    return field.with_metadata(kept or None)


def _list_levels(levels: Any) -> bytes:
    """As polars writes them: the bytes of each, and how many they are."""
    words = [word.encode() for word in levels.cast(pa.large_string()).to_pylist()]
    return b"".join(b"%d;%b" % (len(word), word) for word in words)


def _publish_metadata(schema: Any, levels: Levels) -> dict[bytes, bytes] | None:
    given = (schema.metadata or {}).get(_PANDAS)
    if given is None:
        return None
    try:
        return {_PANDAS: json.dumps(_publish_pandas(json.loads(given), schema, levels)).encode()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _publish_pandas(notes: dict[str, Any], schema: Any, levels: Levels) -> dict[str, Any]:
    """Publish what pandas needs to restore types: no index values, attributes or lost columns."""
    columns = [each for each in notes["columns"] if each["field_name"] in schema.names]
    return {
        "index_columns": [each for each in notes["index_columns"] if each in schema.names],
        "column_indexes": [],
        "columns": [_publish_column(each, levels.get(each["field_name"])) for each in columns],
        "creator": {"library": "pyarrow", "version": pa.__version__},
        "pandas_version": str(notes.get("pandas_version", "")),
    }


def _publish_column(notes: dict[str, Any], levels: Any) -> dict[str, Any]:
    metadata = notes.get("metadata") or {}
    facts = {key: metadata[key] for key in metadata if key in _FACTS}
    if levels is not None:
        facts = {"num_categories": len(levels), "ordered": bool(metadata.get("ordered"))}
    return {**{key: notes[key] for key in _COLUMN}, "metadata": facts or None}


def _has_text(metadata: Mapping[bytes, bytes] | None) -> bool:
    return any(
        key not in _TECHNICAL and key not in _EXTENSION and not key.startswith(b"_PL_")
        for key in metadata or {}
    )


def _has_pandas_attributes(metadata: Mapping[bytes, bytes] | None) -> bool:
    try:
        return bool(json.loads((metadata or {})[_PANDAS]).get("attributes"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
