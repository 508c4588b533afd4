"""Links by somebody who knows everybody: the row that is most surely a person's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.likelihood.base import TIED
from swapmeet.algorithms.likelihood.sums import add_up, add_up_rows, count_together, log_sum
from swapmeet.measures.linking.likely_people import can_sum_over_likely, sum_over_likely

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from swapmeet.algorithms.likelihood import Likelihood
    from swapmeet.core.base.parallel import Workers
    from swapmeet.measures.linking.partners import Partners
    from swapmeet.measures.linking.truth import Truth

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

CANDIDATES = 3
"""In large tables, so many rows that fit a person best are compared with everybody, and as many of
those that fit the person better than anybody."""

MANY = 10_000
"""In tables with more people, only those of whom a row is likely are looked at, where possible."""


@dataclass(frozen=True, repr=False, eq=False)
class Posterior:
    """Rows and people, and the pieces of evidence that tie them together.

    A row that fits a person may fit others better. So a row's likelihood, given the person, is
    divided by the sum of its likelihoods, given each of all people: what is left is the probability
    that the row is this person's, and the person is linked with the row for which it is largest.
    What `partners` say in addition is on average the same for everybody, and left out of the sum.
    """

    pieces: Sequence[Likelihood]
    truth: Truth
    n: int
    workers: Workers
    partners: Sequence[Partners] = ()

    def __repr__(self) -> str:
        return f"<Posterior of {self.n} people by {len(self.pieces)} pieces>"

    def link_all(self) -> Floats:
        """How often each of all people is linked rightly; every pair is looked at."""
        hits = np.empty(self.n)

        def some_people(begin: int, end: int) -> None:
            people = np.arange(begin, end)
            fits = self._fit(people)
            hits[begin:end] = self.truth.share_right(fits, people, self._totals)

        _ = self._totals
        self.workers.each(some_people, self.n, size=self._together, label="links")
        return hits

    def weigh(self, people: Ints) -> Floats:
        """The logarithm of the probability that each row is each of these people's."""
        return self._fit(people) - self._totals

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

        Sums over everybody are taken for the few rows that fit a person best only.
        """
        rows, scores = self._find_candidates(people)
        wanted, places = np.unique(rows, return_inverse=True)
        scores -= self._sum_over_people(wanted)[places.reshape(rows.shape)]
        best = scores >= scores.max(axis=1, keepdims=True) - TIED
        right = self.truth.are_right(people[:, np.newaxis], rows)
        return (best & right).sum(axis=1) / best.sum(axis=1)

    def _fit(self, people: Ints) -> Floats:
        return add_up([*self.pieces, *self.partners], people)

    @cached_property
    def _totals(self) -> Floats:
        """For each row, the logarithm of the sum of its likelihoods over everybody."""
        parts: list[tuple[Floats, Floats]] = []
        lock = Lock()

        def some_people(begin: int, end: int) -> None:
            part = _sum_up(add_up(self.pieces, np.arange(begin, end)))
            with lock:
                parts.append(part)

        self.workers.each(some_people, self.n, size=self._together, label="people")
        return _join(parts)

    @property
    def _together(self) -> int:
        return count_together(self.n)

    def _find_candidates(self, people: Ints) -> tuple[Ints, Floats]:
        count = min(CANDIDATES, self.n)
        rows = np.empty((len(people), 2 * count), np.int64)
        scores = np.empty(rows.shape)
        anybody = np.sum([piece.of_anybody(self.n) for piece in self.pieces], axis=0)

        def some_people(begin: int, end: int) -> None:
            fits = self._fit(people[begin:end])
            best = [np.argpartition(one, self.n - count, axis=1)[:, self.n - count :]
                    for one in (fits, fits - anybody)]  # fmt: skip
            rows[begin:end] = np.concatenate(best, axis=1)
            scores[begin:end] = np.take_along_axis(fits, rows[begin:end], axis=1)

        self.workers.each(some_people, len(people), size=self._together, label="candidates")
        return rows, scores

    def _sum_over_people(self, rows: Ints) -> Floats:
        totals = np.full(len(rows), np.nan)
        if self.n > MANY and can_sum_over_likely(self.pieces):
            totals[:] = [sum_over_likely(self.pieces, row, self.n) for row in rows.tolist()]
        left = np.flatnonzero(np.isnan(totals))

        def some_rows(begin: int, end: int) -> None:
            some = left[begin:end]
            totals[some] = log_sum(add_up_rows(self.pieces, rows[some]), axis=1)

        self.workers.each(some_rows, len(left), size=self._together, label="rows")
        return totals


def _sum_up(logs: Floats) -> tuple[Floats, Floats]:
    most = logs.max(axis=0)
    return most, np.exp(logs - most).sum(axis=0)


def _join(parts: list[tuple[Floats, Floats]]) -> Floats:
    most = np.max([part[0] for part in parts], axis=0)
    return most + np.log(np.sum([np.exp(top - most) * total for top, total in parts], axis=0))
