"""Columns that follow from another: age groups from ages, labels from codes, copies.

That rows which agree in one column agree in another says something only where many rows agree in
the first, and where they would hardly do so in the second by chance. Where the first holds numbers
or dates, it also does if the values of the second are intervals of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.sentences import count
from swapmeet.core.tables.arrow import Family
from swapmeet.core.tables.role import Role
from swapmeet.inspecting.finding import Finding, write_together

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import numpy.typing as npt

    from swapmeet.inspecting.columns import Columns

    Rows = npt.NDArray[np.int64]

SURE = 25.0
"""Chance would bring about such agreement less often than exp(-25)."""
REPEATS = 3.0
"""Rows with the same value in the first column, on average, at the least."""
FEWER = 0.8
"""A grouping has fewer values than this share of those it groups."""
GROUPS = 100
"""Intervals of numbers are no more than these."""
ROWS_PER_GROUP = 10
ORDERED = {Family.INTEGER, Family.FLOAT, Family.DECIMAL, Family.TIME}
MOST_COLUMNS = 400
"""Of more columns only the first are compared with each other."""


@dataclass(frozen=True)
class Dependency:
    """That `of` follows from `on`; both from each other if `mutual`."""

    on: str
    of: str
    mutual: bool = False


def find_dependencies(
    columns: Columns, leave_out: Collection[str], household: str | None
) -> Iterator[Finding]:
    """Each column with all that follows from it."""
    told: set[str] = set()
    found = list_dependencies(columns, leave_out, household)
    for on in sorted(
        dict.fromkeys(one.on for one in found), key=lambda name: -columns.distinct(name)
    ):
        members = [one for one in found if one.on == on and one.of not in told]
        if on in told or not members:
            continue
        names = (on, *(one.of for one in members))
        told.update(names)
        yield Finding(
            about="say the same twice" if all(m.mutual for m in members) else _tell(on, members),
            columns=names,
            reason=f"in all {columns.rows:,} rows",
            rows=columns.rows,
            options=write_together(names),
        )


def list_dependencies(
    columns: Columns, leave_out: Collection[str], household: str | None
) -> list[Dependency]:
    """Which of the masked columns follow from which other one."""
    names = [
        name
        for name in columns.names
        if name not in leave_out
        and columns.has_role(name, Role.KEY, Role.SENSITIVE)
        and columns.distinct(name) > 1
    ][:MOST_COLUMNS]
    homes = _Homes(columns, household)
    pairs = ((on, of) for on in names for of in names if on != of)
    found = [pair for pair in pairs if _follows(columns, *pair, homes)]
    return [Dependency(on, of, mutual=(of, on) in found) for on, of in found]


class _Homes:
    """One row of each household, for columns that are the same for all its members."""

    def __init__(self, columns: Columns, household: str | None) -> None:
        self._columns, self._household = columns, household
        self._known: dict[str, bool] = {}
        everyone = np.arange(columns.rows)
        self._all = everyone
        self._first = everyone
        if household is not None:
            self._first = np.unique(columns.codes(household), return_index=True)[1]

    def rows(self, name: str) -> Rows:
        """The rows that tell something of a column: of those who share it, one."""
        if self._household is None or self._household == name:
            return self._all
        if name not in self._known:
            self._known[name] = self._columns.determines(self._household, name)
        return self._first if self._known[name] else self._all


def _follows(columns: Columns, on: str, of: str, homes: _Homes) -> bool:
    if columns.distinct(of) > columns.distinct(on):
        return False
    if not columns.determines(on, of, columns.sample):
        return False
    rows = homes.rows(on)
    if _is_telling(columns, on, of, rows):
        return columns.determines(on, of)
    return _is_grouping(columns, on, of, rows)


def _is_telling(columns: Columns, on: str, of: str, rows: Rows) -> bool:
    """Whether agreement in all rows would be no chance."""
    levels = columns.distinct(on)
    if len(rows) < REPEATS * levels:
        return False
    shares = np.bincount(columns.codes(of)[rows]) / len(rows)
    agreement = float((shares**2).sum())
    same = columns.distinct(of) == levels
    fewer = same or columns.distinct(of) <= FEWER * levels or levels <= GROUPS
    return fewer and agreement < 1.0 and (len(rows) - levels) * -log(agreement) > SURE


def _is_grouping(columns: Columns, on: str, of: str, rows: Rows) -> bool:
    """Whether the values of one column are intervals of the other, which is in order."""
    groups = columns.distinct(of) + bool(columns.missing(of))
    few = 2 <= groups <= GROUPS and groups * ROWS_PER_GROUP <= len(rows)
    if not few or columns.table.family(on) not in ORDERED or columns.missing(on):
        return False
    for looked_at in (columns.sample, rows):
        order = np.argsort(columns.numbers(on)[looked_at], kind="stable")
        along = columns.codes(of)[looked_at][order]
        if np.count_nonzero(np.diff(along)) + 1 > groups:
            return False
    return columns.determines(on, of)


def _tell(on: str, members: list[Dependency]) -> str:
    others = [one.of for one in members]
    listed = others[0] if len(others) == 1 else count(len(others), "column")
    return f"{listed} follow{'s' if len(others) == 1 else ''} from {on}"
