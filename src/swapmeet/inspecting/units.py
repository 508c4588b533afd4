"""Households and persons of several rows: their numbers, positions in them, and their sizes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.sentences import count, join_names, percent
from swapmeet.tables.arrow import CellType
from swapmeet.tables.role import Role
from swapmeet.tables.role_hints import (
    LARGEST,
    PER_HOUSEHOLD,
    find_role_hint,
    names_positions,
    names_sizes,
    names_traits,
    numbers_persons,
    perhaps_weighs,
    surely_weighs,
)
from swapmeet.ties.finding import Finding, write_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.inspecting.columns import Columns

FEW = 30
"""Fewer units without a telling name are chance."""
MEAN = 1.3
"""... as are units of fewer rows, on average."""
SHOWN = 4
"""So many columns are named in a reason."""
HEADS = 0.95
"""A household has one head; a few have none or two."""
LEVELS = 30
"""Positions in the household are no more than these."""


def name_unit(columns: Columns, role: Role) -> str | None:
    """The column that numbers households or persons, by its role or by what it looks like."""
    given = columns.schema.having(role)
    if given:
        return given[0]
    hinted = (name for name in columns.names if _is_hinted(columns, name, role))
    unnamed = (name for name in columns.names if _runs(columns, name, role))
    return next(chain(hinted, unnamed), None)


def name_household(columns: Columns) -> str | None:
    """The column that numbers households, unless persons with several rows are in several."""
    home = name_unit(columns, Role.HOUSEHOLD)
    if home is None or columns.has_role(home, Role.HOUSEHOLD) or not _count_movers(columns, home):
        return home
    return None


def find_units(columns: Columns) -> Iterator[Finding]:
    """The numbers of households and of persons that have no such role.

    Where persons are in several households, only their own rows belong together.
    """
    home, person = name_unit(columns, Role.HOUSEHOLD), name_unit(columns, Role.PERSON)
    movers = 0 if home is None else _count_movers(columns, home)
    numbered = columns.has_role(home, Role.HOUSEHOLD) if home is not None else False
    for name, role in ((home, Role.HOUSEHOLD), (person, Role.PERSON)):
        if name is None or columns.has_role(name, role):
            continue
        if movers and (role is Role.HOUSEHOLD) != numbered:
            yield _describe_movers(columns, name, role, movers)
        else:
            yield _describe_unit(columns, name, role)


def list_unit_columns(columns: Columns, unit: str) -> list[str]:
    """The columns that say the same for all rows of a unit, and something else of others."""
    return [
        name
        for name in columns.names
        if name != unit
        and columns.distinct(name) > 1
        and columns.determines(unit, name, columns.sample)
        and columns.determines(unit, name)
    ]


def find_positions(columns: Columns, household: str | None) -> Iterator[Finding]:
    """Columns that say who heads the household: one of their values stands once in each."""
    if household is None or columns.schema.having(Role.POSITION):
        return
    for name in columns.names:
        if names_positions(name) and 2 <= columns.distinct(name) <= LEVELS:
            share = _share_with_one_head(columns, household, name)
            if share >= HEADS:
                yield Finding(
                    about="the position in the household",
                    columns=(name,),
                    reason=f"its name says so, and one of its {columns.distinct(name)} values "
                    f"occurs exactly once in {percent(share)} of the households",
                    rows=columns.rows,
                    options=write_option("--position", [name]),
                )
                return


def find_sizes(columns: Columns, household: str | None) -> Iterator[Finding]:
    """Columns that have the number of rows of each row's household."""
    if household is None:
        return
    sizes = np.bincount(columns.codes(household))[columns.codes(household)]
    for name in columns.names:
        is_candidate = columns.has_numbers(name) and columns.has_role(
            name, Role.KEY, Role.SENSITIVE
        )
        varies = columns.distinct(name) > 1 or names_sizes(name)
        if is_candidate and varies and name != household and (columns.numbers(name) == sizes).all():
            yield Finding(
                about="the number of rows of the household",
                columns=(name,),
                reason="anyone can count the rows, and a moved number would be wrong",
                rows=columns.rows,
                options=write_option("--keep", [name]),
            )


def _count_movers(columns: Columns, home: str) -> int:
    """Count the persons in several households; persons may be numbered inside households."""
    person = name_unit(columns, Role.PERSON)
    if person is None or columns.distinct(person) < columns.distinct(home):
        return 0
    pairs = np.unique(columns.codes(person) * np.int64(columns.room(home)) + columns.codes(home))
    return int((np.unique(pairs // columns.room(home), return_counts=True)[1] > 1).sum())


def _describe_movers(columns: Columns, name: str, role: Role, movers: int) -> Finding:
    return Finding(
        about=f"numbers of {role}s",
        columns=(name,),
        reason=f"{count(movers, 'person')} with several rows {'is' if movers == 1 else 'are'} in "
        "more than one household, and only one of both can keep rows together",
        rows=columns.rows,
        options=write_option("--drop", [name]),
    )


def _describe_unit(columns: Columns, name: str, role: Role) -> Finding:
    inside = [other for other in list_unit_columns(columns, name) if other != name]
    others = len(inside) - SHOWN
    same = join_names([*inside[:SHOWN], f"{others} more"] if others > 1 else inside)
    reason = f"{count(columns.distinct(name), 'distinct value')} in {columns.rows:,} rows"
    if _is_adjacent(columns, name):
        reason += "; rows with the same value are adjacent"
    if inside:
        reason += f"; the same inside each: {same}"
    person = role is Role.PERSON
    return Finding(
        about="numbers of persons with several rows" if person else "numbers of households",
        columns=(name,),
        reason=reason,
        rows=columns.rows - columns.missing(name),
        options=write_option(f"--{role}", [name]),
    )


def _is_hinted(columns: Columns, name: str, role: Role) -> bool:
    if not columns.has_role(name, Role.KEY, Role.SENSITIVE, Role.KEEP):
        return False
    hint = find_role_hint(name, columns.table)
    return hint is not None and hint.role is role


def _runs(columns: Columns, name: str, role: Role) -> bool:
    """Return whether numbers without a clear name are shared by small, adjacent groups of rows.

    Some columns must be the same inside the groups, and others not. Rows of one sex, or of one date
    of birth, are those of a person; others are those of a household.
    """
    if not _could_number(columns, name) or not _is_adjacent(columns, name):
        return False
    numbers = columns.numbers(name)
    if not (np.diff(numbers) >= 0).all():
        return False
    inside = list_unit_columns(columns, name)
    others = [other for other in columns.names if other != name and columns.distinct(other) > 1]
    unit = Role.PERSON if any(map(names_traits, inside)) else Role.HOUSEHOLD
    return role is unit and 2 <= len(inside) < len(others)


def _could_number(columns: Columns, name: str) -> bool:
    named = numbers_persons(name) or perhaps_weighs(name) or surely_weighs(name)
    wanted = columns.has_role(name, Role.KEY, Role.SENSITIVE, Role.KEEP)
    if named or not wanted or columns.table.family(name) is not CellType.INTEGER:
        return False
    units = columns.distinct(name)
    if units < FEW or columns.missing(name) or not MEAN <= columns.rows / units <= PER_HOUSEHOLD:
        return False
    return int(np.bincount(columns.codes(name)).max()) <= LARGEST


def _is_adjacent(columns: Columns, name: str) -> bool:
    codes = columns.codes(name)
    return int(np.count_nonzero(np.diff(codes))) + 1 == len(np.unique(codes))


def _share_with_one_head(columns: Columns, household: str, name: str) -> float:
    """The largest share of households in which some value stands just once."""
    homes, values = columns.codes(household), columns.codes(name)
    pairs, counts = np.unique(homes * np.int64(columns.room(name)) + values, return_counts=True)
    alone = np.bincount((pairs[counts == 1] % columns.room(name)).astype(np.int64))
    return float(alone.max(initial=0) / len(np.unique(homes)))
