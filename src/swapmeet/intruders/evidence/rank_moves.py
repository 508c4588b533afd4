"""Values whose rank moved as ranks do when a method is tried out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.intruders.evidence.base import DOUBT, Likelihood

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints, ShortInts
    from swapmeet.comparison.codes import SharedCodes

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

    def __repr__(self) -> str:
        return f"<PeopleRanks of {len(self.values)} people>"

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
    found = np.bincount(pairs, minlength=size * size).reshape(size, size)
    chance = np.outer(found.sum(axis=1), found.sum(axis=0)) / max(len(before), 1)
    ratio = np.divide(found, chance, out=np.zeros((size, size)), where=chance > 0)
    return np.log((1.0 - DOUBT) * ratio + DOUBT)
