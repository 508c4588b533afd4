"""Households of the same size, with members in the same positions, as rows of one table.

Such a table has one column for each column of households, and for each column of persons as many
as there are members, side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.tables.role import Role
from swapmeet.tables.ties import merge_sets
from swapmeet.tables.units import Units, find_levels

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.tables.microdata import Microdata, Variable

MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd constant that spreads numbers over 64 bits."""


@dataclass(frozen=True, repr=False, eq=False)
class HouseholdType:
    """Households that are alike: `members` has their rows, one line per household.

    `shared` are the columns that are the same for all members of every household of the table.
    """

    data: Microdata
    members: Ints
    shared: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<HouseholdType: {self.count} households of {self.size}>"

    @property
    def count(self) -> int:
        """The number of households."""
        return len(self.members)

    @property
    def size(self) -> int:
        """The number of members."""
        return self.members.shape[1]

    @cached_property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """Map each column to those of the table of households, one for each member with its own.

        The first has the name of the column itself.
        """
        taken, columns = set(self.data.names), {}
        for name in self.data.names:
            more = 0 if name in self.shared else self.size - 1
            columns[name] = (name, *(_name_free(name, i + 2, taken) for i in range(more)))
        return columns

    def widen(self) -> Microdata:
        """The table of these households, one row each; the columns of one variable move as one."""
        data, first = self.data, self.members[:, 0]
        strata = np.unique(data.strata[first], return_inverse=True)[1].astype(np.int32)
        return replace(
            data.take(first),
            variables=tuple(v for one in data.variables for v in self._widen(one)),
            together=self._find_sets(),
            strata=strata, household=None, person=None, position=None, whole=False,
        )  # fmt: skip

    def spread(self, donors: Ints) -> Ints:
        """Households that give to households as rows that give to rows, member by member."""
        rows = self.members[np.maximum(donors, 0)]
        return np.where(donors[:, np.newaxis] < 0, donors[:, np.newaxis], rows)

    def _widen(self, variable: Variable) -> list[Variable]:
        names = self.columns[variable.name]
        return [
            replace(variable, name=name, values=variable.values[self.members[:, i]], whole=None)
            for i, name in enumerate(names)
        ]

    def _find_sets(self) -> tuple[tuple[str, ...], ...]:
        """Sets of the table, and the members' columns of one variable; the first leads."""
        named = [
            tuple(new for name in one for new in self.columns[name]) for one in self.data.together
        ]
        own = [names for names in self.columns.values() if len(names) > 1]
        return merge_sets([*named, *own])


def list_household_types(data: Microdata) -> list[HouseholdType]:
    """The types of households, the most frequent first."""
    assert data.household is not None
    units = Units(data.household, data.position)
    type_of = _number_types(units, data.position)
    shared = _list_shared(data)
    sizes = np.bincount(type_of)
    return [
        HouseholdType(data, _list_members(units, np.flatnonzero(type_of == number)), shared)
        for number in np.argsort(-sizes, kind="stable")
    ]


def _list_shared(data: Microdata) -> tuple[str, ...]:
    levels = [level for level in find_levels(data) if level.name == Role.HOUSEHOLD]
    return levels[0].columns if levels else ()


def _number_types(units: Units, position: Ints | None) -> Ints:
    """The type of each household: its size, and the positions of its members in order."""
    codes = np.zeros(len(units.of_row), np.int64) if position is None else position
    ordered = codes[units.order].astype(np.uint64) * MIX + units.member[units.order].view(np.uint64)
    mixed = (ordered ^ (ordered >> np.uint64(29))) * MIX
    mixed = (mixed ^ (mixed >> np.uint64(32))) * MIX
    sums = np.add.reduceat(mixed, units.starts)
    pairs = np.column_stack([units.sizes.view(np.uint64), sums])
    return np.unique(pairs, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _list_members(units: Units, households: Ints) -> Ints:
    """The rows of households of one size, one line each."""
    size = int(units.sizes[households[0]])
    return units.order[units.starts[households][:, np.newaxis] + np.arange(size)]


def _name_free(name: str, number: int, taken: set[str]) -> str:
    """The name of the column of another member, which no column of the table has."""
    new = f"{name} of member {number}"
    while new in taken:
        new += "'"
    taken.add(new)
    return new
