"""All that a table tells of itself, in the order in which a curator decides on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.core.tables.role import Role
from swapmeet.inspecting.dependencies import find_dependencies
from swapmeet.inspecting.finding import Finding, write_option
from swapmeet.inspecting.line_numbers import find_line_numbers
from swapmeet.inspecting.missing_codes import find_missing_codes
from swapmeet.inspecting.oddities import (
    find_births,
    find_constants,
    find_copies,
    find_repeats,
    find_written_values,
)
from swapmeet.inspecting.places import find_places
from swapmeet.inspecting.ratios import find_ratios
from swapmeet.inspecting.sensitive import find_sensitive
from swapmeet.inspecting.sums import find_sums
from swapmeet.inspecting.units import find_positions, find_sizes, find_units, name_unit
from swapmeet.inspecting.weights import find_weights

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.inspecting.columns import Columns

FEWEST = 20
"""Of a table with fewer rows nothing is proposed: what holds in all of them may be chance."""


def find_all(columns: Columns) -> tuple[Finding, ...]:
    """Units, weights, places, what is sensitive, codes, what follows from others, and what is odd.

    Each column is proposed for one role only. What follows from what is judged by the rows whose
    values are no codes for missing ones: -9 is no sum of -9 and -9.
    """
    if columns.rows < FEWEST:
        return ()
    household = name_unit(columns, Role.HOUSEHOLD)
    positions = list(find_positions(columns, household))
    placed = (*columns.schema.having(Role.POSITION), *_list_columns(positions))
    roles = [
        *find_units(columns),
        *positions,
        *find_line_numbers(columns, household, placed),
        *find_sizes(columns, household),
        *find_weights(columns, household),
        *find_places(columns),
    ]
    codes = list(find_missing_codes(columns))
    columns = columns.declare(codes)
    births, copies = list(find_births(columns)), list(find_copies(columns))
    taken = _list_columns([*roles, *births])
    taken |= {name for name in columns.names if columns.is_identifier(name)}
    copied = {name for one in copies for name in one.columns[1:]}
    sums = list(find_sums(columns, taken | copied))
    computed = {one.columns[0] for one in sums if one.options}
    ratios = list(find_ratios(columns, taken | copied | computed))
    computed |= {one.columns[0] for one in ratios}
    follow = find_dependencies(columns, taken | copied | computed, household)
    return (
        *roles, *find_sensitive(columns, taken | computed), *sums, *ratios, *follow, *copies,
        *codes, *find_written_values(columns, _list_columns([*codes, *births])), *births,
        *find_constants(columns), *find_repeats(columns, household),
    )  # fmt: skip


def find_followers(columns: Columns) -> list[str]:
    """The columns that follow from others: sums, products, groupings, labels."""
    if columns.rows < FEWEST:
        return []
    household = name_unit(columns, Role.HOUSEHOLD)
    taken = _list_columns([*find_units(columns), *find_places(columns)])
    columns = columns.declare(find_missing_codes(columns))
    sums = [one for one in find_sums(columns, taken) if one.options]
    ratios = list(find_ratios(columns, taken | {one.columns[0] for one in sums}))
    computed = [one.columns[0] for one in (*sums, *ratios)]
    groups = find_dependencies(columns, taken | set(computed), household)
    return [*computed, *(name for one in groups for name in one.columns[1:])]


def _list_columns(findings: Iterable[Finding]) -> set[str]:
    return {name for one in findings for name in one.columns}


def list_options(findings: Iterable[Finding], drop: Iterable[str] = ()) -> list[str]:
    """The options of all findings as one command has them; columns to `drop` first, each once."""
    options = [pair for one in findings for pair in _pair(one.options)]
    dropped = [*drop, *(names for option, names in options if option == "--drop")]
    kept = [names for option, names in options if option == "--keep"]
    others = [word for pair in options if pair[0] not in {"--drop", "--keep"} for word in pair]
    return [*write_option("--drop", dict.fromkeys(dropped)), *write_option("--keep", kept), *others]


def _pair(options: tuple[str, ...]) -> list[tuple[str, str]]:
    """Options with their arguments."""
    return list(zip(options[::2], options[1::2], strict=True))
