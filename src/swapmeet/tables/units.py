"""Units: rows that belong together, which columns belong to them, and positions in a household.

Households of the same size, with members in the same positions, are rows of one table. It has one
column for each column of households, and for each column of persons as many as there are members,
side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.tables.role import Role
from swapmeet.tables.ties import merge_sets

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Flags, Ints, ShortInts
    from swapmeet.tables.microdata import Microdata, Variable


@dataclass(frozen=True, repr=False, eq=False)
class Units:
    """The unit of each row, numbered from 0 up without gaps.

    Members of a unit are in the order of the table, or of `rank` where that is given.

    >>> units = Units(np.array([1, 0, 1, 1]))
    >>> units.count, units.sizes.tolist(), units.first.tolist(), units.member.tolist()
    (2, [1, 3], [1, 0], [0, 0, 1, 2])
    """

    of_row: Ints
    rank: npt.NDArray[Any] | None = None

    def __repr__(self) -> str:
        return f"<Units: {self.count} of {len(self.of_row)} rows>"

    @cached_property
    def sizes(self) -> Ints:
        """The number of rows of each unit."""
        return np.bincount(self.of_row)

    @property
    def count(self) -> int:
        """The number of units."""
        return len(self.sizes)

    @cached_property
    def order(self) -> Ints:
        """The rows, unit by unit."""
        if self.rank is None:
            return np.argsort(self.of_row, kind="stable")
        return np.lexsort((self.rank, self.of_row))

    @cached_property
    def starts(self) -> Ints:
        """The first place of each unit in `order`."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def first(self) -> Ints:
        """The first row of each unit."""
        return self.order[self.starts]

    @cached_property
    def member(self) -> Ints:
        """The place of each row among the members of its unit, from 0 up."""
        places = np.empty(len(self.of_row), np.int64)
        places[self.order] = np.arange(len(self.of_row)) - np.repeat(self.starts, self.sizes)
        return places

    def is_constant(self, values: npt.NDArray[Any]) -> bool:
        """Return whether all rows of each unit have the same value; a missing value is a value.

        >>> Units(np.array([0, 1, 0])).is_constant(np.array([np.nan, 2.0, np.nan]))
        True
        """
        return not self.differ(values).any()

    def differ(self, values: npt.NDArray[Any]) -> Flags:
        """The rows whose value is not that of the first row of their unit."""
        theirs = values[self.first[self.of_row]]
        return (values != theirs) & ((values == values) | (theirs == theirs))

    def count_mixed(self, values: npt.NDArray[Any]) -> int:
        """Count the units that have more than one value."""
        return len(np.unique(self.of_row[self.differ(values)]))

    def spread(self, donors: Ints) -> Ints:
        """Units that give to units, as rows that give to rows; marks stay what they are.

        Members take from the member in the same place, and begin again where the giver has fewer.
        Rows that keep their own keep it row by row.

        >>> Units(np.array([0, 0, 0, 1, 1])).spread(np.array([1, 0])).tolist()
        [3, 4, 3, 0, 1]
        """
        givers = donors[self.of_row]
        there = np.maximum(givers, 0)
        rows = self.order[self.starts[there] + self.member % self.sizes[there]]
        return np.where(givers < 0, givers, rows)

    def list_rows(self, units: Ints) -> Ints:
        """All rows of some units, in the order of the table."""
        chosen = np.zeros(self.count, bool)
        chosen[units] = True
        return np.flatnonzero(chosen[self.of_row])


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
    levels: list[Level] = []
    coarser: list[str] = []
    for name, units in list_units(data).items():
        here = _find_constant(data, units, [n for n in data.names if n not in coarser])
        levels.append(Level(name, tuple(here), units, tuple(coarser)))
        coarser += here
    left = tuple(name for name in data.names if name not in coarser)
    levels.append(Level(ROW, left, None, tuple(coarser)))
    return [level for level in levels if level.columns]


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


@dataclass(frozen=True, repr=False, eq=False)
class DividedStrata:
    """The stratum of each person once strata are divided by position.

    `small` are the sizes of positions that had too few persons, `joined` those of what they and
    others became, and `apart` is the number of positions before, those of each stratum counted.
    """

    labels: ShortInts
    small: tuple[int, ...] = ()
    joined: tuple[int, ...] = ()
    apart: int = 0

    def __repr__(self) -> str:
        return f"<DividedStrata: {len(self.small)} of {self.apart} positions are too small>"


def divide_strata(strata: ShortInts, position: Ints, fewest: int = 1) -> DividedStrata:
    """Strata divided by position, where positions of fewer than `fewest` persons are joined.

    Those of one stratum become one, and the next larger ones join them until it has enough. Only
    sizes decide, so that anyone who knows the positions knows who was joined.

    >>> relation = np.repeat([0, 1, 2, 3, 4], [9, 6, 3, 1, 1])
    >>> np.bincount(divide_strata(np.zeros(20, np.int32), relation, 3).labels).tolist()
    [9, 6, 5]
    >>> np.bincount(divide_strata(np.zeros(20, np.int32), relation, 2).labels).tolist()
    [9, 6, 3, 2]
    """
    pairs = strata.astype(np.int64) * (int(position.max(initial=0)) + 1) + position
    cells, of_row, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
    small = sizes < fewest
    if not small.any():
        return DividedStrata(of_row.astype(np.int32), apart=len(cells))
    stratum = cells // (int(position.max(initial=0)) + 1)
    lacking = np.isin(stratum, stratum[small])
    chosen = lacking & (small | (_count_in_smaller(stratum, sizes) < fewest))
    first = np.flatnonzero(chosen)[np.unique(stratum[chosen], return_index=True)[1]]
    target = np.arange(len(cells))
    target[chosen] = first[np.searchsorted(stratum[first], stratum[chosen])]
    labels = np.unique(target[of_row], return_inverse=True)[1]
    totals = np.bincount(target[chosen], weights=sizes[chosen]).astype(np.int64)
    return DividedStrata(
        labels.astype(np.int32), tuple(sizes[small].tolist()), tuple(totals[first].tolist()),
        len(cells),
    )  # fmt: skip


def _count_in_smaller(stratum: Ints, sizes: Ints) -> Ints:
    """For each position, the persons of its stratum that are in smaller ones."""
    room = int(sizes.max()) + 1
    kinds, which = np.unique(stratum * room + sizes, return_inverse=True)
    totals = np.bincount(which, weights=sizes).astype(np.int64)
    before = np.cumsum(totals) - totals
    begins = np.searchsorted(kinds // room, kinds // room)
    return np.asarray((before - before[begins])[which], np.int64)


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
