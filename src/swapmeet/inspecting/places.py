"""Places where people live: nested areas, from the largest to the smallest."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from swapmeet.core.base.sentences import join_names
from swapmeet.core.tables.arrow import Family
from swapmeet.core.tables.role import Role
from swapmeet.core.tables.survey_names import perhaps_a_place, surely_a_place
from swapmeet.ties.finding import Finding, write_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.inspecting.columns import Columns

ROWS_PER_AREA = 3
"""Rows of an area, on average, at the least; otherwise it is a person's address."""
WHOLE = {Family.INTEGER, Family.TEXT, Family.CATEGORY, Family.ORDERED}


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
