"""Features of a file besides plain values, and those another format has no room for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

from swapmeet.base.sentences import join_names


class Feature(StrEnum):
    """Something that a format may or may not keep, as notes name it."""

    COLUMN_LABELS = "labels of columns"
    VALUE_LABELS = "labels of values"
    TEXT_LABELS = "labels of values that are text"
    MISSING_CODES = "which codes mean a missing value"
    MISSING_REASONS = "why a value is missing (all such cells are empty)"
    MEASURES = "measurement levels"
    RESPONSE_SETS = "multiple-response sets"
    WEIGHT = "which column is the weight"
    CATEGORIES = "which columns are categories, and their order"
    TIME_ZONES = "time zones (the moments stay)"
    TIMES_OF_DAY = "that times of day and spans of time are such"
    BOOLEANS = "that true and false are such (1 and 0 stand for them)"
    EMPTY_TEXT = "the difference between an empty text and a missing one"
    LONG_NUMBERS = "digits of whole numbers beyond the 15th"


TYPES: Final = frozenset(
    {
        Feature.CATEGORIES,
        Feature.TIME_ZONES,
        Feature.TIMES_OF_DAY,
        Feature.BOOLEANS,
        Feature.EMPTY_TEXT,
        Feature.LONG_NUMBERS,
    }
)
"""Features that Arrow's types have, and files of Arrow and Parquet keep."""


def describe_lost(names: Sequence[str], lost: Iterable[Feature], remedy: str = "") -> str:
    """A note on what these files do not tell.

    >>> describe_lost(["release.csv"], [Feature.WEIGHT, Feature.VALUE_LABELS])
    'release.csv does not keep: labels of values; which column is the weight.'
    >>> describe_lost(["a.csv", "a.xlsx"], [Feature.WEIGHT])
    'a.csv and a.xlsx do not keep: which column is the weight.'
    """
    features = set(lost)
    words = "; ".join(str(each) for each in Feature if each in features)
    verb = "does" if len(names) == 1 else "do"
    return f"{join_names(names)} {verb} not keep: {words}.{remedy}"


EXACT = 2**53
"""Up to here, every whole number is a double."""


def find_type_features(table: Any, names: Iterable[str]) -> dict[Feature, Any]:
    """List what the columns of a table reveal besides values, each with what exactly."""
    import pyarrow as pa

    features: dict[Feature, dict[str, Any]] = {}
    table = table if isinstance(table, pa.Table) else pa.table(dict(table))
    there = set(table.column_names)
    for name in names:
        if name in there:
            for feature, content in _find_in_column(table[name]):
                features.setdefault(feature, {})[name] = content
    return dict(features)


def _find_in_column(column: Any) -> Iterator[tuple[Feature, Any]]:
    import pyarrow.compute as pc
    import pyarrow.types as pt

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
    if pt.is_integer(kind):
        ends = pc.min_max(column).as_py()
        if ends["max"] is not None and max(ends["max"], -ends["min"]) > EXACT:
            yield Feature.LONG_NUMBERS, ends


def _has_empty_text(column: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if kind not in {pa.string(), pa.large_string()}:
        return False
    return bool(pc.any(pc.equal(column, pa.scalar("", kind)), min_count=0).as_py())
