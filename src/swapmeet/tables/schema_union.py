"""One schema for two releases of a table, so that both are judged alike."""

from __future__ import annotations

from dataclasses import replace

from swapmeet.tables.schema import Column, Role, Schema

CAUTION = tuple(Role)
"""The role that says most about what an intruder may know comes first."""


def unite_schemas(first: Schema, second: Schema) -> Schema:
    """The columns of the first, each with the more cautious of its two roles.

    What one release drops and the other publishes is no direct identifier for the other: it is
    judged by the role that it has there.

    >>> from swapmeet import Column, Schema
    >>> one = Schema((Column("age", "numeric", "drop"), Column("sex", "nominal", "keep")))
    >>> two = Schema((Column("age", "numeric", "key"), Column("sex", "nominal", "keep")))
    >>> [str(column.role) for column in unite_schemas(one, two)]
    ['key', 'keep']
    """
    others = {column.name: column for column in second}
    columns = tuple(_unite(column, others.get(column.name, column)) for column in first)
    return replace(first, columns=columns)


def _unite(one: Column, other: Column) -> Column:
    role = min(one.role, other.role, key=CAUTION.index)
    return replace(one, role=role, publish=one.publish or other.publish)


def name_differing(first: Schema, second: Schema) -> tuple[str, ...]:
    """The columns whose roles differ."""
    others = {column.name: column.role for column in second}
    return tuple(c.name for c in first if others.get(c.name, c.role) is not c.role)
