"""Points of a mixed space: weighted numeric dimensions and nominal columns with costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints, ShortInts


@dataclass(frozen=True, repr=False)
class Points:
    """Rows as points, column by column.

    `numbers` is (dimensions, n). `codes` is (nominal columns, n): levels from 0. Two rows whose
    levels a and b of column t differ are `costs[t, a] + costs[t, b]` apart, squared: the distance
    of their one-hot vectors, which are never made.
    """

    numbers: Floats
    codes: ShortInts
    costs: Floats
    levels: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<Points: {self.n} rows, {len(self.numbers)} numeric, {len(self.codes)} nominal>"

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.numbers.shape[1])

    @cached_property
    def least(self) -> Floats:
        """The lowest cost of a level, for each nominal column."""
        return np.array([min(costs) for costs in self._used()], dtype=np.float64)

    @cached_property
    def most(self) -> Floats:
        """The highest cost of a level, for each nominal column."""
        return np.array([max(costs) for costs in self._used()], dtype=np.float64)

    @cached_property
    def limits(self) -> Floats:
        """The lowest and the highest cost of a level, for each nominal column."""
        return np.stack([self.least, self.most], axis=1)

    def _used(self) -> list[list[float]]:
        pairs = zip(self.costs, self.levels, strict=True)
        return [costs[:count].tolist() for costs, count in pairs]

    def of(self, rows: Ints) -> Points:
        """Only these rows, in this order."""
        numbers, codes = self.numbers.take(rows, axis=1), self.codes.take(rows, axis=1)
        return replace(self, numbers=numbers, codes=codes)

    def squared_distances(self, other: Points) -> Floats:
        """From each row to the same row of other points of this space."""
        away = ((self.numbers - other.numbers) ** 2).sum(axis=0)
        for one, two, costs in zip(self.codes, other.codes, self.costs, strict=True):
            away += np.where(one == two, 0.0, costs[one] + costs[two])
        return np.asarray(away)

    def separate_groups(self, groups: ShortInts) -> Points:
        """The same points with walls: rows of different `groups` (codes) are infinitely apart."""
        count = int(groups.max(initial=0)) + 1
        width = max(self.costs.shape[1], count)
        costs = np.zeros((len(self.codes) + 1, width))
        costs[:-1, : self.costs.shape[1]] = self.costs
        costs[-1] = np.inf
        codes = np.concatenate([self.codes, groups[np.newaxis].astype(np.int32)])
        return replace(self, codes=codes, costs=costs, levels=(*self.levels, count))
