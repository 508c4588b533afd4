"""Traces in a table besides its values, and how a release is freed of them.

Levels of categories in the order in which they first appeared, categories that no row has any
more, an index of patient numbers, attributes, metadata, a minus before a zero, a value under a
missing one: each may tell an intruder where a row or a value came from. One file per library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swapmeet.tables.traces.kinds import Trace, describe_left_out

if TYPE_CHECKING:
    from swapmeet.tables.frame import Frame

__all__ = ["Trace", "describe_left_out", "remove_traces"]


def remove_traces(native: Frame) -> tuple[Frame, frozenset[Trace]]:
    """The same values in columns of the same types, and what was left out.

    Categories are those that some row has: sorted, or in their declared order if they have one. A
    pandas index is numbered from 0.
    """
    cleaner = _find_library(native)
    return cleaner.remove_traces(native)


def _find_library(native: Frame) -> Any:
    libraries = {base.__module__.partition(".")[0] for base in type(native).__mro__}
    if "pandas" in libraries:
        from swapmeet.tables.traces import pandas_frame as library
    elif "polars" in libraries:
        from swapmeet.tables.traces import polars_frame as library  # type: ignore[no-redef]
    else:
        from swapmeet.tables.traces import arrow_table as library  # type: ignore[no-redef]
    return library
