"""Evidence about units, for the rows they have: values that moved once for all rows of a unit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.intruders.evidence.base import MOST_LIKELY, Likelihood, LikelyPeople

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints


@dataclass(frozen=True, repr=False, eq=False)
class UnitLikelihood(Likelihood):
    """A released row fits a person as well as its unit fits the person's.

    `piece` speaks of units in both tables; `unit_of_person` and `unit_of_row` tell which they are.
    """

    piece: Likelihood
    unit_of_person: Ints
    unit_of_row: Ints

    @property
    def for_few(self) -> bool:  # type: ignore[override]
        return self.piece.for_few

    def of_people(self, people: Ints) -> Floats:
        units, lines = np.unique(self.unit_of_person[people], return_inverse=True)
        return self.piece.of_people(units)[np.ix_(lines, self.unit_of_row)]

    def of_anybody(self, n: int) -> Floats:  # noqa: ARG002
        count = int(self.unit_of_person.max()) + 1
        return self.piece.of_anybody(count)[self.unit_of_row]

    def of_rows(self, rows: Ints) -> Floats:
        units, lines = np.unique(self.unit_of_row[rows], return_inverse=True)
        return self.piece.of_rows(units)[np.ix_(lines, self.unit_of_person)]

    def find_likely(self, row: int) -> LikelyPeople | None:
        found = self.piece.find_likely(int(self.unit_of_row[row]))
        if found is None:
            return None
        order, ends = self._members
        parts = [order[ends[unit] : ends[unit + 1]] for unit in found.people.tolist()]
        people = np.concatenate([np.empty(0, np.int64), *parts])
        return None if len(people) > MOST_LIKELY else LikelyPeople(people, found.others)

    def of_few(self, row: int, people: Ints) -> Floats:
        return self.piece.of_few(int(self.unit_of_row[row]), self.unit_of_person[people])

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        """Everybody in the order of their units, and where each unit ends."""
        order = np.argsort(self.unit_of_person, kind="stable")
        return order, np.cumsum(np.append(0, np.bincount(self.unit_of_person)))
