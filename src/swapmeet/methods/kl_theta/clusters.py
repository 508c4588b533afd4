"""The clusters: what the distance and the conditions need to know of each, and their distance.

A row is a cluster of one. To the distance of two clusters, a numeric key adds weight · n₁n₂/(n₁+n₂)
· (mean₁ - mean₂)², a nominal key its cost unless both clusters have the same set of values. Sets
are compared by their marks: the sum of the marks of their values.

Sums are taken in one order everywhere and rounding keeps the order of results, so the distance to a
box that holds a cluster is never above the distance to the cluster itself. Both are innermost calls
and therefore take plain arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.methods.kl_theta.pool import DistinctRows


class Clusters(NamedTuple):
    """Facts about each cluster; its rows are a chain.

    - `mean` of the numeric keys and sum of the `marks` of the nominal ones, each mark once.
    - `size`, the number of rows; `last`, the last row of the chain; `before`, for each row the one
      before it in its chain; -1 where there is none.
    - `peak`, the count of the most frequent value in each sensitive column.
    """

    mean: Floats
    marks: Ints
    size: Ints
    last: Ints
    before: Ints
    peak: Ints


def empty_clusters(distinct: DistinctRows, room: int) -> Clusters:
    """Room for this many clusters."""
    d, c, m = distinct.numbers.shape[1], distinct.marks.shape[1], distinct.codes.shape[1]
    return Clusters(
        np.zeros((room, d)),
        np.zeros((room, c), np.int64),
        np.zeros(room, np.int64),
        np.full(room, -1),
        np.full(len(distinct.of_row), -1),
        np.zeros((room, m), np.int64),
    )


def labels_of(clusters: Clusters, count: int) -> Ints:
    """The cluster of each row, -1 for rows in none."""
    return _labels(count, clusters.last, clusters.before)


@kernel
def _labels(count: int, last: Ints, before: Ints) -> Ints:
    labels = np.full(before.shape[0], -1)
    for cluster in range(count):
        row = last[cluster]
        while row >= 0:
            labels[row] = cluster
            row = before[row]
    return labels


@kernel
def add(cluster: int, row: int, distinct: DistinctRows, clusters: Clusters) -> None:
    """Add a row to a cluster, which may be empty; `peak` is left to the caller."""
    numbers, mean = distinct.numbers, clusters.mean
    slot, n = distinct.of_row[row], clusters.size[cluster]
    for j in range(mean.shape[1]):
        mean[cluster, j] = (mean[cluster, j] * n + numbers[slot, j]) / (n + 1)
    clusters.size[cluster] = n + 1
    _chain(cluster, row, distinct.marks, distinct.of_row, clusters.marks, clusters.last,
           clusters.before)  # fmt: skip


@kernel
def unite(cluster: int, other: int, distinct: DistinctRows, clusters: Clusters) -> None:
    """Move all rows of another cluster into this one; `peak` is left to the caller."""
    slot_marks, of_row = distinct.marks, distinct.of_row
    mean, marks, size = clusters.mean, clusters.marks, clusters.size
    last, before = clusters.last, clusters.before
    n, more = size[cluster], size[other]
    for j in range(mean.shape[1]):
        mean[cluster, j] = (mean[cluster, j] * n + mean[other, j] * more) / (n + more)
    size[cluster], size[other] = n + more, 0
    row = last[other]
    last[other] = -1
    while row >= 0:
        following = before[row]
        _chain(cluster, row, slot_marks, of_row, marks, last, before)
        row = following


@kernel
def _chain(
    cluster: int, row: int, slot_marks: Ints, of_row: Ints, marks: Ints, last: Ints, before: Ints
) -> None:
    """Put a row at the end of a cluster's chain, and add its marks that are new to the cluster.

    A mark of one bit is added by `|`; for others the chain is searched.
    """
    for j in range(marks.shape[1]):
        mark = slot_marks[of_row[row], j]
        if mark & (mark - 1) == 0:
            marks[cluster, j] |= mark
        elif not _has_mark(mark, j, last[cluster], slot_marks, of_row, before):
            marks[cluster, j] += mark
    before[row] = last[cluster]
    last[cluster] = row


@kernel
def _has_mark(mark: int, j: int, row: int, slot_marks: Ints, of_row: Ints, before: Ints) -> bool:
    """Return whether a row of this chain has a mark."""
    while row >= 0:
        if slot_marks[of_row[row], j] == mark:
            return True
        row = before[row]
    return False


@kernel
def count_value(value: int, j: int, row: int, codes: Ints, of_row: Ints, before: Ints) -> int:
    """Count the rows of a chain that have a value."""
    count = 0
    while row >= 0:
        if codes[of_row[row], j] == value:
            count += 1
        row = before[row]
    return count


SPREAD = -7046029254386353131
"""An odd number without pattern: the golden ratio in 64 bits."""


class KeyMetric(NamedTuple):
    """The weight of each numeric key, and the cost of each nominal key."""

    weights: Floats
    costs: Floats


@kernel
def bit_of(mark: int) -> int:
    """One of 64 bits, which stands for a mark in a summary of many."""
    return 1 << (((mark * SPREAD) >> 58) & 63)


@kernel
def pull(one: int, other: int) -> float:
    """n₁n₂/(n₁+n₂): how much the sizes of two clusters weigh."""
    return float(one) * float(other) / (float(one) + float(other))


@kernel
def distance(
    mean: Floats, marks: Ints, means: Floats, markses: Ints, at: int, factor: float,
    weights: Floats, costs: Floats,
) -> float:  # fmt: skip
    """From a cluster to the one in row `at` of a table of clusters."""
    total = 0.0
    for j in range(weights.shape[0]):
        gap = mean[j] - means[at, j]
        total += weights[j] * (factor * (gap * gap))
    for j in range(costs.shape[0]):
        if marks[j] != markses[at, j]:
            total += costs[j]
    return total


@kernel
def distance_to_box(
    mean: Floats, marks: Ints, box: Floats, seen: Ints, node: int, factor: float,
    weights: Floats, costs: Floats,
) -> float:  # fmt: skip
    """A lower bound: from a cluster to the nearest that a node of a tree may hold."""
    total = 0.0
    for j in range(weights.shape[0]):
        gap = max(box[node, 2 * j] - mean[j], mean[j] - box[node, 2 * j + 1], 0.0)
        total += weights[j] * (factor * (gap * gap))
    for j in range(costs.shape[0]):
        if seen[node, j] & bit_of(marks[j]) == 0:
            total += costs[j]
    return total
