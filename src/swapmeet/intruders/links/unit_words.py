"""Units of several rows that are sought as wholes, and how sentences speak of them."""

from __future__ import annotations

from typing import NamedTuple

from swapmeet.tables.role import Role


class UnitWords(NamedTuple):
    """A sort of unit: its role, one and many of them, their rows, and what is known of one."""

    role: Role
    one: str
    many: str
    rows: str
    known: str


HOUSEHOLDS = UnitWords(
    Role.HOUSEHOLD, "household", "households", "members", "all members of a household"
)
PERSONS = UnitWords(Role.PERSON, "person", "people", "rows", "all rows of a person")
