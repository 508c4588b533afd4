"""A release as pyreadstat writes it: columns in fitting types, and labels of what is published."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from swapmeet.errors import InputError, OutputError
from swapmeet.io.release_table import to_pandas_frame
from swapmeet.io.statistical.values import find_declared_missing, is_text, to_stored
from swapmeet.tables.traces import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from swapmeet.io.publication import Publication
    from swapmeet.io.statistical import StatisticalFormat


_COMMON: Final = frozenset({"column_labels", "variable_format"})


def write_release(
    kind: StatisticalFormat, library: Any, aside: Path, publication: Publication
) -> int:
    """Write the release to `aside` and return the number of its rows."""
    _check_names(kind, publication)
    values = to_pandas_frame(publication)
    table = pd.DataFrame(
        {
            name: to_stored_column(kind, publication, name, values[name])
            for name in publication.names
        }
    )
    writer = getattr(library, kind.writer)
    try:
        writer(table, aside, **_options(kind, publication, table))
    except (library.PyreadstatError, TypeError, ValueError, OverflowError):
        raise OutputError(
            f"{publication.target}: a column has values or labels that {kind.title} files cannot "
            f"hold. No file was written. Write {kind.alternative} instead."
        ) from None
    return len(table)


def _check_names(kind: StatisticalFormat, publication: Publication) -> None:
    bad = [
        repr(name)
        for name in publication.names
        if not re.fullmatch(kind.column_name, name)
        or len(name.encode()) > kind.name_bytes
        or re.fullmatch(kind.reserved, name)
    ]
    if bad:
        raise InputError(
            f"{publication.target}: {kind.title} files allow column names of letters, digits and "
            f"_, up to {kind.name_bytes} bytes, and no words of the language; not "
            f"{', '.join(bad)}. Rename the columns, or write {kind.alternative}."
        )


def _options(
    kind: StatisticalFormat, publication: Publication, table: pd.DataFrame
) -> dict[str, Any]:
    original, like = publication.original, publication.like
    options: dict[str, Any] = {}
    if original is not None:
        options = _keep_metadata(publication, original.layout.metadata, table)
        options |= original.layout.container
    elif like is not None and hasattr(like.layout, "metadata"):
        options = _carry_labels(publication, like.layout.metadata, table)
    if publication.target.suffix.lower() == ".zsav":
        options |= {"compress": True, "row_compress": False}
    allowed = _COMMON | kind.settings
    return {name: value for name, value in options.items() if name in allowed and value}


def _keep_metadata(publication: Publication, metadata: Any, table: pd.DataFrame) -> dict[str, Any]:
    """Return what the original says about the published columns and the values in them."""

    def of(values: dict[str, Any]) -> dict[str, Any]:
        return {name: values[name] for name in map(str, table) if values.get(name)}

    publication.leave_out(*_find_texts(metadata))
    return {
        "column_labels": of(metadata.column_names_to_labels),
        "variable_value_labels": of(_present_labels(publication, metadata, table)),
        "variable_format": of(metadata.original_variable_types),
        "variable_measure": of(metadata.variable_measure),
        "variable_display_width": of(metadata.variable_display_width),
        "missing_ranges": of(_present_ranges(publication, metadata, table)),
        "missing_user_values": of(_present_letters(publication, metadata, table)),
    }


def _find_texts(metadata: Any) -> list[Trace]:
    """Return what the file says about itself, which nobody needs to read the columns."""
    texts = {
        Trace.FILE_LABEL: metadata.file_label,
        Trace.FILE_NOTES: metadata.notes,
        Trace.TABLE_NAME: metadata.table_name,
    }
    return [trace for trace, text in texts.items() if text]


def _present_labels(
    publication: Publication, metadata: Any, table: pd.DataFrame
) -> dict[str, dict[Any, str]]:
    """The labels of values that a released row has."""

    def keep(labels: dict[Any, str], present: set[Any]) -> dict[Any, str]:
        return {key: label for key, label in labels.items() if _bare(key) in present}

    columns = metadata.variable_value_labels
    return _keep_present(publication, table, columns, keep, Trace.VALUE_LABELS)


def _present_ranges(
    publication: Publication, metadata: Any, table: pd.DataFrame
) -> dict[str, list[Any]]:
    """The ranges of user-missing values in which a released row has one."""

    def keep(ranges: list[Any], present: set[Any]) -> list[Any]:
        return [each for each in ranges if any(_is_within(each, cell) for cell in present)]

    return _keep_present(publication, table, metadata.missing_ranges, keep, Trace.MISSING_CODES)


def _present_letters(
    publication: Publication, metadata: Any, table: pd.DataFrame
) -> dict[str, list[str]]:
    """The letters of Stata's user-missing values that a released row has."""

    def keep(letters: list[str], present: set[Any]) -> list[str]:
        return sorted(letter for letter in letters if letter in present)

    columns = metadata.missing_user_values
    return _keep_present(publication, table, columns, keep, Trace.MISSING_CODES)


def _keep_present(
    publication: Publication,
    table: pd.DataFrame,
    columns: Mapping[str, Any],
    keep: Callable[[Any, set[Any]], Any],
    trace: Trace,
) -> dict[str, Any]:
    """Labels of each column, as far as they are about values there; others are left out."""
    labels = {}
    for name, items in columns.items():
        labels[name] = keep(items, find_present(table, name))
        if name in table and len(labels[name]) < len(items):
            publication.leave_out(trace)
    return labels


def find_present(table: pd.DataFrame, name: str) -> set[Any]:
    """The values of a column; of one that is not published, none."""
    return {_bare(cell) for cell in table[name].dropna().unique()} if name in table else set()


def _bare(cell: Any) -> Any:
    """Text without the blanks that fill its width."""
    return cell.rstrip(" ") if isinstance(cell, str) else cell


def _is_within(span: Any, cell: Any) -> bool:
    low, high = (span["lo"], span["hi"]) if isinstance(span, dict) else (span, span)
    if isinstance(cell, str) or isinstance(low, str):
        return bool(cell == _bare(low))
    return bool(low <= cell <= high)


def _carry_labels(publication: Publication, metadata: Any, table: pd.DataFrame) -> dict[str, Any]:
    """Labels that survive a change of format: of columns and of whole numbers in them."""
    numbers = [name for name in map(str, table) if table[name].dtype.kind in "iuf"]
    present = _present_labels(publication, metadata, table)
    labels = {name: _whole_labels(present.get(name, {})) for name in numbers}
    names = metadata.column_names_to_labels
    publication.leave_out(*_find_texts(metadata))
    return {
        "column_labels": {name: names[name] for name in map(str, table) if names.get(name)},
        "variable_value_labels": {name: each for name, each in labels.items() if each},
    }


def _whole_labels(labels: dict[Any, str]) -> dict[int, str]:
    return {
        int(key): label
        for key, label in labels.items()
        if not isinstance(key, str) and float(key).is_integer()
    }


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
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind in {"string", "empty"}:
        return _to_text(column)
    if kind == "boolean":
        return column.astype("boolean").astype("Int32")
    if kind == "decimal":
        return column.astype(float)
    if kind in {"datetime64", "datetime", "date", "time"}:
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


def spell_values(publication: Publication, how: str) -> pd.DataFrame:
    """The published table with labels ("text") or all codes ("codes") where a column has some."""
    frame = to_pandas_frame(publication)
    spell = _spell_as_text if how == "text" else _spell_as_codes
    return pd.DataFrame({name: spell(publication, name, frame[name]) for name in publication.names})


def _spell_as_text(publication: Publication, name: str, values: pd.Series[Any]) -> pd.Series[Any]:
    """Labels, if every value of the column has one of its own; the values as they are if not."""
    assert publication.like is not None
    labels = publication.like.layout.metadata.variable_value_labels.get(name, {})
    cells = _get_stored(publication, name, values)
    present = list(cells.dropna().unique())
    texts = [labels.get(_bare(cell)) for cell in present]
    if not present or None in texts or len(set(texts)) < len(texts):
        return values
    return (
        cells.map(dict(zip(present, texts, strict=True))).astype(object).where(cells.notna(), None)
    )


def _spell_as_codes(publication: Publication, name: str, values: pd.Series[Any]) -> pd.Series[Any]:
    """The codes of missing values as ordinary ones; letters, which Stata has, stay missing."""
    assert publication.like is not None
    metadata = publication.like.layout.metadata
    if not metadata.missing_ranges.get(name):
        return values
    cells = _get_stored(publication, name, values)
    if is_text(metadata, name) or not pd.api.types.is_integer_dtype(values.dtype):
        return cells if values.dtype.kind != "M" else values
    return cells.astype(float).astype("Int64")


def _get_stored(publication: Publication, name: str, values: pd.Series[Any]) -> pd.Series[Any]:
    """The stored cells of the donors; the values where there are no donors, or they were made."""
    assert publication.like is not None
    donors = publication.donors.get(name)
    if donors is None:
        return values
    moved = take_stored(publication.like.layout.stored[name], donors)
    text = is_text(publication.like.layout.metadata, name)
    moved = moved.where(moved != "", None) if text else moved
    return moved.astype(object).where(donors >= -1, values.astype(object)).infer_objects()


def read_back(
    column: pd.Series[Any], before: pd.Series[Any], metadata: Any, name: str
) -> pd.Series[Any] | None:
    """A released column in the terms of its original; None where it is so already."""
    labels = metadata.variable_value_labels.get(name, {})
    ranges = metadata.missing_ranges.get(name, [])
    if _is_spelled(column, labels):
        codes = {text: code for code, text in labels.items()}
        column = column.map(codes)
    elif not ranges or is_text(metadata, name) == pd.api.types.is_numeric_dtype(column.dtype):
        return None
    declared = find_declared_missing(column, ranges)
    if not is_text(metadata, name):
        return pd.to_numeric(column.mask(declared), errors="coerce").astype(_nullable(before.dtype))
    return column.mask(declared, None)


def _is_spelled(column: pd.Series[Any], labels: Mapping[Any, str]) -> bool:
    """Return whether every value is a label, and not also a value that has one."""
    present = set(column.dropna().unique())
    texts = set(labels.values())
    return bool(present) and present <= texts and not present <= set(labels)


def _nullable(dtype: Any) -> Any:
    return "Int64" if pd.api.types.is_integer_dtype(dtype) else "float64"
