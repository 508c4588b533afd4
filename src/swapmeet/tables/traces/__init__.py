"""Traces in a table besides its values, and how a release is freed of them.

Levels of categories in the order in which they first appeared, categories that no row has any
more, an index of patient numbers, attributes, metadata, a minus before a zero, a value under a
missing one: each may tell an intruder where a row or a value came from. One file per library.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from importlib import import_module

from swapmeet.tables.backends import Frame, list_types

_CLEANERS = {"pandas": "pandas_frame", "polars": "polars_frame"}


def remove_traces(native: Frame) -> tuple[Frame, frozenset[Trace]]:
    """The same values in columns of the same types, and what was left out.

    Categories are those that some row has: sorted, or in their declared order if they have one. A
    pandas index is numbered from 0.
    """
    libraries = (library for library, _ in list_types(native))
    name = next((_CLEANERS[each] for each in libraries if each in _CLEANERS), "arrow")
    cleaner = import_module(f"{__name__}.{name}")
    cleaned: tuple[Frame, frozenset[Trace]] = cleaner.remove_traces(native)
    return cleaned


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
    kinds = set(traces)
    named = [str(each) for each in Trace if each in kinds]
    return (f"left out of the release: {'; '.join(named)}.",) if named else ()
