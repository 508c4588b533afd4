"""Roles of columns that contradict each other, whatever the table holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.base.sentences import join_names
from swapmeet.tables.role import Role

if TYPE_CHECKING:
    from swapmeet.tables.schema import Schema

SINGLE = (Role.HOUSEHOLD, Role.PERSON, Role.POSITION)
"""Roles that one column may have."""


def list_role_conflicts(schema: Schema) -> list[str]:
    """Two columns for one kind of unit, and positions in households that nobody knows."""
    found = [
        f"role {role}: one column may have it; {join_names(names)} do. If they number units only "
        "together, make one column of them; give the others another role."
        for role in SINGLE
        if len(names := schema.having(role)) > 1
    ]
    positions = schema.having(Role.POSITION)
    if positions and not schema.having(Role.HOUSEHOLD):
        found.append(
            f"column {positions[0]!r} (role position): the column that numbers households is "
            "needed, too. Give that one the role household."
        )
    return found
