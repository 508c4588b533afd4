"""Levels: which columns belong to households, which to persons, and which to single rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.tables.role import Role
from swapmeet.tables.units import Units

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.tables.microdata import Microdata

ROW = "row"
"""The level of columns that differ inside every kind of unit."""


@dataclass(frozen=True, repr=False, eq=False)
class Level:
    """Columns that belong to one kind of unit; `units` is None for those of single rows.

    `coarser` are the columns of larger units, which a method sees beside those of this level.
    """

    name: str
    columns: tuple[str, ...]
    units: Units | None
    coarser: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Level {self.name}: {len(self.columns)} columns>"

    @property
    def things(self) -> str:
        """Name what has one value, for messages."""
        return "rows" if self.units is None else f"{self.name}s"

    @property
    def has_positions(self) -> bool:
        """Return whether its things have a position in the household."""
        return self.name != Role.HOUSEHOLD

    def reduce(self, data: Microdata) -> Microdata:
        """The columns of this level and the coarser ones, one row per unit, and its position."""
        part = data.select(n for n in data.names if n in self.columns or n in self.coarser)
        part = part if self.units is None else part.take(self.units.first)
        position = part.position if self.has_positions else None
        return replace(part, household=None, person=None, position=position, whole=False)

    def take(self, rows: Ints) -> Level:
        """The same level of only these rows, whose units are numbered anew."""
        if self.units is None:
            return self
        numbers = np.unique(self.units.of_row[rows], return_inverse=True)[1]
        return replace(self, units=Units(numbers))

    def spread(self, donors: Ints) -> Ints:
        """Donors among the units of this level as donors among rows."""
        return donors if self.units is None else self.units.spread(donors)

    def list_rows(self, units: Ints) -> Ints:
        """The rows of some units of this level."""
        return units if self.units is None else self.units.list_rows(units)


def find_levels(data: Microdata) -> list[Level]:
    """The levels that have columns, the coarsest first.

    A column belongs to the coarsest unit inside which it is constant; columns that move as one
    belong to the coarsest inside which all of them are.
    """
    found: list[Level] = []
    coarser: list[str] = []
    for name, units in list_units(data).items():
        here = _find_constant(data, units, [n for n in data.names if n not in coarser])
        found.append(Level(name, tuple(here), units, tuple(coarser)))
        coarser += here
    left = tuple(name for name in data.names if name not in coarser)
    found.append(Level(ROW, left, None, tuple(coarser)))
    return [level for level in found if level.columns]


def list_units(data: Microdata) -> dict[str, Units]:
    """The units that rows belong to, by name, the coarsest first."""
    numbers = {Role.HOUSEHOLD: data.household, Role.PERSON: data.person}
    return {str(role): Units(of_row) for role, of_row in numbers.items() if of_row is not None}


def _find_constant(data: Microdata, units: Units, names: list[str]) -> list[str]:
    constant = {name: units.is_constant(data[name].values) for name in names}
    for together in data.together:
        here = [name for name in together if name in constant]
        constant |= dict.fromkeys(here, all(constant[name] for name in here))
    return [name for name in names if constant[name]]
