"""A pyarrow table that tells its values and nothing else."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from swapmeet.tables.traces.arrow_column import clean_column
from swapmeet.tables.traces.kinds import Trace
from swapmeet.tables.traces.metadata import find_metadata, publish_schema


def remove_traces(table: Any) -> tuple[Any, frozenset[Trace]]:
    """The same values, and what was left out."""
    columns = [clean_column(column) for column in table.columns]
    levels = {
        name: column.dictionary
        for name, column in zip(table.column_names, columns, strict=True)
        if pt.is_dictionary(column.type)
    }
    found = find_metadata(table.schema)
    if any(_count_levels(table[name]) > len(levels[name]) for name in levels):
        found |= {Trace.CATEGORIES}
    return pa.table(columns, schema=publish_schema(table.schema, levels)), found


def _count_levels(column: Any) -> int:
    return max((len(chunk.dictionary) for chunk in column.chunks), default=0)
