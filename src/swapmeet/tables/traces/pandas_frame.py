"""A pandas frame that tells its values and nothing else."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from swapmeet.tables.traces import Trace
from swapmeet.tables.traces.arrow import clean_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from swapmeet.base.arrays import Flags

    Objects = NDArray[np.object_]


def remove_traces(frame: pd.DataFrame) -> tuple[pd.DataFrame, frozenset[Trace]]:
    """The same values under a fresh index, and what was left out."""
    columns = [pd.Series(_clean(frame[name])) for name in frame.columns]
    cleaned = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(len(frame)))
    cleaned.columns = _plain_names(frame.columns)
    return cleaned, _find_traces(frame, cleaned)


def _find_traces(frame: pd.DataFrame, cleaned: pd.DataFrame) -> frozenset[Trace]:
    traces = set()
    if not _is_plain(frame.index):
        traces.add(Trace.INDEX)
    if frame.attrs or frame.columns.names != [None]:
        traces.add(Trace.ATTRIBUTES)
    if any(_count(frame[name]) > _count(cleaned[name]) for name in frame.columns):
        traces.add(Trace.CATEGORIES)
    return frozenset(traces)


def _is_plain(index: pd.Index[Any]) -> bool:
    return index.names == [None] and index.equals(pd.RangeIndex(len(index)))


def _plain_names(columns: pd.Index[Any]) -> pd.Index[Any]:
    """The names; a categorical index of them would list those of lost columns, too."""
    kind = object if isinstance(columns.dtype, pd.CategoricalDtype) else columns.dtype
    return pd.Index(list(columns), dtype=kind)


def _count(column: pd.Series[Any]) -> int:
    kind = column.dtype
    return len(kind.categories) if isinstance(kind, pd.CategoricalDtype) else 0


def _clean(column: pd.Series[Any]) -> Any:
    kind, values = column.dtype, column.array
    if isinstance(values, pd.Categorical):
        return _rebuild_categories(values)
    if isinstance(kind, pd.ArrowDtype):
        return pd.arrays.ArrowExtensionArray(pa.chunked_array([clean_column(_to_arrow(values))]))
    if isinstance(
        values, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray
    ):
        return _clear_missing(values)
    if isinstance(kind, np.dtype) and kind.kind == "f":
        return _unify_floats(column.to_numpy())
    if isinstance(kind, np.dtype) and kind.kind == "O":
        return pd.Series(unify_objects(column.to_numpy()), dtype=object)
    return values


def _to_arrow(values: Any) -> Any:
    return values.__arrow_array__()


def _rebuild_categories(values: pd.Categorical) -> pd.Categorical:
    """Rebuild the categories that a row has: in their order, or sorted if they have none."""
    present = values.remove_unused_categories()
    return present if present.ordered else present.reorder_categories(_sort(present.categories))


def _sort(levels: pd.Index[Any]) -> Any:
    try:
        return levels.sort_values()
    except TypeError:
        places = sorted(range(len(levels)), key=lambda at: _name_level(levels[at]))
        return levels.take(places)


def _name_level(level: Any) -> tuple[str, str]:
    return type(level).__name__, str(level)


def _clear_missing(values: Any) -> Any:
    """Nothing under missing values, where masked-out ones may still stand."""
    missing = values.isna()
    if isinstance(values, pd.arrays.FloatingArray):
        numbers = values.to_numpy(dtype=values.dtype.numpy_dtype, na_value=np.nan)
        missing |= np.isnan(numbers)
        cleared = pd.array(_unify_floats(numbers), dtype=values.dtype)
    else:
        cleared = values.fillna(False if values.dtype == "boolean" else 0)
    cleared[missing] = pd.NA
    return cleared


def _unify_floats(numbers: Any) -> Any:
    """One zero, and one NaN."""
    unified = numbers + numbers.dtype.type(0)
    unified[np.isnan(unified)] = np.nan
    return unified


def unify_objects(cells: Objects) -> Objects:
    """Equal values as equal objects: 5 and 5.0, None and NaN, Decimal("1.0") and Decimal("1.00").

    A column of mixed types, which no method moves, stays as it is.
    """
    missing = pd.isna(cells)
    unified = cells.copy()
    if _is_varied(cells[~missing].tolist()):
        unified = _unify_by_arrow(cells, missing)
    if len(set(map(type, cells[missing].tolist()))) > 1:
        unified[missing] = None
    return unified


def _is_varied(known: list[Any]) -> bool:
    if set(map(type, known)) <= {str}:
        return False
    return len(set(map(_sort_of, known))) > 1


def _sort_of(cell: Any) -> tuple[Any, ...]:
    if isinstance(cell, Decimal):
        return Decimal, cell.as_tuple().exponent, cell.is_signed() and not cell
    return type(cell), getattr(cell, "tzinfo", None)


def _unify_by_arrow(cells: Objects, missing: Flags) -> Objects:
    unified = cells.copy()
    try:
        known = pa.array(cells[~missing], from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError):
        return unified
    values = np.empty(len(known), dtype=object)
    values[:] = known.to_pylist()
    unified[~missing] = values
    return unified
