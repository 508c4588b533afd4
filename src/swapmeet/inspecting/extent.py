"""The number of columns compared with each other, where comparing all would take too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.core.tables.role import Role
from swapmeet.ties import dependencies, orders, ratios, sums

if TYPE_CHECKING:
    from swapmeet.inspecting.columns import Columns


def describe_extent(columns: Columns) -> tuple[str, ...]:
    """Describe what was sought among the first columns only, if anything."""
    numbers = len(columns.list_quantities(()))
    dates = len(columns.list_dates())
    masked = sum(columns.has_role(name, Role.KEY, Role.SENSITIVE) for name in columns.names)
    looked_for = (
        ("sums", numbers + dates, sums.MOST_COLUMNS, f" with numbers{' or dates' * bool(dates)}"),
        ("products and quotients", numbers, ratios.MOST_COLUMNS, " with numbers"),
        ("dates in order", dates, orders.MOST_COLUMNS, " with dates"),
        ("columns that follow from another", masked, dependencies.MOST_COLUMNS, ""),
    )
    told = [
        f"{what} were looked for among the first {most:,} of {count:,} columns{which}"
        for what, count, most, which in looked_for
        if count > most
    ]
    return (f"The table is wide: {'; '.join(told)}.",) if told else ()
