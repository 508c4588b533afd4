"""Published columns in the pandas types that pyreadstat turns into the right storage types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from swapmeet.errors import OutputError
from swapmeet.io.statistical.values import is_text, to_stored

if TYPE_CHECKING:
    from swapmeet.io.publication import Publication
    from swapmeet.io.statistical import StatisticalFormat

_DECIMAL: Final = {"float", "double"}
_MOST: Final = 2_147_483_620


def to_stored_column(
    kind: StatisticalFormat, publication: Publication, name: str, values: pd.Series[Any]
) -> pd.Series[Any]:
    """A column to write: the stored cells of its donors, or `values` in a type that fits."""
    original, donors = publication.original, publication.cell_donors(name)
    if original is None or name not in original.layout.stored:
        return _to_plain(publication, name, values)
    metadata = original.layout.metadata
    storage = metadata.readstat_variable_types[name]
    made = publication.made_cells(name)
    if donors is None or made is not None:
        column = _to_plain(publication, name, to_stored(original.format, values, metadata, name))
        column = column.astype(float) if storage in _DECIMAL and _is_number(column) else column
    if donors is not None:
        copied = _to_declared(take_stored(original.layout.stored[name], donors), storage)
        column = copied if made is None else copied.mask(made, column)
    if is_text(metadata, name) and kind.is_padded:
        return _pad(column, metadata.variable_storage_width[name])
    return column


def take_stored(stored: pd.Series[Any], donors: Any) -> pd.Series[Any]:
    """The stored cells of the donors; missing where there is none."""
    donors = np.asarray(donors, dtype=np.int64)
    if len(stored) == 0:
        return stored
    moved = stored.take(np.maximum(donors, 0)).reset_index(drop=True)
    return moved.mask(donors < 0, None) if (donors < 0).any() else moved


def _to_declared(column: pd.Series[Any], storage: str) -> pd.Series[Any]:
    if storage == "string":
        return _to_text(column)
    if column.dtype == object and column.map(lambda cell: isinstance(cell, str)).any():
        return _keep_codes(column, float if storage in _DECIMAL else int)
    return column.astype("Int32" if storage.startswith("int") else float)


def _keep_codes(column: pd.Series[Any], number: type) -> pd.Series[Any]:
    """Numbers of one type among the letters of user-missing values, or pyreadstat makes text."""
    cells = [
        cell if isinstance(cell, str) else None if pd.isna(cell) else number(cell)
        for cell in column
    ]
    return pd.Series(cells, dtype=object)


def _to_plain(publication: Publication, name: str, column: pd.Series[Any]) -> pd.Series[Any]:
    """Values of any frame; moments of a time zone in UTC, spans of time in seconds."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object).infer_objects()
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        return pd.Series(column.dt.tz_convert("UTC").dt.tz_localize(None))
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        return pd.Series(column.dt.total_seconds())
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.astype("Int32")
    if _is_number(column):
        return _to_number(column)
    return _to_plain_by_content(publication, name, column)


def _to_plain_by_content(
    publication: Publication, name: str, column: pd.Series[Any]
) -> pd.Series[Any]:
    found = pd.api.types.infer_dtype(column, skipna=True)
    if found in {"string", "empty"}:
        return _to_text(column)
    if found == "boolean":
        return column.astype("boolean").astype("Int32")
    if found == "decimal":
        return column.astype(float)
    if found in {"datetime64", "datetime", "date", "time"}:
        return column
    raise OutputError(
        f"{publication.target}: column {name!r} holds something other than numbers, text or "
        "dates. No file was written. Write .parquet instead."
    )


def _to_text(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.astype(object).where(column.notna(), "")


def _is_number(column: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column.dtype))


def _to_number(column: pd.Series[Any]) -> pd.Series[Any]:
    if pd.api.types.is_integer_dtype(column.dtype) and (column.abs() <= _MOST).all():
        return column.astype("Int32")
    return column.astype("Float64").astype(float)


def _pad(column: pd.Series[Any], width: int) -> pd.Series[Any]:
    """Text whose first cell has the full width, in blanks, as files of fixed width store it."""
    if column.empty:
        return column
    first = str(column.iloc[0])
    column = column.copy()
    column.iloc[0] = first + " " * (width - len(first.encode()))
    return column
