"""What a file tells besides plain values, and which of it another format has no room for."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Feature(StrEnum):
    """Something that a format may or may not keep, as notes name it."""

    COLUMN_LABELS = "labels of columns"
    VALUE_LABELS = "labels of values"
    TEXT_LABELS = "labels of values that are text"
    MISSING_CODES = "which codes mean a missing value"
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
"""What Arrow's types tell, and files of Arrow and Parquet keep."""


def describe_lost(name: str, lost: Iterable[Feature], remedy: str = "") -> tuple[str, ...]:
    """A note on what the file `name` does not tell, if there is anything.

    >>> describe_lost("release.csv", [Feature.WEIGHT, Feature.VALUE_LABELS])
    ('release.csv does not keep: labels of values; which column is the weight.',)
    """
    found = set(lost)
    named = [str(each) for each in Feature if each in found]
    return (f"{name} does not keep: {'; '.join(named)}.{remedy}",) if named else ()


def find_changed(before: Mapping[Feature, Any], after: Mapping[Feature, Any]) -> set[Feature]:
    """What one file tells and another does not, or not so."""
    return {feature for feature, told in before.items() if after.get(feature) != told}
