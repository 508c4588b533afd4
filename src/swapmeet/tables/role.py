"""Roles of columns: what is to be done with them, and which contradict each other."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from swapmeet.base.sentences import join_names

if TYPE_CHECKING:
    from swapmeet.tables.schema import Schema


class Role(StrEnum):
    """Role of a column: what is to be done with it."""

    KEY = "key"
    SENSITIVE = "sensitive"
    PLACE = "place"
    KEEP = "keep"
    WEIGHT = "weight"
    STRATA = "strata"
    POSITION = "position"
    HOUSEHOLD = "household"
    PERSON = "person"
    DERIVED = "derived"
    DROP = "drop"

    @property
    def masked(self) -> bool:
        """Return whether a method perturbs columns of this role."""
        return self in {Role.KEY, Role.SENSITIVE, Role.PLACE}

    @property
    def changes(self) -> bool:
        """Return whether values of such columns may differ between release and original."""
        return self.masked or self is Role.DERIVED

    @property
    def kept(self) -> bool:
        """Return whether columns of this role are published as they are."""
        return self in {Role.KEEP, Role.WEIGHT, Role.STRATA, Role.POSITION}

    @property
    def is_unit(self) -> bool:
        """Return whether rows that agree in such a column belong together; it is numbered anew."""
        return self in {Role.HOUSEHOLD, Role.PERSON}

    @property
    def is_compared(self) -> bool:
        """Return whether values of such a column can be compared with those of the original."""
        return self is not Role.DROP and not self.is_unit

    @property
    def meaning(self) -> str:
        """One line for people."""
        return _MEANINGS[self]


_MEANINGS = {
    Role.KEY: (
        "An intruder may know it. Masked, unless the method leaves it as it is (swapmeet methods). "
        "The default role."
    ),
    Role.SENSITIVE: "An intruder wants to learn it. Masked, unless the method leaves it as it is.",
    Role.PLACE: (
        "A level of a hierarchy of places, such as region and district. Masked; all levels of a "
        "row move as one, so that places stay nested."
    ),
    Role.KEEP: "Published as it is; takes no part in masking.",
    Role.WEIGHT: "The sampling weight. Published as it is; measures of utility are weighted by it.",
    Role.STRATA: "Published as it is; values move only between rows that agree in it.",
    Role.POSITION: (
        "The position in the household, such as head or child. Published as it is; what belongs "
        "to persons moves only between persons of the same position."
    ),
    Role.HOUSEHOLD: (
        "The number of the household, or of another unit of several rows. Numbered anew; what is "
        "the same for all its members moves once for all of them."
    ),
    Role.PERSON: (
        "The number of the person, where one has several rows. Numbered anew; what is the same in "
        "all of them moves once."
    ),
    Role.DERIVED: "Follows from other columns; computed from their released values.",
    Role.DROP: "A direct identifier. Not published.",
}


SINGLE = (Role.HOUSEHOLD, Role.PERSON, Role.POSITION)
"""Roles that one column may have."""


def list_role_conflicts(schema: Schema) -> list[str]:
    """Two columns for one kind of unit, and positions in households that nobody knows."""
    conflicts = [
        f"role {role}: one column may have it; {join_names(names)} do. If they number units only "
        "together, make one column of them; give the others another role."
        for role in SINGLE
        if len(names := schema.having(role)) > 1
    ]
    positions = schema.having(Role.POSITION)
    if positions and not schema.having(Role.HOUSEHOLD):
        conflicts.append(
            f"column {positions[0]!r} (role position): the column that numbers households is "
            "needed, too. Give that one the role household."
        )
    return conflicts
