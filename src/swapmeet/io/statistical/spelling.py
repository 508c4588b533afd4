"""Labelled values for a file without labels, and from there back to the values of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from swapmeet.io.release_table import to_pandas_frame
from swapmeet.io.statistical.release import take_stored
from swapmeet.io.statistical.values import find_declared_missing, is_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.io.publication import Publication


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


def _bare(cell: Any) -> Any:
    return cell.rstrip(" ") if isinstance(cell, str) else cell


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
