"""Refusals before a table is masked or compared, whichever engine does it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from swapmeet.base.seeds import Seed
from swapmeet.errors import TableError, UsageError
from swapmeet.methods import CLASSES, Method
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Role, Schema

if TYPE_CHECKING:
    from swapmeet.tables.frame import Table


def choose_seed(seed: int | None) -> Seed:
    """A seed from the operating system, unless the user chose one."""
    return Seed.fresh() if seed is None else Seed.chosen_by_user(seed)


def require_method(method: object) -> None:
    """Refuse what is no method, such as the class or the name of one."""
    if isinstance(method, Method):
        return
    shown = getattr(method, "__name__", type(method).__name__)
    if isinstance(method, str) and method in CLASSES:
        shown = f"the name {method!r}. Give sm.{CLASSES[method]}(...) with its parameters"
    raise UsageError(f"mask: `method` must be a method such as RWN(k=10); got {shown}.")


def require_something_to_mask(rows: int, schema: Schema) -> None:
    """Refuse a table without rows that could trade, or without a column to mask."""
    if rows == 0:
        raise TableError("the table has no rows; there is nothing to mask.")
    if rows == 1:
        raise TableError("the table has only 1 row; there is no other to trade values with.")
    if not schema.masked:
        counts = ", ".join(f"{n} {role}" for role in Role if (n := len(schema.having(role))))
        raise TableError(
            f"no column to mask ({counts}). Give at least one the role key or sensitive."
        )


def require_all_rows_at_once(method: Method) -> None:
    """Refuse a method that must see the whole table, where it is masked in pieces."""
    if method.needs_all_rows:
        raise UsageError(
            f"{method.name} looks at all rows at once, and cannot mask a table block by block. "
            "Mask it in memory: without `block_rows` or --memory, and not as a Spark frame."
        )


def refuse_context(method: Method, schema: Schema, where: str) -> None:
    """Refuse a method that looks at columns it does not mask, where it is not shown any."""
    names = method.find_context(schema)
    if names:
        raise UsageError(
            f"{method.name}: looks at {', '.join(names)} without masking, which {where} does not "
            "support. Mask the table in memory, or give the columns the role key."
        )


def check_first_rows(method: Method, head: Table, schema: Schema) -> None:
    """Refuse at once what some rows show that the method cannot mask.

    Whether there are enough rows is not for some of them to tell.
    """
    first = Microdata.of(head, schema)
    with suppress(TableError):
        method.check(first)
