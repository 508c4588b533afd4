"""What is refused before a table is masked."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from swapmeet.core.tables.microdata import Microdata
from swapmeet.core.tables.schema import Role, Schema
from swapmeet.errors import TableError, UsageError
from swapmeet.methods import Method

if TYPE_CHECKING:
    from swapmeet.core.tables.frame import Table


def checked_by_head(schema: Schema, head: Table, method: Method) -> Schema:
    """The schema in the order of the table, when both fit its first rows and the method.

    Whether there are rows enough is not for the first of them to tell.
    """
    schema.check(head)
    ordered = schema.in_order(head.names)
    require_something_to_mask(head, ordered)
    first = Microdata.of(head, ordered)
    with suppress(TableError):
        method.check(first)
    return ordered


def require_method(method: object) -> None:
    """Refuse what is no method, such as the class of one."""
    if not isinstance(method, Method):
        raise UsageError(
            "mask: `method` must be a method such as RWN(k=10); "
            f"got {getattr(method, '__name__', type(method).__name__)}."
        )


def require_something_to_mask(table: Table, schema: Schema) -> None:
    """Refuse a table without rows, or without a column to mask."""
    if len(table) == 0:
        raise TableError("the table has no rows; there is nothing to mask.")
    if not schema.masked:
        counts = ", ".join(f"{len(schema.having(role))} {role}" for role in Role)
        raise TableError(
            f"no column to mask ({counts}). Give at least one the role key or sensitive."
        )
