"""Sampling weights that have no such role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.core.tables.role import Role
from swapmeet.core.tables.role_hints import (
    could_weigh,
    find_role_hint,
    tell_lonely_weights,
)
from swapmeet.core.tables.survey_names import perhaps_weighs
from swapmeet.ties.finding import Finding, write_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.inspecting.columns import Columns


def find_weights(columns: Columns, household: str | None) -> Iterator[Finding]:
    """The first column that looks like a sampling weight, unless one has the role."""
    if columns.schema.having(Role.WEIGHT):
        return
    for name in columns.names:
        reason = _tell_weight(columns, name, household)
        if reason is not None:
            yield Finding(
                about="a sampling weight",
                columns=(name,),
                reason=reason,
                rows=columns.rows - columns.missing(name),
                options=write_option("--weight", [name]),
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
    return (
        "its name says so, it is above 0 and the same for all members of a household, and "
        f"{tell_lonely_weights(numbers)}"
    )
