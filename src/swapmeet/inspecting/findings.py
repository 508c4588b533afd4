"""All that a table tells of itself, in the order in which a curator decides on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.core.tables.derivations import Derivation
from swapmeet.core.tables.role import Role
from swapmeet.inspecting.line_numbers import find_line_numbers
from swapmeet.inspecting.missing_codes import find_missing_codes
from swapmeet.inspecting.oddities import (
    find_births,
    find_constants,
    find_copies,
    find_infinite,
    find_repeats,
    find_written_values,
)
from swapmeet.inspecting.places import find_places
from swapmeet.inspecting.sensitive import find_sensitive
from swapmeet.inspecting.units import find_positions, find_sizes, find_units, name_household
from swapmeet.inspecting.weights import find_weights
from swapmeet.ties.find import FEWEST, find_ties

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.inspecting.columns import Columns
    from swapmeet.ties.finding import Finding


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
    told = [Derivation(one.options[1]) for one in ties if "--derive" in one.options]
    return {one.name for one in told if not one.has_rest}


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
