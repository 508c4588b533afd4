"""Refusals of tables with households, persons or places, before any work."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.sentences import count, join_names
from swapmeet.errors import TableError
from swapmeet.tables.role import Role
from swapmeet.tables.schema import Column, Kind, Schema
from swapmeet.tables.units import Units, list_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from swapmeet.base.arrays import Ints
    from swapmeet.methods import Method
    from swapmeet.tables.frame import Table
    from swapmeet.tables.microdata import Microdata, Variable


UNIT_ROLES = (Role.HOUSEHOLD, Role.PERSON)
FEWEST_SIZES = 3
"""Of fewer sizes, any column with as many categories may go with them by chance."""


def check_units(table: Table, data: Microdata, schema: Schema) -> None:
    """Refuse units that are not numbered, that are too few, or that other columns split."""
    for role in UNIT_ROLES:
        for name in schema.having(role):
            _require_numbers(table, name, role)
    for unit, units in list_units(data).items():
        _require_several(units, unit, schema)
        for other, values in _list_dividing(data, unit):
            _require_whole(units, unit, other, values, schema)
    if data.household is not None and data.person is not None:
        _require_one_household_each(table, data, schema)
        _require_rows_of_persons(data)


def describe_units(data: Microdata, method: Method) -> tuple[str, ...]:
    """Note what a curator must know about units that are there."""
    units_by_role = list_units(data)
    alone = [role for role, units in units_by_role.items() if units.count == data.n]
    return (
        *(f"every {role} has one row: its number ties no rows together." for role in alone),
        *(
            f"column {v.name!r} is the number of rows of each {role}, and moved; the rows did not, "
            "so that the two disagree in the release. Give it the role keep."
            for role, units in units_by_role.items()
            if role not in alone
            for v in data.variables
            if method.masks(Column(v.name, v.kind, v.role)) and _tells_sizes(v, units)
        ),
    )


def _tells_sizes(variable: Variable, units: Units) -> bool:
    """Return whether a column is the size of units; nominal: whether each level is one size."""
    sizes, values = units.sizes, variable.values[units.first]
    if variable.kind is not Kind.NOMINAL:
        return np.array_equal(variable.values, sizes[units.of_row])
    distinct = int(np.count_nonzero(np.bincount(sizes)))
    if distinct < FEWEST_SIZES or variable.levels != distinct:
        return False
    pairs = np.unique(values.astype(np.int64) * (int(sizes.max()) + 1) + sizes)
    return len(pairs) == distinct and units.is_constant(variable.values)


def refuse_units(schema: Schema, where: str) -> None:
    """Refuse roles that need all rows of a unit at hand."""
    names = schema.having(*UNIT_ROLES)
    if names:
        raise TableError(
            f"{where} cannot keep the rows of households or persons together yet "
            f"({join_names(names)}). Mask the table in memory (mask, or without --memory), or "
            "give these columns the role drop."
        )


def _require_numbers(table: Table, name: str, role: Role) -> None:
    missing = int((table.codes(name).codes < 0).sum())
    if missing:
        raise TableError(
            f"column {name!r} (role {role}): {count(missing, 'row')} of {len(table)} "
            f"{'has' if missing == 1 else 'have'} no number, so that nobody knows whom it belongs "
            f"with. Give each such row a {role} of its own, or leave it out."
        )


def _require_several(units: Units, role: str, schema: Schema) -> None:
    if units.count == 1:
        raise TableError(
            f"column {_name(schema, role)} (role {role}): all rows belong to one {role}; there is "
            f"no other to trade values with. Give the column the role drop."
        )


def _list_dividing(data: Microdata, role: str) -> Iterator[tuple[Role, npt.NDArray[Any]]]:
    """List what must be the same for all rows of a unit."""
    yield Role.STRATA, data.strata
    if role == Role.HOUSEHOLD:
        for variable in data.variables:
            if variable.role is Role.PLACE:
                yield Role.PLACE, variable.values
    elif data.position is not None:
        yield Role.POSITION, data.position


def _require_whole(
    units: Units, role: str, other: Role, values: npt.NDArray[Any], schema: Schema
) -> None:
    mixed = units.count_mixed(values)
    if mixed:
        raise TableError(
            f"{count(mixed, role)} of {units.count} {'is' if mixed == 1 else 'are'} in more than "
            f"one {_WORDS[other]} (role {other}: {join_names(schema.having(other))}), and what its "
            f"rows share must move as one. Correct the file, or, if {role} "
            f"numbers begin anew in each {_WORDS[other]}, make one number of both columns; "
            f"or give {join_names(schema.having(other))} another role."
        )


_WORDS = {Role.STRATA: "stratum", Role.PLACE: "place", Role.POSITION: "position"}


def _require_one_household_each(table: Table, data: Microdata, schema: Schema) -> None:
    """Refuse persons in two households, unless persons are numbered inside households."""
    (name,) = schema.having(Role.PERSON)
    codes = table.codes(name)
    assert data.household is not None
    if codes.levels < int(data.household.max()) + 1:
        return
    moved = Units(codes.codes.astype(np.int64)).count_mixed(data.household)
    if moved:
        raise TableError(
            f"column {name!r} (role person): {count(moved, 'person')} of {codes.levels} "
            f"{'is' if moved == 1 else 'are'} in more than one household. A person belongs to one: "
            "give those who moved another number in each, or leave out the role household."
        )


def _require_rows_of_persons(data: Microdata) -> None:
    """Refuse to trade whole households whose members have several rows."""
    assert data.person is not None
    if data.whole and len(np.unique(data.person)) < data.n:
        raise TableError(
            "whole households trade member by member, and some persons have several rows. Leave "
            "out --whole-households (`whole_households`), or give one row to each person."
        )


def _name(schema: Schema, role: str) -> str:
    return join_names([repr(name) for name in schema.having(Role(role))])


def require_nested_places(data: Microdata) -> None:
    """Refuse places of which an area lies in several areas of the next larger level."""
    places = [variable for variable in data.variables if variable.role is Role.PLACE]
    levels = sorted(((_number(place), place.name) for place in places), key=_count_areas)
    for (larger, large), (smaller, small) in pairwise(levels):
        several = _count_split(smaller, larger)
        if several:
            raise TableError(
                f"{several} of {smaller.max() + 1} areas of {small!r} lie in several areas of "
                f"{large!r} (role place); each must lie in one. Make one code of both columns, or, "
                f"if they are no hierarchy, say --together {large},{small} in place of the role."
            )


def _count_areas(level: tuple[Ints, str]) -> int:
    return int(level[0].max(initial=-1))


def _number(place: Variable) -> Ints:
    """The area of each row, from 0 up; -1 is missing."""
    areas = np.full(len(place.values), -1)
    there = ~place.missing
    areas[there] = np.unique(place.values[there], return_inverse=True)[1]
    return areas


def _count_split(smaller: Ints, larger: Ints) -> int:
    """Count the smaller areas that lie in several larger ones."""
    there = smaller >= 0
    room = int(larger.max(initial=-1)) + 2
    pairs = np.unique(smaller[there] * room + larger[there] + 1)
    return int((np.bincount(pairs // room) > 1).sum())
