"""A schema as text, and as a notebook shows it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from swapmeet.base.html import write_box, write_list, write_table, write_text
from swapmeet.base.sentences import align, count

if TYPE_CHECKING:
    from swapmeet.tables.schema import Column, Schema

HEADER = ("column", "kind", "role", "why this kind")
WIDTH = 80
MOST_LINES = 18


def describe_size(schema: Schema) -> str:
    """Say how many columns there are, and how many of each role."""
    roles = Counter(str(column.role) for column in schema)
    counts = ", ".join(f"{number} {role}" for role, number in roles.items())
    return f"{count(len(schema), 'column')}: {counts}" if len(schema) else "no columns"


def write_schema(schema: Schema) -> str:
    """Text that `print` shows: it fits a screen of 80 columns; of many columns the first stand."""
    shown = schema.columns[:MOST_LINES]
    lines = align([HEADER, *([_shorten(cell) for cell in _list_cells(one)] for one in shown)])
    left = len(schema) - len(shown)
    more = [f"… and {count(left, 'more column', 'more columns')}"] if left else []
    fitting = (line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in lines)
    return "\n".join([describe_size(schema), *fitting, *more])


def write_schema_html(schema: Schema) -> str:
    """Each column with its kind and role, and what the curator has yet to decide on."""
    return write_box(
        write_text(describe_size(schema)),
        write_table(HEADER, map(_list_cells, schema)),
        write_list(f"{column.name}: {column.worry}" for column in schema if column.worry),
    )


def _list_cells(column: Column) -> tuple[str, ...]:
    return (column.name, str(column.kind), str(column.role), column.reason)


def _shorten(cell: str, most: int = 40) -> str:
    return cell if len(cell) <= most else f"{cell[: most - 1]}…"
