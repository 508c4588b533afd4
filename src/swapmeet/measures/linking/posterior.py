"""Links by somebody who knows everybody: the row that is most surely a person's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood.base import TIED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from swapmeet.algorithms.likelihood import Likelihood
    from swapmeet.core.base.parallel import Workers
    from swapmeet.measures.linking.truth import Truth

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

CELLS = 2_000_000
"""About this many pairs of a person and a row are looked at at once."""
CANDIDATES = 6
"""In large tables, so many rows of each person are compared with everybody."""


@dataclass(frozen=True, repr=False, eq=False)
class Posterior:
    """Rows and people, and the pieces of evidence that tie them together.

    A row that fits a person may fit others better. So a row's likelihood, given the person, is
    divided by the sum of its likelihoods, given each of all people: what is left is the probability
    that the row is this person's, and the person is linked with the row for which it is largest.
    """

    pieces: Sequence[Likelihood]
    truth: Truth
    n: int
    workers: Workers

    def __repr__(self) -> str:
        return f"<Posterior of {self.n} people by {len(self.pieces)} pieces>"

    def link_all(self) -> Floats:
        """How often each of all people is linked rightly; every pair is looked at."""
        hits = np.empty(self.n)

        def some_people(begin: int, end: int) -> None:
            people = np.arange(begin, end)
            fits = add_up(self.pieces, people)
            hits[begin:end] = self.truth.share_right(fits, people, self._totals)

        _ = self._totals
        self.workers.each(some_people, self.n, size=self._together, label="links")
        return hits

    def weigh(self, people: Ints) -> Floats:
        """The logarithm of the probability that each row is each of these people's."""
        return add_up(self.pieces, people) - self._totals

    def link_rows(self, rows: Ints) -> Floats:
        """How often each of some rows is linked rightly with the person it is most likely of.

        It costs less than looking for people, and finds fewer.
        """
        hits = np.empty(len(rows))

        def some_rows(begin: int, end: int) -> None:
            fits = add_up_rows(self.pieces, rows[begin:end])
            own, giver = self.truth.place[rows[begin:end]], self.truth.giver[rows[begin:end]]
            best = fits >= fits.max(axis=1, keepdims=True) - TIED
            right = np.zeros(best.shape, np.bool_)
            lines = np.arange(len(own))
            for someone in (own, giver):
                here = someone >= 0
                right[lines[here], someone[here]] = True
            hits[begin:end] = (best & right).sum(axis=1) / best.sum(axis=1)

        self.workers.each(some_rows, len(rows), size=self._together, label="links")
        return hits

    def link_some(self, people: Ints) -> Floats:
        """How often each of some people is linked rightly.

        Sums over everybody are taken for the few rows that fit a person best, by a rough sum over
        these people alone.
        """
        rows, scores = self._find_candidates(people)
        wanted, places = np.unique(rows, return_inverse=True)
        scores -= self._sum_over_people(wanted)[places.reshape(rows.shape)]
        hits = np.empty(len(people))
        for line, person in enumerate(people):
            truth = self.truth.pick(rows[line])
            hits[line] = truth.share_right(scores[[line]], person[np.newaxis])[0]
        return hits

    @cached_property
    def _totals(self) -> Floats:
        return self._sum_by_row(np.arange(self.n))

    @property
    def _together(self) -> int:
        return max(CELLS // max(self.n, 1), 1)

    def _sum_by_row(self, people: Ints) -> Floats:
        """For each row, the logarithm of the sum of its likelihoods over some people."""
        parts: list[tuple[Floats, Floats]] = []
        lock = Lock()

        def some_people(begin: int, end: int) -> None:
            part = _sum_up(add_up(self.pieces, people[begin:end]))
            with lock:
                parts.append(part)

        self.workers.each(some_people, len(people), size=self._together, label="people")
        return _join(parts)

    def _find_candidates(self, people: Ints) -> tuple[Ints, Floats]:
        count = min(CANDIDATES, self.n)
        rows, scores = np.empty((len(people), count), np.int64), np.empty((len(people), count))
        rough = self._sum_by_row(people)

        def some_people(begin: int, end: int) -> None:
            fits = add_up(self.pieces, people[begin:end])
            best = np.argpartition(fits - rough, self.n - count, axis=1)[:, self.n - count :]
            rows[begin:end] = best
            scores[begin:end] = np.take_along_axis(fits, best, axis=1)

        self.workers.each(some_people, len(people), size=self._together, label="candidates")
        return rows, scores

    def _sum_over_people(self, rows: Ints) -> Floats:
        totals = np.empty(len(rows))

        def some_rows(begin: int, end: int) -> None:
            totals[begin:end] = log_sum(add_up_rows(self.pieces, rows[begin:end]), axis=1)

        self.workers.each(some_rows, len(rows), size=self._together, label="rows")
        return totals


def add_up(pieces: Iterable[Likelihood], people: Ints) -> Floats:
    """The log-likelihood of every row, by all pieces of evidence, for each of some people."""
    total = np.zeros(1)
    for number, piece in enumerate(pieces):
        total = piece.of_people(people) if number == 0 else _add(total, piece.of_people(people))
    return total


def add_up_rows(pieces: Iterable[Likelihood], rows: Ints) -> Floats:
    """The log-likelihood of each of some rows, by all pieces of evidence, for everybody."""
    total = np.zeros(1)
    for number, piece in enumerate(pieces):
        total = piece.of_rows(rows) if number == 0 else _add(total, piece.of_rows(rows))
    return total


def _add(total: Floats, more: Floats) -> Floats:
    total += more
    return total


def log_sum(logs: Floats, axis: int) -> Floats:
    """The logarithm of a sum of numbers whose logarithms are given."""
    most = logs.max(axis=axis, keepdims=True)
    return np.squeeze(most, axis) + np.log(np.exp(logs - most).sum(axis=axis))


def _sum_up(logs: Floats) -> tuple[Floats, Floats]:
    most = logs.max(axis=0)
    return most, np.exp(logs - most).sum(axis=0)


def _join(parts: list[tuple[Floats, Floats]]) -> Floats:
    most = np.max([part[0] for part in parts], axis=0)
    return most + np.log(np.sum([np.exp(top - most) * total for top, total in parts], axis=0))
