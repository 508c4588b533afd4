"""Shares of a table that a method changed, rows that broke a rule, and notes about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from swapmeet.base.sentences import count
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


class CellCounts(NamedTuple):
    """Numbers of cells of a column that were moved, changed, suppressed and made."""

    moved: int = 0
    changed: int = 0
    suppressed: int = 0
    made: int = 0


@dataclass(frozen=True)
class ChangeCounts:
    """The counts of each masked column, in some rows; with + those of more rows."""

    columns: Mapping[str, CellCounts]

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

    def _sum(self, other: ChangeCounts, name: str) -> CellCounts:
        one, two = (counts.columns.get(name, CellCounts()) for counts in (self, other))
        return CellCounts(*(a + b for a, b in zip(one, two, strict=True)))

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
) -> CellCounts:
    made = donors == MADE
    values = released.numbers(variable.name) if made.any() else None
    return CellCounts(
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


class RuleCount(NamedTuple):
    """Rows in which the method broke a rule: some were repaired, some lost the values, some stay.

    `left` are all rows of the release that break the rule.
    """

    rule: str
    broken: int = 0
    repaired: int = 0
    suppressed: int = 0
    left: int = 0

    def merge(self, other: RuleCount) -> RuleCount:
        """The counts of both, for the same rule.

        >>> RuleCount("a < b", 2, 1, 1).merge(RuleCount("a < b", 1, 1))
        RuleCount(rule='a < b', broken=3, repaired=2, suppressed=1, left=0)
        """
        mine, theirs = self[1:], other[1:]
        return RuleCount(self.rule, *(a + b for a, b in zip(mine, theirs, strict=True)))

    def describe(self, rows: int) -> str:
        """A sentence for the curator.

        >>> RuleCount("a < b", 3, 2, 1).describe(10)
        'rule a < b: the method broke it in 3 of 10 rows; 2 were repaired, 1 lost these values.'
        """
        if not self.broken and not self.left:
            return f"rule {self.rule}: holds in all rows, and the method broke it in none."
        done = {
            f"{count_were(self.repaired)} repaired": self.repaired,
            f"{self.suppressed:,} lost these values": self.suppressed,
            f"{count(self.left, 'row')} of the release still break it": self.left,
        }
        counts = ", ".join(text for text, number in done.items() if number)
        return (
            f"rule {self.rule}: the method broke it in {self.broken:,} of {rows:,} rows; {counts}."
        )


def count_were(number: int) -> str:
    """Begin a clause with a number of rows.

    >>> count_were(1), count_were(2)
    ('1 was', '2 were')
    """
    return f"{number:,} {'was' if number == 1 else 'were'}"


def merge_rule_counts(
    one: tuple[RuleCount, ...], other: tuple[RuleCount, ...]
) -> tuple[RuleCount, ...]:
    """The counts of both, rule by rule."""
    if not one or not other:
        return one or other
    return tuple(a.merge(b) for a, b in zip(one, other, strict=True))
