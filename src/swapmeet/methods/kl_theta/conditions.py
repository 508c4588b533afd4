"""The three conditions on a cluster: K rows, L distinct values, none in more than θ of the rows.

With several sensitive columns, L and θ hold for each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.base.sentences import percent
from swapmeet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.base.arrays import Ints, ShortInts
    from swapmeet.methods.kl_theta.sensitive import SensitiveCodes

LARGEST = 1 << 52
"""Beyond this size, clusters are reckoned with as if they were of it."""


class Conditions(NamedTuple):
    """At least `k` rows and `diversity` distinct values, each in at most `theta` of the rows."""

    k: int
    diversity: int
    theta: float

    def most(self, size: int) -> int:
        """Return how often a value may occur in a cluster of this size.

        >>> Conditions(10, 5, 0.3).most(10), Conditions(10, 5, 0.29).most(100)
        (3, 29)
        """
        most = int(self.theta * min(size, LARGEST)) + 1
        while most / min(size, LARGEST) > self.theta:
            most -= 1
        return most

    def list_conflicts(self) -> Iterator[str]:
        """List the reasons why no cluster of any table can satisfy the conditions."""
        if self.theta < 1 / self.diversity:
            yield (
                f"`theta` must be at least 1/`l`; got theta = {self.theta:g} and "
                f"l = {self.diversity}. Raise `theta` to {1 / self.diversity:.3g}, or raise `l`."
            )
        if self.most(self.k) < 1:
            yield (
                f"`theta` times `k` must be at least 1; got theta = {self.theta:g} and "
                f"k = {self.k}: a cluster of k rows could hold no value even once. Raise one."
            )

    def refuse_conflicts(self, method: str) -> None:
        """Refuse conditions that no table can satisfy, on behalf of a method."""
        conflicts = [f"{method}: {conflict}" for conflict in self.list_conflicts()]
        if conflicts:
            raise ParameterError("\n".join(conflicts))

    def target(self, values: SensitiveCodes) -> int:
        """The least size, from K up, at which all rows fit into clusters of this size.

        θ must leave room for the most frequent value, and there must be L values for each cluster.
        """
        n = len(values.codes)
        counts = np.split(np.bincount(values.codes.ravel()), values.ranges[1:-1])
        clusters = min(_most_clusters(column, self.diversity) for column in counts)
        share = max(int(column.max()) for column in counts) / n
        least = max(self.k, self.diversity, -(-n // clusters))
        sizes = range(least, 4 * least + 1)
        roomiest = max(sizes, key=lambda size: min(self.most(size) / size, share))
        return min(roomiest, n)

    def obstacles(
        self, names: tuple[str, ...], values: SensitiveCodes, strata: ShortInts
    ) -> Iterator[str]:
        """List why no partition of the rows of each stratum can satisfy the conditions."""
        sizes = np.bincount(strata)
        several = len(sizes) > 1
        if sizes.min() < self.k:
            small = int((sizes < self.k).sum())
            where = f"{small} of {len(sizes)} strata have as few as" if several else "the table has"
            remedy = "Lower `k`, or merge strata." if several else "Lower `k`."
            yield f"{where} {sizes.min()} rows; `k` = {self.k} needs at least as many. {remedy}"
        within = " in one of the strata" if several else ""
        for name, column in zip(names, values.codes.T, strict=True):
            fewest, highest, rows = _extremes(column, strata, sizes)
            if fewest < self.diversity:
                yield (
                    f"column {name!r} has {fewest} distinct values{within}; `l` = {self.diversity} "
                    "needs at least as many. Lower `l`, or give the column another role."
                )
            if highest / rows > self.theta:
                least = -(-highest * 10_000 // rows) / 10_000
                yield (
                    f"column {name!r}: one value has {percent(highest / rows)} of the rows"
                    f"{within}, more than `theta` = {self.theta:g} allows in every cluster. The "
                    f"least `theta` that can be met is {least:g}."
                )


def _extremes(column: Ints, strata: ShortInts, sizes: Ints) -> tuple[int, int, int]:
    """The fewest distinct values of a stratum, the highest count of one value, and the rows there.

    The count is the highest relative to the rows of its stratum.
    """
    width = int(column.max()) + 1
    cells, counts = np.unique(strata.astype(np.int64) * width + column, return_counts=True)
    stratum = cells // width
    begins = np.flatnonzero(np.diff(stratum, prepend=-1))
    highest = np.maximum.reduceat(counts, begins)
    worst = int(np.argmax(highest / sizes))
    return int(np.bincount(stratum).min()), int(highest[worst]), int(sizes[worst])


def _most_clusters(counts: Ints, diversity: int) -> int:
    """Count the clusters that can have L distinct values each, if the values occur this often."""
    low, high = 1, int(counts.sum())
    while low < high:
        middle = (low + high + 1) // 2
        if np.minimum(counts, middle).sum() >= diversity * middle:
            low = middle
        else:
            high = middle - 1
    return low
