"""A schema as a notebook shows it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from swapmeet.core.base.html import write_box, write_list, write_table, write_text

if TYPE_CHECKING:
    from swapmeet.core.tables.schema import Column, Schema


def write_schema(schema: Schema) -> str:
    """Each column with its kind and role, and what the curator has yet to decide on."""
    roles = Counter(str(column.role) for column in schema)
    counts = ", ".join(f"{number} {role}" for role, number in roles.items())
    return write_box(
        write_text(f"{len(schema)} columns: {counts}" if len(schema) else "No columns."),
        write_table(["column", "kind", "role", "why this kind"], map(_list_cells, schema)),
        write_list(f"{column.name}: {column.worry}" for column in schema if column.worry),
    )


def _list_cells(column: Column) -> tuple[str, ...]:
    return (column.name, str(column.kind), str(column.role), column.reason)
