"""All that a table tells of itself, in the order in which a curator decides on it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.sentences import count, join_names
from swapmeet.inspecting.missing_codes import find_missing_codes
from swapmeet.inspecting.oddities import (
    find_births,
    find_constants,
    find_copies,
    find_infinite,
    find_repeats,
    find_written_values,
)
from swapmeet.inspecting.sensitive import find_sensitive
from swapmeet.inspecting.units import find_positions, find_sizes, find_units, name_household
from swapmeet.tables.arrow import CellType
from swapmeet.tables.derivations import Derivation
from swapmeet.tables.role import Role
from swapmeet.tables.role_hints import (
    could_weigh,
    find_role_hint,
    perhaps_a_place,
    perhaps_weighs,
    surely_a_place,
    tell_lonely_weights,
)
from swapmeet.ties.dependencies import FEWEST, find_ties
from swapmeet.ties.finding import Finding, write_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from swapmeet.inspecting.columns import Columns


def find_all(columns: Columns) -> tuple[Finding, ...]:
    """Units, weights, places, what is sensitive, codes, what follows from others, and what is odd.

    Each column is proposed for one role only. What follows from what is judged by the rows whose
    values are no codes for missing ones: -9 is no sum of -9 and -9.
    """
    if columns.rows < FEWEST:
        return ()
    household = name_household(columns)
    positions = list(find_positions(columns, household))
    placed = (*columns.schema.having(Role.POSITION), *_list_columns(positions))
    roles = [
        *find_units(columns),
        *positions,
        *find_line_numbers(columns, household, placed),
        *find_sizes(columns, household),
        *find_weights(columns, household),
        *find_places(columns, household),
        *find_infinite(columns),
    ]
    codes = list(find_missing_codes(columns))
    columns = columns.declare(codes)
    births, copies = list(find_births(columns)), list(find_copies(columns))
    dropped = {name for one in births if "--drop" in one.options for name in one.columns}
    copied = {name for one in copies for name in one.columns[1:]}
    identifying = {name for name in columns.names if columns.is_identifier(name)}
    taken = _list_columns(roles) | dropped | copied | (identifying - _list_columns(births))
    ties = find_ties(columns, taken, _list_columns(births), household)
    return (
        *roles, *find_sensitive(columns, taken | _list_columns(births) | _list_derived(ties)),
        *ties, *copies, *codes, *find_written_values(columns, _list_columns([*codes, *births])),
        *births, *find_constants(columns, taken), *find_repeats(columns, household),
    )  # fmt: skip


def _list_derived(ties: Iterable[Finding]) -> set[str]:
    """Columns that will have no role of their own; one of which a rest is masked keeps its."""
    derivations = [Derivation(one.options[1]) for one in ties if "--derive" in one.options]
    return {one.name for one in derivations if not one.has_rest}


def find_relations(columns: Columns) -> list[Finding]:
    """The same in a table of which nothing else was asked."""
    if columns.rows < FEWEST:
        return []
    household = name_household(columns)
    taken = _list_columns([*find_units(columns), *find_places(columns, household)])
    columns = columns.declare(find_missing_codes(columns))
    births = _list_columns(find_births(columns))
    return find_ties(columns, taken, births, household)


def find_followers(columns: Columns) -> list[str]:
    """The columns that follow from others: sums, products, groupings, labels."""
    return [
        name
        for one in find_relations(columns)
        if one.options
        for name in (one.columns[1:] if "--together" in one.options else one.columns[:1])
    ]


def _list_columns(findings: Iterable[Finding]) -> set[str]:
    return {name for one in findings for name in one.columns}


def find_line_numbers(
    columns: Columns, household: str | None, positions: tuple[str, ...]
) -> Iterator[Finding]:
    """Columns that count the rows of each household from 1 up; moved, they would repeat or skip.

    They stand for the position in the household where no column in `positions` does.
    """
    if household is None or columns.distinct(household) == columns.rows:
        return
    for name in columns.names:
        is_candidate = columns.has_numbers(name) and columns.has_role(
            name, Role.KEY, Role.SENSITIVE
        )
        if is_candidate and name != household and _counts_rows(columns, household, name):
            yield Finding(
                about="the number of the row in its household",
                columns=(name,),
                reason="it counts from 1 in each household, and moved numbers would not",
                rows=columns.rows,
                options=write_option("--keep" if positions else "--position", [name]),
            )
            positions = (*positions, name)


def _counts_rows(columns: Columns, household: str, name: str) -> bool:
    homes, numbers = columns.codes(household), columns.numbers(name)
    order = np.lexsort((numbers, homes))
    sizes = np.bincount(homes)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return bool((numbers[order] == np.arange(len(order)) - first + 1).all())


def find_weights(columns: Columns, household: str | None) -> Iterator[Finding]:
    """The first column that looks like a sampling weight, unless one has the role."""
    if columns.schema.having(Role.WEIGHT):
        return
    for name in columns.names:
        reason = _tell_weight(columns, name, household)
        if reason is not None:
            without = columns.missing(name)
            if without:
                verb = "has" if without == 1 else "have"
                reason += f"; {count(without, 'row')} {verb} none. Fill it in, or leave them out"
            yield Finding(
                about="a sampling weight",
                columns=(name,),
                reason=reason,
                rows=columns.rows - without,
                options=write_option("--keep" if without else "--weight", [name]),
            )
            return


def _tell_weight(columns: Columns, name: str, household: str | None) -> str | None:
    if not columns.has_role(name, Role.KEY, Role.SENSITIVE, Role.KEEP):
        return None
    hint = find_role_hint(name, columns.table)
    if hint is not None:
        return hint.reason if hint.role is Role.WEIGHT else None
    if household is None or not perhaps_weighs(name) or not columns.has_numbers(name):
        return None
    numbers = columns.numbers(name)
    if not could_weigh(numbers) or not columns.determines(household, name):
        return None
    sizes = np.bincount(columns.codes(household))[columns.codes(household)]
    if np.ptp(numbers * sizes) <= 1e-6 * numbers.max():
        return None
    _, first = np.unique(columns.codes(household), return_index=True)
    return (
        "its name says so, its values are positive and the same for all members of a household, "
        f"and {tell_lonely_weights(numbers[first])}"
    )


ROWS_PER_AREA = 3
"""Rows of an area, on average, at the least; otherwise it is a person's address."""
WHOLE = {CellType.INTEGER, CellType.TEXT, CellType.CATEGORY, CellType.ORDERED}


def find_places(columns: Columns, household: str | None) -> Iterator[Finding]:
    """The longest chain of nested areas, one of which is surely a place by its name.

    A household lives in one area: columns that differ inside households are no places of theirs.
    """
    if columns.schema.having(Role.PLACE):
        return
    chain = find_chain(columns, household)
    if chain:
        yield Finding(
            about="places" if len(chain) > 1 else "a place",
            columns=tuple(chain),
            reason=_tell(columns, chain),
            rows=columns.rows,
            options=write_option("--place", chain),
        )


def find_chain(columns: Columns, household: str | None) -> list[str]:
    """Nested areas, the largest first; empty where no name is surely a place's."""
    named = [
        name
        for name in columns.names
        if _could_be_place(columns, name)
        and (household is None or columns.determines(household, name))
    ]
    named.sort(key=columns.distinct)
    chains: list[list[str]] = []
    for name in named:
        above = [chain for chain in chains if columns.determines(name, chain[-1])]
        chains.append([*max(above, key=len, default=[]), name])
    sure = [chain for chain in chains if any(map(surely_a_place, chain))]
    return max(sure, key=len, default=[])


def _could_be_place(columns: Columns, name: str) -> bool:
    areas = columns.distinct(name)
    return (
        perhaps_a_place(name)
        and columns.has_role(name, Role.KEY, Role.SENSITIVE)
        and columns.table.family(name) in WHOLE
        and areas >= 2
        and areas * ROWS_PER_AREA <= columns.rows
        and not columns.is_identifier(name)
    )


def _tell(columns: Columns, chain: list[str]) -> str:
    sizes = [f"{columns.distinct(name):,}" for name in chain]
    if len(chain) == 1:
        return f"its name says so, and it has {sizes[0]} areas"
    nested = all(columns.determines(small, large) for large, small in pairwise(chain))
    assert nested
    return f"nested, with {join_names(sizes)} areas"
