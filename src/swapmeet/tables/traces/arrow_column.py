"""An Arrow column that tells its values and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.tables.arrow import cells_of


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
