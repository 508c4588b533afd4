"""Stored cells of SPSS, Stata and SAS as typed values, and what else is stored about columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from swapmeet.io.feature import Feature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from swapmeet.io.document import Document


_SECOND: Final = 1_000_000
_DAY: Final = 86_400 * _SECOND
_SPSS: Final = np.datetime64("1582-10-14", "us")
_1960: Final = np.datetime64("1960-01-01", "us")
_SAS_MOMENTS: Final = r"(?:DATETIME|DATEAMPM|DTDATE|E8601DT|B8601DT|MDYAMPM)"
_SAS_DAYS: Final = (
    r"(?:DATE|DAY|DDMMYY|MMDDYY|YYMM|MMYY|MONYY|YYMON|JULIAN|[EB]8601DA|WEEKDAT|WORDDAT)"
)


@dataclass(frozen=True)
class _Clock:
    """Numbers shown in these formats count units (of so many microseconds) since an epoch."""

    formats: re.Pattern[str]
    epoch: np.datetime64
    unit: int


_SAS: Final = (
    _Clock(re.compile(_SAS_MOMENTS), _1960, _SECOND),
    _Clock(re.compile(_SAS_DAYS), _1960, _DAY),
)
_CLOCKS: Final = {
    "spss": (
        _Clock(re.compile(r"(?:[AESJ]?DATE|QYR|MOYR|WKYR|DATETIME|YMDHMS)\d"), _SPSS, _SECOND),
    ),
    "stata": (
        _Clock(re.compile(r"%-?t?d"), _1960, _DAY),
        _Clock(re.compile(r"%-?tc"), _1960, 1_000),
    ),
    "sas": _SAS,
    "xport": _SAS,
}


def parse_frame(name: str, stored: pd.DataFrame, metadata: Any) -> pd.DataFrame:
    """The table for masking: dates as dates, declared missing values missing."""
    return pd.DataFrame(
        {column: _parse_column(name, stored[column], metadata, column) for column in stored.columns}
    )


def is_text(metadata: Any, column: str) -> bool:
    """Return whether a column holds text, not numbers."""
    return bool(metadata.readstat_variable_types.get(column) == "string")


def to_stored(name: str, values: pd.Series[Any], metadata: Any, column: str) -> pd.Series[Any]:
    """Dates as the numbers that the format of their column stands for; other values unchanged."""
    clock = _find_clock(name, metadata, column)
    if clock is None or values.dtype.kind != "M":
        return values
    moments = values.to_numpy(dtype="datetime64[us]")
    numbers = (moments - clock.epoch).astype(np.int64) / clock.unit
    return pd.Series(np.where(np.isnat(moments), np.nan, numbers))


def _parse_column(name: str, stored: pd.Series[Any], metadata: Any, column: str) -> pd.Series[Any]:
    declared = find_declared_missing(stored, metadata.missing_ranges.get(column, []))
    if is_text(metadata, column):
        return stored.mask(declared | (stored == ""), None)
    numbers = pd.to_numeric(stored, errors="coerce").mask(declared)
    clock = _find_clock(name, metadata, column)
    if clock is not None:
        return _to_moments(numbers.astype(float), clock)
    return _to_integers(numbers) if _has_whole_numbers(numbers, metadata, column) else numbers


def find_declared_missing(stored: pd.Series[Any], ranges: list[Any]) -> pd.Series[bool]:
    """Cells within the user-missing ranges of SPSS."""
    flags = pd.Series(data=False, index=stored.index)
    for each in ranges:
        low, high = _ends(each)
        flags |= (stored == low) if low == high else stored.between(low, high)
    return flags


def is_declared_missing(value: Any, ranges: list[Any]) -> bool:
    """Return whether one value lies within the user-missing ranges of SPSS."""
    ends = map(_ends, ranges)
    if isinstance(value, str):
        return any(value.rstrip(" ") == low for low, _ in ends if isinstance(low, str))
    return any(low <= value <= high for low, high in ends if not isinstance(low, str))


def _ends(span: Any) -> tuple[Any, Any]:
    return (span["lo"], span["hi"]) if isinstance(span, dict) else (span, span)


def _find_clock(name: str, metadata: Any, column: str) -> _Clock | None:
    form = (metadata.original_variable_types.get(column) or "").upper()
    form = form.lower() if name == "stata" else form
    return next((clock for clock in _CLOCKS[name] if clock.formats.match(form)), None)


def _to_moments(numbers: pd.Series[float], clock: _Clock) -> pd.Series[Any]:
    microseconds = np.round(numbers.to_numpy() * clock.unit)
    if np.nanmax(np.abs(microseconds), initial=0) > 2**62:
        return numbers
    known = np.where(np.isnan(microseconds), 0, microseconds).astype("timedelta64[us]")
    return pd.Series(clock.epoch + known).mask(numbers.isna())


def _has_whole_numbers(numbers: pd.Series[Any], metadata: Any, column: str) -> bool:
    """Return whether values are whole numbers, by how they are stored or by how they are shown."""
    if (metadata.readstat_variable_types.get(column) or "").startswith("int"):
        return True
    form = metadata.original_variable_types.get(column) or ""
    known = numbers.dropna()
    return bool(
        re.fullmatch(r"F\d+(?:\.0)?", form)
        and (known % 1 == 0).all()
        and (known.abs() < 2**53).all()
    )


def _to_integers(numbers: pd.Series[Any]) -> pd.Series[Any]:
    return numbers.astype("Int64" if numbers.isna().any() else "int64")


def find_features(document: Document, names: Iterable[str]) -> dict[Feature, Any]:
    """Labels, codes for missing values, measures, multiple-response sets, the weight."""
    layout, published = document.layout, set(names)
    metadata = layout.metadata

    def of(values: Mapping[str, Any] | None) -> dict[str, Any]:
        return {name: each for name, each in (values or {}).items() if name in published and each}

    features = {
        Feature.COLUMN_LABELS: of(metadata.column_names_to_labels),
        Feature.VALUE_LABELS: of(_find_labels(metadata, of_text=False)),
        Feature.TEXT_LABELS: of(_find_labels(metadata, of_text=True)),
        Feature.MISSING_CODES: of(metadata.missing_ranges) | of(metadata.missing_user_values),
        Feature.MEASURES: {
            n: m for n, m in of(metadata.variable_measure).items() if m != "unknown"
        },
        Feature.RESPONSE_SETS: find_sets(metadata, published),
        Feature.WEIGHT: layout.weight if layout.weight in published else None,
    }
    return {feature: each for feature, each in features.items() if each}


def find_sets(metadata: Any, published: Iterable[str]) -> dict[str, Any]:
    """The multiple-response sets of which every column is published."""
    names = set(published)
    return {
        name: facts
        for name, facts in (metadata.mr_sets or {}).items()
        if facts["variable_list"] and names.issuperset(facts["variable_list"])
    }


def find_value_labels(metadata: Any) -> dict[str, dict[Any, str]]:
    """The labels of values that are not missing, by column."""
    return {
        name: {key: text for key, text in labels.items() if not _is_missing(metadata, name, key)}
        for name, labels in metadata.variable_value_labels.items()
    }


def _find_labels(metadata: Any, *, of_text: bool) -> dict[str, dict[Any, str]]:
    labels = find_value_labels(metadata)
    return {name: each for name, each in labels.items() if is_text(metadata, name) == of_text}


def _is_missing(metadata: Any, name: str, key: Any) -> bool:
    letters = not is_text(metadata, name) and isinstance(key, str)
    return letters or is_declared_missing(key, metadata.missing_ranges.get(name, []))
