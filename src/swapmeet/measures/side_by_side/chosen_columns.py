"""Columns that the user names for an analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.errors import SchemaError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.tables.microdata import Microdata


def require_columns(what: str, columns: Sequence[str], data: Microdata) -> None:
    """Refuse names that are none of the columns; `what` opens the message."""
    problems = [
        f"{what}: there is no column {name!r} in both tables{did_you_mean(name, data.names)}"
        for name in columns
        if name not in data.names
    ]
    if problems or not columns:
        raise SchemaError(problems or [f"{what}: name at least one column."])
