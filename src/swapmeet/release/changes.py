"""Shares of a table that a method changed, and notes about them for the curator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from swapmeet.release.donors import MADE, SUPPRESSED, DonorMap
from swapmeet.release.outcome import Outcome, name_columns
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from swapmeet.base.arrays import Flags, Floats, Ints
    from swapmeet.methods import Method
    from swapmeet.tables.frame import Table
    from swapmeet.tables.microdata import Microdata, Variable


UNCHANGED = 0.01
"""A column is effectively unchanged when fewer of the values that are left differ."""
EXPECTED = 0.1
"""... although at least this share of its values was moved or made."""


@dataclass(frozen=True)
class ColumnChange:
    """Shares of the rows in which one masked column moved, changed or vanished.

    *Moved*: the value comes from another row. *Changed*: it differs from the row's own.
    *Made*: it is a new value, which need not be anybody's.
    """

    name: str
    moved: float
    changed: float
    suppressed: float
    made: float = 0.0

    @property
    def is_still(self) -> bool:
        """Return whether hardly any remaining value differs, although many were traded."""
        left = 1.0 - self.suppressed
        traded = self.moved + self.made
        same = self.changed - self.suppressed < UNCHANGED * left
        return left > 0.0 and same and traded >= EXPECTED * left


class Counts(NamedTuple):
    """Numbers of cells of a column that were moved, changed, suppressed and made."""

    moved: int = 0
    changed: int = 0
    suppressed: int = 0
    made: int = 0


@dataclass(frozen=True)
class ChangeCounts:
    """The counts of each masked column, in some rows; with + those of more rows."""

    columns: Mapping[str, Counts]

    @classmethod
    def of(
        cls, data: Microdata, donors: DonorMap, released: Table, without: Collection[str] = ()
    ) -> Self:
        """Count, `without` some columns; row i of `released` is that of row i."""
        own = np.arange(data.own)
        pairs = zip(data.variables, donors.matrix.T, strict=True)
        return cls({
            v.name: _count(v, given, own, released) for v, given in pairs if v.name not in without
        })  # fmt: skip

    def __add__(self, other: ChangeCounts) -> ChangeCounts:
        names = dict.fromkeys((*self.columns, *other.columns))
        return ChangeCounts({name: self._sum(other, name) for name in names})

    def _sum(self, other: ChangeCounts, name: str) -> Counts:
        one, two = (counts.columns.get(name, Counts()) for counts in (self, other))
        return Counts(*(a + b for a, b in zip(one, two, strict=True)))

    def shares(self, rows: int) -> tuple[ColumnChange, ...]:
        """The same as shares of so many rows."""
        return tuple(
            ColumnChange(name, *(count / rows for count in counts))
            for name, counts in self.columns.items()
        )


def _count(
    variable: Variable,
    donors: Ints,
    own: Ints,
    released: Table,
) -> Counts:
    made = donors == MADE
    values = released.numbers(variable.name) if made.any() else None
    return Counts(
        moved=int(((donors != own) & (donors >= 0)).sum()),
        changed=int(differs(variable, donors, values).sum()),
        suppressed=int((donors == SUPPRESSED).sum()),
        made=int(made.sum()),
    )


def differs(
    variable: Variable,
    donors: Ints,
    made: Floats | None = None,
) -> Flags:
    """Rows whose value is another one after taking that of `donors`, or the one `made`.

    There may be fewer donors than rows: those of the first. A suppressed value always differs.
    """
    given, before = variable.values[np.maximum(donors, 0)], variable.values[: len(donors)]
    if made is not None:
        given = np.where(donors == MADE, made, given)
    same = given == before
    if variable.kind is not Kind.NOMINAL:
        same |= np.isnan(given) & np.isnan(before)
    return (donors == SUPPRESSED) | ~same


def notes_of(
    method: Method,
    changes: tuple[ColumnChange, ...],
    rounded: list[str],
    stuck: Mapping[str, int],
    rows: int,
) -> Iterator[str]:
    """Notes for the curator: columns unchanged or `rounded`, and the number of `stuck` values."""
    still = [change for change in changes if change.is_still]
    if still:
        left = " that were not suppressed" if any(change.suppressed for change in still) else ""
        yield (
            f"{name_columns([change.name for change in still])}: effectively unchanged (fewer than "
            f"{100 * UNCHANGED:g} % of the values{left} differ), because {_why(method)}. "
            f"{method.remedy}"
        ).rstrip()
    if rounded:
        yield f"{name_columns(rounded)}: the values made were rounded to whole numbers."
    if any(stuck.values()):
        counts = ", ".join(f"{name} {count}" for name, count in stuck.items() if count)
        yield (
            "values that found no partner to trade with and stay with their row, among "
            f"{rows} rows: {counts}. The audit record lists them."
        )


def _why(method: Method) -> str:
    if method.makes_values:
        return "most of the values made are the row's own"
    return "most rows traded with rows of the same value"


def find_rounded(table: Table, outcome: Outcome) -> list[str]:
    """The columns whose made values lose their fractions."""
    return [name for name in outcome.made if _is_rounded(table, name, outcome.made[name])]


def _is_rounded(table: Table, name: str, made: Floats) -> bool:
    return table.holds_whole_numbers_only(name) and not np.array_equal(
        made, np.rint(made), equal_nan=True
    )
