"""The kinds of things that are left out of a release, in words; never what they said."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Trace(StrEnum):
    """Traces that are left out, as notes name them."""

    INDEX = "the index of the rows"
    ATTRIBUTES = "attributes of the table"
    TABLE_METADATA = "metadata of the table"
    COLUMN_METADATA = "metadata of columns"
    CATEGORIES = "categories that no released row has"
    FILE_LABEL = "the label of the file"
    FILE_NOTES = "notes in the file"
    TABLE_NAME = "the name of the table"
    VALUE_LABELS = "labels of values that no released row has"
    RESPONSE_SETS = "multiple-response sets with a column that is dropped"
    MISSING_CODES = "codes for missing values that no released row has"


def describe_left_out(traces: Iterable[Trace]) -> tuple[str, ...]:
    """A note, if there is anything to say.

    >>> describe_left_out([Trace.FILE_LABEL, Trace.INDEX])
    ('left out of the release: the index of the rows; the label of the file.',)
    >>> describe_left_out([])
    ()
    """
    found = set(traces)
    named = [str(each) for each in Trace if each in found]
    return (f"left out of the release: {'; '.join(named)}.",) if named else ()
