"""Features of a file besides plain values, and those another format has no room for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


def find_changed(before: Mapping[Feature, Any], after: Mapping[Feature, Any]) -> set[Feature]:
    """Features that one file has and another lacks, or has in another way."""
    return {feature for feature, content in before.items() if after.get(feature) != content}
