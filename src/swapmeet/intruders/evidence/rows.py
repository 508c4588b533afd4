"""Evidence about whole rows and units: all that is known, those that were redrawn or moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.comparison.values import SharedCodes, code_both
from swapmeet.intruders.evidence.base import (
    DOUBT,
    MOST_LIKELY,
    SOME,
    Likelihood,
    LikelyPeople,
    add_up,
    add_up_rows,
    log_sum,
)
from swapmeet.tables.microdata import Microdata

ATTACK = Seed(bytes(32)).within("attack")
"""Seed of an intruder's draws, no secret: the same tables are attacked in the same way."""
UNSURE = 0.05
"""The doubt of an intruder who does not know all columns that decide who trades with whom."""


@dataclass(frozen=True, repr=False, eq=False)
class Evidence:
    """Some columns of everybody, and the same columns of the release, rows in any order.

    `complete` tells whether these are all columns that the method looked at, `everybody` whether
    these are the people themselves; if not, released rows stand in for most of them. `known_codes`
    gives codes of a column that were made before.
    """

    people: Microdata
    released: Microdata
    complete: bool = True
    workers: Workers = field(default_factory=lambda: Workers(1))
    known_codes: Callable[[str], SharedCodes] | None = None
    everybody: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.people.names

    def code(self, name: str, *others: str) -> SharedCodes:
        """The values of a column, or of several as one, as codes that people and rows share."""
        if self.known_codes is not None and not others:
            return self.known_codes(name)
        names = (name, *others)
        return code_both(
            [self.people[name].values for name in names],
            [self.released[name].values for name in names],
        )

    def select(self, names: Iterable[str]) -> Evidence:
        """Select the columns that are there; complete if all are, and were before."""
        wanted = tuple(names)
        known = [name for name in self.names if name in wanted]
        return replace(
            self,
            people=self.people.select(known), released=self.released.select(known),
            complete=self.complete and len(known) == len(wanted),
        )  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class ChosenRows(Likelihood):
    """A row was chosen with probability `share`; else it is its person's, as it was.

    A chosen row has values by the `parts`, one for each column. If its person is `lonely`, it is
    `empty`. `whole` are the records, all columns as one.
    """

    parts: tuple[Likelihood, ...]
    whole: SharedCodes
    share: float
    lonely: Flags
    empty: Flags

    def of_people(self, people: Ints) -> Floats:
        drawn = add_up(self.parts, people)
        drawn[self.lonely[people]] = self._say_of_lonely(self.empty)
        same = self.whole.people[people, np.newaxis] == self.whole.rows
        return self._mix(drawn, same)

    def of_rows(self, rows: Ints) -> Floats:
        drawn = add_up_rows(self.parts, rows)
        drawn[:, self.lonely] = self._say_of_lonely(self.empty[rows])[:, np.newaxis]
        same = self.whole.rows[rows, np.newaxis] == self.whole.people
        return self._mix(drawn, same)

    def _say_of_lonely(self, empty: Flags) -> Floats:
        return np.where(empty, 0.0, len(self.parts) * np.log(DOUBT))

    def _mix(self, drawn: Floats, same: Flags) -> Floats:
        with np.errstate(divide="ignore"):
            chosen, left = np.log(max(self.share, DOUBT)), np.log(1.0 - self.share)
        drawn += chosen
        drawn[same] = np.logaddexp(drawn[same], left)
        return drawn


NEVER = 1e-9
"""The weight of a way that is ruled out: it keeps the likelihood finite."""


@dataclass(frozen=True, repr=False, eq=False)
class Mixture(Likelihood):
    """A row was treated in one of several `ways`, each with pieces of evidence of its own.

    `weights` has, for each person, how likely their row was treated in each way.
    """

    ways: tuple[tuple[Likelihood, ...], ...]
    weights: Floats

    def of_people(self, people: Ints) -> Floats:
        total: Floats | None = None
        for pieces, weights in zip(self.ways, self._logs.T, strict=True):
            one = add_up(pieces, people) + weights[people][:, np.newaxis]
            total = one if total is None else np.logaddexp(total, one, out=one)
        assert total is not None
        return total

    def of_rows(self, rows: Ints) -> Floats:
        total: Floats | None = None
        for pieces, weights in zip(self.ways, self._logs.T, strict=True):
            one = add_up_rows(pieces, rows) + weights
            total = one if total is None else np.logaddexp(total, one, out=one)
        assert total is not None
        return total

    @property
    def _logs(self) -> Floats:
        return np.asarray(np.log(np.maximum(self.weights, NEVER)))


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
        units = self.piece.find_likely(int(self.unit_of_row[row]))
        if units is None:
            return None
        order, ends = self._members
        parts = [order[ends[unit] : ends[unit + 1]] for unit in units.people.tolist()]
        people = np.concatenate([np.empty(0, np.int64), *parts])
        return None if len(people) > MOST_LIKELY else LikelyPeople(people, units.others)

    def of_few(self, row: int, people: Ints) -> Floats:
        return self.piece.of_few(int(self.unit_of_row[row]), self.unit_of_person[people])

    @cached_property
    def _members(self) -> tuple[Ints, Ints]:
        """Everybody in the order of their units, and where each unit ends."""
        order = np.argsort(self.unit_of_person, kind="stable")
        return order, np.cumsum(np.append(0, np.bincount(self.unit_of_person)))


FAR = -1e4
"""The log-likelihood of a row in a unit that cannot stand for the person's: of another type."""


@dataclass(frozen=True, repr=False, eq=False)
class TypeEvidence:
    """Pieces about the units of one type; `people` and `rows` have their members, a line each."""

    pieces: Sequence[Likelihood]
    people: Ints
    rows: Ints


@dataclass(frozen=True, repr=False, eq=False)
class WholeUnits(Likelihood):
    """A row fits a person as well as its unit fits the person's, in the same place among members.

    A person of no type that `types` has is judged by the pieces `rest`, which are about
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
        places = np.full((3, self.n), -1)
        for number, members in enumerate(tables):
            count, size = members.shape
            places[0, members] = number
            places[1, members] = np.arange(count)[:, np.newaxis]
            places[2, members] = np.arange(size)
        return places[0], places[1], places[2]
