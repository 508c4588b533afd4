"""Arrow types that hardly anything can be done with, as types that hold the same values."""

from __future__ import annotations

from typing import Any


def simplify_types(table: Any) -> Any:
    """A table without run-end encoding and without views in dictionaries; else the table itself."""
    for place, field in enumerate(table.schema):
        wanted = _find_plain_type(field.type)
        if wanted is not None:
            column = _to_plain(table.column(place), wanted)
            table = table.set_column(place, field.with_type(column.type), column)
    return table


def simplify_schema(schema: Any) -> Any:
    """The schema of such a table."""
    return simplify_types(schema.empty_table()).schema


def _find_plain_type(kind: Any) -> Any:
    """The type that a column gets; None where it keeps its own."""
    import pyarrow as pa
    import pyarrow.types as pt

    if pt.is_run_end_encoded(kind):
        return kind.value_type
    if not pt.is_dictionary(kind):
        return None
    if pt.is_string_view(kind.value_type):
        return pa.dictionary(kind.index_type, pa.large_string(), kind.ordered)
    if pt.is_binary_view(kind.value_type):
        return pa.dictionary(kind.index_type, pa.large_binary(), kind.ordered)
    return None


def _to_plain(column: Any, wanted: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as pt

    if pt.is_run_end_encoded(column.type):
        return pc.run_end_decode(column)
    chunks = [
        pa.DictionaryArray.from_arrays(
            chunk.indices, chunk.dictionary.cast(wanted.value_type), ordered=wanted.ordered
        )
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, wanted)
