"""Rows that meet a rare condition: what became of their owners."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from swapmeet.base.sentences import count
from swapmeet.measures.side_by_side.empty_conditions import describe_levels

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.tables.conditions import Condition
    from swapmeet.tables.frame import Table


@dataclass(frozen=True)
class RareRecords:
    """Rows that meet a condition, before and after, and what became of their owners.

    `stayed` owners meet it in the original and, with their released row, after; `strangers` are
    released rows that meet it though their owner does not. Both are unknown without owners. Where
    nobody meets it, `levels` says how many values its columns have.
    """

    condition: str
    original: int
    released: int
    stayed: int | None
    strangers: int | None
    levels: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        return {**asdict(self), "sentence": self.sentence}

    @property
    def sentence(self) -> str:
        """In words."""
        if not self.original:
            released = f"; {self._count_released()}" if self.released else ""
            return f"Nobody meets the condition{released}: {self.levels}."
        people = count(self.original, "person meets", "people meet")
        counts = f"{people} the condition, and {self._count_released()}"
        if self.stayed is None:
            return f"{counts}; whose they are is not known."
        return f"{counts}: {self.stayed} their own, {self.strangers} other people's."

    def _count_released(self) -> str:
        return count(self.released, "released row does", "released rows do")


def compare_rare(
    original: Table,
    released: Table,
    condition: Condition,
    rows: Ints | None,
    *,
    owners_known: bool,
) -> RareRecords:
    """Count the rows that meet a condition; `rows` puts released rows in their owners' order."""
    before, after = condition.holds(original), condition.holds(released)
    levels = "" if before.any() else describe_levels(original, condition)
    if not owners_known:
        return RareRecords(condition.text, int(before.sum()), int(after.sum()), None, None, levels)
    after = after if rows is None else after[rows]
    return RareRecords(
        condition.text,
        int(before.sum()),
        int(after.sum()),
        int((before & after).sum()),
        int((after & ~before).sum()),
        levels,
    )
