"""Links by somebody who knows the method, and everybody or one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Streams
from swapmeet.comparison.comparison import random_rows
from swapmeet.intruders.evidence import Likelihood, SharedCodes
from swapmeet.intruders.evidence.base import TIED, add_up, add_up_rows, count_together, log_sum
from swapmeet.intruders.links.evidence import KnownColumns
from swapmeet.intruders.links.intruder import Truth

MOST_TRADES = 6
"""The trades of so many columns are followed, those with most unique values."""
WRONG = 0.05
"""The chance that a trade is another one than it seems."""


@dataclass(frozen=True, repr=False, eq=False)
class Partners:
    """A row is in a person's place only if the person who gave to the row got what the person had.

    So a row fits a person the better, the surer the row that holds the person's value is that of
    the person whose value the row holds, by all `pieces` of evidence. `row_of` has the row that
    holds each person's value, `giver` the person whose value each row holds; negative where the
    value is not unique.
    """

    pieces: Sequence[Likelihood]
    row_of: Ints
    giver: Ints

    @classmethod
    def of(cls, pieces: Sequence[Likelihood]) -> list[Partners]:
        """Links by the columns whose values traded two by two and are most often unique."""
        trades = [_follow(piece.traded) for piece in pieces if piece.traded is not None]
        trades.sort(key=lambda both: -int((both[0] >= 0).sum()))
        return [cls(pieces, *both) for both in trades[:MOST_TRADES] if (both[0] >= 0).any()]

    def of_people(self, people: Ints) -> Floats:
        """For each of these people, one line with every row: how well trades fit, over chance."""
        logs = np.zeros((len(people), len(self.giver)))
        lines, rows = np.flatnonzero(self.row_of[people] >= 0), np.flatnonzero(self.giver >= 0)
        if len(lines):
            fits = add_up_rows(self.pieces, self.row_of[people[lines]])
            fits -= log_sum(fits, axis=1)[:, np.newaxis]
            sure = np.exp(np.take(fits, self.giver[rows], axis=1))
            logs[np.ix_(lines, rows)] = np.log((1.0 - WRONG) * len(self.giver) * sure + WRONG)
        return logs


def _follow(codes: SharedCodes) -> tuple[Ints, Ints]:
    """The row that holds each person's value, and the person whose value each row holds."""
    both = codes.people, codes.rows
    once = np.logical_and(*(np.bincount(one, minlength=codes.count) == 1 for one in both))
    where = np.full((2, codes.count), -1)
    for own, one in zip(where, both, strict=True):
        own[one] = np.arange(len(one))
        own[~once] = -1
    return where[1][codes.people], where[0][codes.rows]


CANDIDATES = 3
"""In large tables, so many rows that fit a person best are compared with everybody, and as many of
those that fit the person better than anybody."""

LOWEST = -1e300
"""The score of a row that is left out."""

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
    _ranked: list[tuple[Ints, Ints, Floats]] = field(default_factory=list)

    def link_all(self, *, next_best: bool = False, sure: Floats | None = None) -> Floats:
        """Return the share of right links of each of all people; every pair is looked at.

        With `next_best`, the best row of each is left out; `sure` is filled with how sure each link
        looks.
        """
        hits = np.empty(self.n)

        def some_people(begin: int, end: int) -> None:
            people = np.arange(begin, end)
            fits = self._fit(people)
            fits = fits - self._totals
            fits = leave_out_best(fits) if next_best else fits
            hits[begin:end] = self.truth.share_right(fits, people)
            if sure is not None:
                sure[begin:end] = measure_lead(fits)

        _ = self._totals
        self.workers.each(some_people, self.n, size=self._together, label="links")
        return hits

    def weigh(self, people: Ints) -> Floats:
        """The logarithm of the probability that each row is each of these people's."""
        return self._fit(people) - self._totals

    def link_rows(self, rows: Ints) -> Floats:
        """Return the share of right links of some rows with the person each is most likely of.

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

    def link_some(
        self, people: Ints, *, next_best: bool = False, sure: Floats | None = None
    ) -> Floats:
        """Return the share of right links of each of some people.

        Sums over everybody are taken for the few rows that fit a person best only. With
        `next_best`, the best of these is left out; `sure` is filled as by `link_all`.
        """
        rows, scores = self._rank(people)
        scores = leave_out_best(scores) if next_best else scores
        if sure is not None:
            sure[:] = scores.max(axis=1)
        best = scores >= scores.max(axis=1, keepdims=True) - TIED
        right = self.truth.are_right(people[:, np.newaxis], rows)
        return (best & right).sum(axis=1) / best.sum(axis=1)

    def _rank(self, people: Ints) -> tuple[Ints, Floats]:
        """The rows that fit each of some people best, and how surely each is theirs."""
        for done, rows, scores in self._ranked:
            if done is people:
                return rows, scores
        rows, scores = self._find_candidates(people)
        wanted, places = np.unique(rows, return_inverse=True)
        scores -= self._sum_over_people(wanted)[places.reshape(rows.shape)]
        self._ranked.append((people, rows, scores))
        return rows, scores

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


def leave_out_best(scores: Floats) -> Floats:
    """The scores of each line without the best ones; tied ones are all left out.

    >>> leave_out_best(np.array([[1.0, 3.0, 2.0], [5.0, 5.0, 4.0]])).argmax(axis=1).tolist()
    [2, 2]
    """
    best = scores.max(axis=1, keepdims=True)
    least = best - TIED * np.maximum(np.abs(best), 1.0)
    return np.where(scores >= least, LOWEST, scores)


def measure_lead(scores: Floats) -> Floats:
    """Lead of the best of each line over the next; 0 where it has to share its place.

    >>> measure_lead(np.array([[1.0, 3.0, 2.5], [5.0, 5.0, 4.0], [1.0, 1.0, 1.0]])).tolist()
    [0.5, 0.0, 0.0]
    """
    if scores.shape[1] < 2:
        return np.zeros(len(scores))
    two = np.partition(scores, scores.shape[1] - 2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])


def _sum_up(logs: Floats) -> tuple[Floats, Floats]:
    most = logs.max(axis=0)
    return most, np.exp(logs - most).sum(axis=0)


def _join(parts: list[tuple[Floats, Floats]]) -> Floats:
    most = np.max([part[0] for part in parts], axis=0)
    return most + np.log(np.sum([np.exp(top - most) * total for top, total in parts], axis=0))


NEGLIGIBLE = 21.0
"""All others together may add this much less, in the logarithm: less than one part in 10⁹."""


def sum_over_likely(pieces: Sequence[Likelihood], row: int, n: int) -> float:
    """The logarithm of the sum of a row's likelihoods over `n` people.

    Where a row holds rare values, few people can have got them. The others add at most what they
    would if everything else fitted them; where that is not negligible, NaN says that everybody has
    to be looked at.
    """
    lists = [likely for piece in pieces if (likely := piece.find_likely(row)) is not None]
    if not lists:
        return np.nan
    people = np.unique(np.concatenate([likely.people for likely in lists]))
    if not len(people):
        return np.nan
    logs = np.sum([piece.of_few(row, people) for piece in pieces], axis=0)
    total = float(log_sum(logs[np.newaxis], axis=1)[0])
    others = np.log(n) + sum(likely.others for likely in lists)
    return total if others < total - NEGLIGIBLE else np.nan


def can_sum_over_likely(pieces: Sequence[Likelihood]) -> bool:
    """Return whether all pieces of evidence can be asked about some people only."""
    return all(piece.for_few for piece in pieces)


LARGEST = 30_000
"""In larger tables nobody tries."""
SHARE, MOST = 10, 150
"""One in ten people, at most so many, are sought at once: in the evidence they see each other."""
TIMES = 2
"""So often others are sought."""
FEWEST = 100
"""At least so many rows show what fits anybody."""


def link_by_release(known: KnownColumns, people: Ints, streams: Streams) -> Floats:
    """Return the share of right links of each of some of the people; empty where nobody tries.

    A row is taken that fits the person better than it fits the people whom the rows are taken for.
    """
    n = known.comparison.n
    if n > LARGEST:
        return np.empty(0)
    drawn = streams.stream("singled out").permutation(people)
    size = min(MOST, -(-n // SHARE))
    parts = [drawn[size * time : size * (time + 1)] for time in range(TIMES)]
    rows = random_rows(streams.stream("stand-ins"), n, min(n, max(count_together(n), FEWEST)))
    return np.concatenate([_link(known, part, rows) for part in parts])


def _link(known: KnownColumns, people: Ints, rows: Ints) -> Floats:
    pieces = known.find_traces_of_some(people)
    if not pieces:
        return np.empty(0)
    anybody = log_sum(add_up(pieces, len(people) + rows), axis=0)
    return known.truth.share_right(add_up(pieces, np.arange(len(people))), people, anybody)
