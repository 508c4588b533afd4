"""Units that moved as wholes: evidence about units of each type, for the rows they have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.intruders.evidence.base import SOME, Likelihood
from swapmeet.intruders.evidence.sums import add_up, add_up_rows, log_sum

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from swapmeet.base.arrays import Floats, Ints

FAR = -1e4
"""The log-likelihood of a row in a unit that cannot stand for the person's: of another type."""


@dataclass(frozen=True, repr=False, eq=False)
class TypeEvidence:
    """Pieces about the units of one type; `people` and `rows` have their members, a line each."""

    pieces: Sequence[Likelihood]
    people: Ints
    rows: Ints

    def __repr__(self) -> str:
        return f"<TypeEvidence of {len(self.people)} units>"


@dataclass(frozen=True, repr=False, eq=False)
class WholeUnits(Likelihood):
    """A row fits a person as well as its unit fits the person's, in the same place among members.

    Whoever belongs to no type that `types` has is judged by the pieces `rest`, which are about
    these people and rows only, numbered in their order.
    """

    types: tuple[TypeEvidence, ...]
    rest: tuple[Likelihood, ...]
    n: int

    def of_people(self, people: Ints) -> Floats:
        return self._fill(people, self._person, self._row_type, add_up, rows=False)

    def of_rows(self, rows: Ints) -> Floats:
        return self._fill(rows, self._row, self._person_type, add_up_rows, rows=True)

    def of_anybody(self, n: int) -> Floats:
        logs = np.full(n, FAR)
        for kind in self.types:
            count = len(kind.people)
            some = np.linspace(0, count - 1, min(count, SOME)).astype(np.int64)
            mean = log_sum(add_up(kind.pieces, some), axis=0) - np.log(len(some))
            logs[kind.rows] = (mean + np.log(count / n))[:, np.newaxis]
        left = np.flatnonzero(self._row_type < 0)
        if len(left) and self.rest:
            count = int((self._person_type < 0).sum())
            mean = np.sum([piece.of_anybody(count) for piece in self.rest], axis=0)
            logs[left] = mean + np.log(count / n)
        return logs

    def _fill(
        self,
        who: Ints,
        places: tuple[Ints, Ints, Ints],
        others: Ints,
        add: Callable[[Sequence[Likelihood], Ints], Floats],
        *,
        rows: bool,
    ) -> Floats:
        """One line for each of some people, or rows, with all of the other table."""
        logs = np.full((len(who), self.n), FAR)
        types, units, members = (place[who] for place in places)
        for number, kind in enumerate(self.types):
            here = np.flatnonzero(types == number)
            if not len(here):
                continue
            theirs = kind.people if rows else kind.rows
            cells = theirs[:, members[here]].T
            logs[here[:, np.newaxis], cells] = add(kind.pieces, units[here])
        left = np.flatnonzero(types < 0)
        if len(left) and self.rest:
            numbers = np.cumsum(places[0] < 0) - 1
            cells = np.flatnonzero(others < 0)
            logs[np.ix_(left, cells)] = add(self.rest, numbers[who[left]])
        return logs

    @cached_property
    def _person(self) -> tuple[Ints, Ints, Ints]:
        return self._find_places([kind.people for kind in self.types])

    @cached_property
    def _row(self) -> tuple[Ints, Ints, Ints]:
        return self._find_places([kind.rows for kind in self.types])

    @property
    def _person_type(self) -> Ints:
        return self._person[0]

    @property
    def _row_type(self) -> Ints:
        return self._row[0]

    def _find_places(self, tables: list[Ints]) -> tuple[Ints, Ints, Ints]:
        """The type, the unit in the type, and the place in the unit of everybody; -1 in none."""
        found = np.full((3, self.n), -1)
        for number, members in enumerate(tables):
            count, size = members.shape
            found[0, members] = number
            found[1, members] = np.arange(count)[:, np.newaxis]
            found[2, members] = np.arange(size)
        return found[0], found[1], found[2]
