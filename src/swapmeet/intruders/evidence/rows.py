"""Evidence about whole rows: all that is known, rows that were redrawn or stayed, and mixtures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.comparison.values import SharedCodes, code_both
from swapmeet.intruders.evidence.base import DOUBT, Likelihood, add_up, add_up_rows
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

    def __repr__(self) -> str:
        return f"<Evidence of {', '.join(self.people.names)}>"

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
