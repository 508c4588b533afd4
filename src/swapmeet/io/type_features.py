"""Features of columns that their types hold besides the values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from swapmeet.io.feature import Feature

EXACT = 2**53
"""Up to here, every whole number is a double."""


def find_type_features(table: Any, names: Iterable[str]) -> dict[Feature, Any]:
    """List what the columns of a table reveal besides values, each with what exactly."""
    features: dict[Feature, dict[str, Any]] = {}
    table = table if isinstance(table, pa.Table) else pa.table(dict(table))
    there = set(table.column_names)
    for name in names:
        if name in there:
            for feature, content in _find_in_column(table[name]):
                features.setdefault(feature, {})[name] = content
    return dict(features)


def _find_in_column(column: Any) -> Iterator[tuple[Feature, Any]]:
    kind = column.type
    if pt.is_dictionary(kind):
        yield Feature.CATEGORIES, (str(kind.value_type), kind.ordered)
    if pt.is_timestamp(kind) and kind.tz is not None:
        yield Feature.TIME_ZONES, kind.tz
    if pt.is_time(kind) or pt.is_duration(kind):
        yield Feature.TIMES_OF_DAY, str(kind)
    if pt.is_boolean(kind):
        yield Feature.BOOLEANS, True
    if _has_empty_text(column):
        yield Feature.EMPTY_TEXT, True
    if pt.is_integer(kind) and _is_long(column):
        yield Feature.LONG_NUMBERS, pc.min_max(column).as_py()


def _has_empty_text(column: Any) -> bool:
    kind = column.type
    if not (pt.is_string(kind) or pt.is_large_string(kind)):
        return False
    return bool(pc.any(pc.equal(column, pa.scalar("", kind)), min_count=0).as_py())


def _is_long(column: Any) -> bool:
    ends = pc.min_max(column).as_py()
    return ends["max"] is not None and max(ends["max"], -ends["min"]) > EXACT
