"""Evidence from a column by itself: shared, kept, moved, perturbed and suppressed values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
from swapmeet.base.quantiles import places_in
from swapmeet.comparison.values import SharedCodes
from swapmeet.intruders.evidence.base import (
    DOUBT,
    MOST_LIKELY,
    CodedLikelihood,
    Likelihood,
    LikelyPeople,
    mix_in_doubt,
)


@dataclass(frozen=True, repr=False, eq=False)
class Agreement(CodedLikelihood):
    """A row has the code of its person, but for a share of `doubt`, which has any.

    Codes are values where a column did not move, and bins where values moved inside them.
    """

    for_few = True

    def of_people(self, people: Ints) -> Floats:
        own, (agree, differ) = self.codes.people[people], self._logs
        return self.codes.spread_over_rows(differ, np.arange(len(people)), own, agree[own])

    def of_rows(self, rows: Ints) -> Floats:
        codes, (agree, differ) = self.codes.rows[rows], self._logs
        logs = np.repeat(differ[codes][:, np.newaxis], len(self.codes.people), axis=1)
        for line, code in zip(logs, codes.tolist(), strict=True):
            line[self.codes.find_people(code)] = agree[code]
        return logs

    def find_likely(self, row: int) -> LikelyPeople | None:
        code = int(self.codes.rows[row])
        people = self.codes.find_people(code)
        return None if len(people) > MOST_LIKELY else LikelyPeople(people, self._logs[1][code])

    def of_few(self, row: int, people: Ints) -> Floats:
        code, (agree, differ) = self.codes.rows[row], self._logs
        return np.where(self.codes.people[people] == code, agree[code], differ[code])

    @property
    def logs(self) -> tuple[Floats, Floats]:
        """Return the log-likelihood by code: if the codes agree, and if they do not."""
        return self._logs

    @cached_property
    def _logs(self) -> tuple[Floats, Floats]:
        """Return the log-likelihood by code: if the codes agree, and if they do not."""
        chance = self.doubt * self.codes.chances
        with np.errstate(divide="ignore"):
            return np.log(1.0 - self.doubt + chance), np.log(chance)


@dataclass(frozen=True, repr=False, eq=False)
class KeptOrTraded(CodedLikelihood):
    """A row's value is its person's own with probability `stay`, else that of a partner.

    A partner is of the person's group (`labels`) and has another value; members are partners in
    proportion to `weights`. Who has no possible partner keeps their value.
    """

    labels: Ints
    stay: Floats
    weights: Floats

    @property
    def traded(self) -> SharedCodes | None:
        return self.codes

    def of_people(self, people: Ints) -> Floats:
        cells, starts, sums = self._cells
        groups = self.labels[people]
        lengths = starts[groups + 1] - starts[groups]
        lines = np.repeat(np.arange(len(people)), lengths)
        places = places_in(starts[groups], starts[groups + 1])
        codes = cells[places] % self.codes.count
        shares = sums[places] * np.repeat(self._rates[people], lengths)
        own = codes == self.codes.people[people][lines]
        shares[own] = self._kept[people][lines[own]]
        logs = mix_in_doubt(shares, self.codes.chances[codes], self.doubt)
        return self.codes.spread_over_rows(self.floor, lines, codes, logs)

    def of_rows(self, rows: Ints) -> Floats:
        cells, _, sums = self._cells
        codes, which = np.unique(self.codes.rows[rows], return_inverse=True)
        logs = np.empty((len(codes), len(self.labels)))
        groups = np.arange(self._groups)
        for line, code in zip(logs, codes.tolist(), strict=True):
            wanted = groups * self.codes.count + code
            places = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
            totals = np.where(cells[places] == wanted, sums[places], 0.0)
            shares = totals[self.labels] * self._rates
            own = self.codes.find_people(code)
            shares[own] = self._kept[own]
            line[:] = mix_in_doubt(shares, self.codes.chances[code], self.doubt)
        return logs[which]

    @property
    def _groups(self) -> int:
        return int(self.labels.max(initial=-1)) + 1

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Floats]:
        """The values of each group, where each group begins among them, and their weights."""
        cells, which = np.unique(
            self.labels * self.codes.count + self.codes.people, return_inverse=True
        )
        starts = np.searchsorted(cells, np.arange(self._groups + 1) * self.codes.count)
        sums = np.bincount(which, self.weights, len(cells))
        return cells, np.asarray(starts, np.int64), np.asarray(sums, np.float64)

    @cached_property
    def _others(self) -> Floats:
        """The weight of each person's possible partners."""
        cells, _, sums = self._cells
        total = np.bincount(self.labels, self.weights, self._groups)[self.labels]
        own = np.searchsorted(cells, self.labels * self.codes.count + self.codes.people)
        others = total - sums[own]
        return np.where(others > 1e-12 * total, others, 0.0)

    @cached_property
    def _kept(self) -> Floats:
        return np.where(self._others > 0.0, self.stay, 1.0)

    @cached_property
    def _rates(self) -> Floats:
        """Return what a unit of a partner's weight adds to the share of their value."""
        some = self._others > 0.0
        return np.where(some, (1.0 - self.stay) / np.where(some, self._others, 1.0), 0.0)


FARTHEST = 60.0
"""No direction makes a row less likely than by this many in the logarithm."""


@dataclass(frozen=True, repr=False, eq=False)
class Gaussian(Likelihood):
    """Rows lie around their people with a normal spread of 1 in each of these directions.

    `people` and `rows` have one line per direction, scaled by the spread. A number that is missing
    in one and not in the other is as far off as anything; missing in both is no distance.
    """

    people: Floats
    rows: Floats

    for_few = True

    def of_people(self, people: Ints) -> Floats:
        return _log_density(self.people[:, people], self.rows)

    def of_rows(self, rows: Ints) -> Floats:
        return _log_density(self.rows[:, rows], self.people)

    def of_few(self, row: int, people: Ints) -> Floats:
        return _log_density(self.rows[:, [row]], self.people[:, people])[0]


def _log_density(some: Floats, all_: Floats) -> Floats:
    total = np.zeros((some.shape[1], all_.shape[1]))
    for one, other in zip(some, all_, strict=True):
        apart = one[:, np.newaxis] - other
        apart *= apart
        strange = np.isnan(apart)
        if strange.any():
            both = np.isnan(one)[:, np.newaxis] & np.isnan(other)
            apart[strange] = np.where(both[strange], 0.0, np.inf)
        total -= np.minimum(apart / 2.0, FARTHEST)
    return total


FEWEST, MOST = 8, 256
"""Ranks are cut into no fewer and no more cells than these."""
FINE = 5.0
"""A value moves across about so many cells."""


@dataclass(frozen=True, repr=False, eq=False)
class RankMoves(Likelihood):
    """Likelihood of a value by its rank, and that of the person's own.

    `people` and `rows` are cells of ranks, the last one of missing values; `table` has the
    log-likelihood of a row's cell, given the person's, over that of any row. `pairs` are the values
    themselves, which traded places two by two.
    """

    people: ShortInts
    rows: ShortInts
    table: Floats
    pairs: SharedCodes | None = None

    @classmethod
    def of(
        cls,
        columns: tuple[str, ...],
        people: Floats,
        rows: Floats,
        tries: Floats,
        pairs: SharedCodes | None = None,
        *,
        givers: Floats | None = None,
    ) -> RankMoves:
        """From the ranks of people and of released rows, as shares of all, NaN where missing.

        `tries` are the ranks that people got when the method was tried out, time and again. Where
        people of one value have ranks of their own, `givers` are those of whom they got it from.
        """
        count = _choose_count(people, tries if givers is None else givers)
        own, moved = _find_cells(people, count), _find_cells(tries, count)
        table = _tabulate(np.resize(own, len(moved)), moved, count + 1)
        return cls(columns, own, _find_cells(rows, count), table, pairs)

    @property
    def traded(self) -> SharedCodes | None:
        return self.pairs

    def of_people(self, people: Ints) -> Floats:
        return np.take(self.table[self.people[people]], self.rows, axis=1)

    def of_rows(self, rows: Ints) -> Floats:
        return np.take(self.table.T[self.rows[rows]], self.people, axis=1)


@dataclass(frozen=True, repr=False, eq=False)
class PeopleRanks:
    """The ranks of values among those of the people in a stratum, as shares."""

    values: Floats
    strata: ShortInts

    def find(self, values: Floats, strata: ShortInts) -> Floats:
        """The rank of each value, in the middle of those it is tied with; NaN if missing."""
        keys = self._number(values, strata)
        low, high = (np.searchsorted(self._ordered, keys, side) for side in ("left", "right"))
        begin, end = (
            np.searchsorted(self._ordered, (strata + more) * self._width) for more in (0, 1)
        )
        ranks = ((low + high) / 2.0 - begin) / np.maximum(end - begin, 1)
        return np.where(np.isnan(values), np.nan, ranks)

    @cached_property
    def _levels(self) -> Floats:
        return np.unique(self.values[~np.isnan(self.values)])

    @property
    def _width(self) -> int:
        return 2 * len(self._levels) + 2

    @cached_property
    def _ordered(self) -> Ints:
        present = ~np.isnan(self.values)
        return np.sort(self._number(self.values[present], self.strata[present]))

    def _number(self, values: Floats, strata: ShortInts) -> Ints:
        """Whole numbers in the order of strata and, in each, of values, known or between them."""
        sides = [np.searchsorted(self._levels, values, side) for side in ("left", "right")]
        return strata.astype(np.int64) * self._width + sides[0] + sides[1]


def _choose_count(people: Floats, tries: Floats) -> int:
    """Choose how many cells suit ranks that moved so far."""
    apart = np.abs(np.resize(people, len(tries)) - tries)
    apart = apart[~np.isnan(apart)]
    typical = float(apart.mean()) if len(apart) else 1.0
    return int(np.clip(np.rint(FINE / max(typical, 1e-9)), FEWEST, MOST))


def _find_cells(ranks: Floats, count: int) -> ShortInts:
    cells = np.where(np.isnan(ranks), count, np.minimum(ranks * count, count - 1))
    return cells.astype(np.int32)


def _tabulate(before: ShortInts, after: ShortInts, size: int) -> Floats:
    """The logarithm of how much more likely a cell is, given the one before, than by chance."""
    pairs = before.astype(np.int64) * size + after
    counts = np.bincount(pairs, minlength=size * size).reshape(size, size)
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(len(before), 1)
    ratio = np.divide(counts, chance, out=np.zeros((size, size)), where=chance > 0)
    return np.log((1.0 - DOUBT) * ratio + DOUBT)


@dataclass(frozen=True, repr=False, eq=False)
class SuppressedCells(Likelihood):
    """Evidence of `piece`, silent about rows in which its cells were suppressed (`gone`).

    Without it, a missing value would speak against everybody who had one to lose.
    """

    piece: Likelihood
    gone: Flags

    def of_people(self, people: Ints) -> Floats:
        logs = self.piece.of_people(people)
        logs[:, self.gone] = 0.0
        return logs

    def of_rows(self, rows: Ints) -> Floats:
        logs = self.piece.of_rows(rows)
        logs[self.gone[rows]] = 0.0
        return logs
