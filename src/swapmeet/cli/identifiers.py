"""Columns that look like direct identifiers: refused until they are dropped or published."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from swapmeet.errors import SchemaError

if TYPE_CHECKING:
    from swapmeet.tables.schema import Column, Schema


def refuse_identifiers(schema: Schema, *, remedy: str = "Leave it out: --drop {name}.") -> None:
    """Refuse a table whose release would have columns that look like identifiers."""
    if schema.undecided:
        raise SchemaError(_explain(column, remedy) for column in schema.undecided)


def _explain(column: Column, remedy: str) -> str:
    name = shlex.quote(column.name)
    role = "" if column.hint is None else f" Or give its role: --{column.hint.role} {name}."
    return (
        f"column {column.name!r} looks like a direct identifier: {column.identifier}. "
        f"{remedy.format(name=name)}{role} "
        f"Or, if it identifies nobody, publish it: --publish {name}."
    )
