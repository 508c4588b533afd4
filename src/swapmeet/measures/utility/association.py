"""Strength of the association of two columns of any kind, from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.comparison.sums import LEAST, MOST, Sums

ROOMY = 4
"""A table with more cells than this for each row is not laid out; its cells are sorted."""


@dataclass(frozen=True, repr=False, eq=False)
class Grouped(Sums):
    """A number by the levels of a nominal column: counts and sums in each, extent and squares.

    With weights that add up to the effective number of rows, counts are sums of these.
    """

    counts: Ints | Floats
    sums: Floats
    squares: float
    low: float = field(metadata=LEAST)
    high: float = field(metadata=MOST)

    @classmethod
    def of(
        cls, codes: ShortInts, levels: int, scores: Floats, weights: Floats | None = None
    ) -> Grouped:
        """Over the rows in which both have a value."""
        both = (codes >= 0) & ~np.isnan(scores)
        if not both.all():
            codes, scores = codes[both], scores[both]
            weights = None if weights is None else weights[both]
        counted = scores if weights is None else weights * scores
        return cls(
            np.bincount(codes, weights, minlength=levels),
            np.bincount(codes, counted, minlength=levels).astype(np.float64),
            float(counted @ scores),
            float(scores.min(initial=np.inf)),
            float(scores.max(initial=-np.inf)),
        )

    @property
    def rows(self) -> int:
        """The rows in which both have a value."""
        return round(float(self.counts.sum()))

    @property
    def levels(self) -> int:
        """The levels that occur."""
        return int(np.count_nonzero(self.counts))

    def shared(self, other: Grouped) -> float:
        """The inner product of what two tables say about the means of the levels.

        η² where they say the same, and its negative where the means are mirrored.

        >>> codes, scores = np.array([0, 0, 1, 1], np.int32), np.array([1.0, 1.0, 3.0, 3.0])
        >>> one = Grouped.of(codes, 2, scores)
        >>> [round(one.shared(x), 9) for x in (one, Grouped.of(codes, 2, scores[::-1]))]
        [1.0, -1.0]
        """
        return float(self._deviations() @ other._deviations())

    def _deviations(self) -> Floats:
        """Return how far the mean of each level is off, so that the squares add up to η²."""
        n = self.counts.sum()
        if n == 0 or self.low >= self.high:
            return np.zeros(len(self.counts))
        mean = self.sums.sum() / n
        total = self.squares - n * mean**2
        sums = self.sums - mean * self.counts
        return np.asarray(sums / np.sqrt(_or_one(self.counts) * total))

    def ratio(self, *, corrected: bool) -> float:
        """η: the root of the share of a number's variance that lies between the levels.

        Corrected, that share is Kelley's ε². NaN where one of the two does not vary.

        >>> codes = np.array([0, 0, 1, 1], np.int32)
        >>> Grouped.of(codes, 2, np.array([1.0, 1.0, 3.0, 3.0])).ratio(corrected=False)
        1.0
        >>> Grouped.of(codes, 2, np.array([1.0, 3.0, 1.0, 3.0])).ratio(corrected=False)
        0.0
        """
        n, present = self.counts.sum().item(), np.count_nonzero(self.counts)
        if present < 2 or self.low >= self.high:
            return float("nan")
        mean = self.sums.sum() / n
        sums = self.sums - mean * self.counts
        between = float((sums**2 / _or_one(self.counts)).sum())
        share = between / (self.squares - n * mean**2)
        if corrected:
            share = 1.0 - (1.0 - share) * (n - 1) / (n - present) if n > present else 0.0
        return float(np.sqrt(np.clip(share, 0.0, 1.0)))


@dataclass(frozen=True, repr=False, eq=False)
class Crossed:
    """The cells of a table of two nominal columns that occur, and how many rows are in each.

    The cell of levels i and j has the number i * `others` + j.
    """

    others: int
    cells: Ints
    counts: Ints | Floats

    @classmethod
    def of(
        cls,
        one: ShortInts,
        levels: int,
        other: ShortInts,
        others: int,
        weights: Floats | None = None,
    ) -> Crossed:
        """Over the rows in which both have a value; weights as those of `Grouped`."""
        both = (one >= 0) & (other >= 0)
        if not both.all():
            one, other = one[both], other[both]
            weights = None if weights is None else weights[both]
        cells = one.astype(np.int64) * others + other
        return cls(others, *_table(cells, levels * others, weights))

    def __add__(self, other: Crossed) -> Crossed:
        cells, places = np.unique(np.append(self.cells, other.cells), return_inverse=True)
        both: Any = np.append(self.counts, other.counts)
        counts = np.zeros(len(cells), both.dtype)
        np.add.at(counts, places, both)
        return Crossed(self.others, cells, counts)

    @property
    def rows(self) -> int:
        """The rows in which both have a value."""
        return round(float(self.counts.sum()))

    @property
    def size(self) -> float:
        """Return what these rows count, by their weights."""
        total: float = self.counts.sum().item()
        return total

    @property
    def levels(self) -> tuple[int, int]:
        """The levels of either column that occur."""
        one, other = (len(np.unique(level)) for level in np.divmod(self.cells, self.others))
        return one, other

    def shared(self, other: Crossed) -> float:
        """The inner product of how far the cells of two tables are off what margins alone give.

        V² where they say the same; below 0 where cells are rare that were frequent. The sum goes
        over the cells that occur: those that do not follow from the margins.

        >>> one, other = np.array([0, 0, 1, 1], np.int32), np.array([1, 1, 0, 0], np.int32)
        >>> same = Crossed.of(one, 2, one, 2)
        >>> same.shared(same), same.shared(Crossed.of(one, 2, other, 2))
        (1.0, -1.0)
        """
        smaller = min(self.levels)
        if smaller < 2 or not other.size:
            return 0.0
        mine, theirs = self._margins(), other._margins()
        levels = [max(len(a), len(b)) for a, b in zip(mine, theirs, strict=True)]
        a, b = (
            [np.pad(side, (0, size - len(side))) for side, size in zip(sides, levels, strict=True)]
            for sides in (mine, theirs)
        )
        common, at, there = np.intersect1d(self.cells, other.cells, return_indices=True)
        first, second = np.divmod(common, self.others)
        scale = np.sqrt(a[0][first] * a[1][second] * b[0][first] * b[1][second])
        together = (self.counts[at] / self.size * (other.counts[there] / other.size) / scale).sum()
        alone = np.prod([np.sqrt(x * y).sum() for x, y in zip(a, b, strict=True)])
        return float(
            (together - self._expect(a, b) - other._expect(b, a) + alone) / (smaller - 1.0)
        )

    def _margins(self) -> list[Floats]:
        """The share of the rows that each level has, of either column."""
        levels = np.divmod(self.cells, self.others)
        return [np.bincount(level, self.counts) / (self.size or 1) for level in levels]

    def _expect(self, own: list[Floats], other: list[Floats]) -> float:
        """The inner product of the cells' shares with what the other's margins give."""
        first, second = np.divmod(self.cells, self.others)
        weights = other[0][first] / own[0][first] * (other[1][second] / own[1][second])
        return float((self.counts / self.size * np.sqrt(weights)).sum())

    def v(self, *, corrected: bool) -> float:
        """Cramér's V, corrected for its bias as Bergsma (2013) does if asked.

        NaN where one of the two does not vary.

        >>> one = np.array([0, 0, 1, 1], np.int32)
        >>> Crossed.of(one, 2, one, 2).v(corrected=False)
        1.0
        >>> Crossed.of(one, 2, np.array([0, 1, 0, 1], np.int32), 2).v(corrected=False)
        0.0
        """
        first, second = np.divmod(self.cells, self.others)
        rows, columns = (np.bincount(level, self.counts) for level in (first, second))
        r, c, n = np.count_nonzero(rows), np.count_nonzero(columns), self.size
        if min(r, c) < 2:
            return float("nan")
        expected = rows[first] * columns[second]
        phi = max(float((self.counts.astype(np.float64) ** 2 / expected).sum()) - 1.0, 0.0)
        smaller = float(min(r, c))
        if corrected:
            phi = max(phi - (r - 1.0) * (c - 1.0) / (n - 1.0), 0.0)
            smaller = min(side - (side - 1.0) ** 2 / (n - 1.0) for side in (r, c))
        if smaller <= 1.0:
            return 0.0
        return float(np.sqrt(min(phi / (smaller - 1.0), 1.0)))


def _table(cells: Ints, size: int, weights: Floats | None) -> tuple[Ints, Ints | Floats]:
    """The cells that occur, and how often, or with what weight."""
    if size > ROOMY * len(cells):
        if weights is None:
            return np.unique(cells, return_counts=True)
        levels, places = np.unique(cells, return_inverse=True)
        return levels, np.bincount(places, weights, minlength=len(levels))
    counts: Ints | Floats = np.bincount(cells, weights, minlength=size)
    levels = np.flatnonzero(counts)
    return levels, counts[levels]


def _or_one(counts: Ints | Floats) -> Ints | Floats:
    """Counts to divide by: 1 where there is nothing."""
    return np.where(counts > 0, counts, 1)
