"""Labels and codes in a release of a labelled file, as the values that the file has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from swapmeet.io.statistical.values import find_declared_missing, is_text

if TYPE_CHECKING:
    from collections.abc import Mapping


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
