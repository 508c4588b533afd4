"""Sampling weights that have no such role."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.sentences import count
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
