"""The clusters: what the distance and the conditions need to know of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.core.base.jit import Floats, Ints, kernel

if TYPE_CHECKING:
    from swapmeet.algorithms.groups.kl_theta.slots import Slots


class Clusters(NamedTuple):
    """Mean and marks of each cluster, its size, and its rows as a chain: the last one, then others.

    `peak` is the count of the most frequent value in each sensitive column.
    """

    mean: Floats
    marks: Ints
    size: Ints
    last: Ints
    before: Ints
    peak: Ints


def no_clusters(slots: Slots, room: int) -> Clusters:
    """Room for so many clusters."""
    d, c, m = slots.numbers.shape[1], slots.marks.shape[1], slots.codes.shape[1]
    return Clusters(
        np.zeros((room, d)),
        np.zeros((room, c), np.int64),
        np.zeros(room, np.int64),
        np.full(room, -1),
        np.full(len(slots.of_row), -1),
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
def add(
    cluster: int, row: int, numbers: Floats, slot_marks: Ints, of_row: Ints,
    mean: Floats, marks: Ints, size: Ints, last: Ints, before: Ints,
) -> None:  # fmt: skip
    """Add a row to a cluster, which may be empty; `peak` is left to the caller."""
    slot, n = of_row[row], size[cluster]
    for j in range(mean.shape[1]):
        mean[cluster, j] = (mean[cluster, j] * n + numbers[slot, j]) / (n + 1)
    size[cluster] = n + 1
    _chain(cluster, row, slot_marks, of_row, marks, last, before)


@kernel
def unite(
    cluster: int, other: int, slot_marks: Ints, of_row: Ints,
    mean: Floats, marks: Ints, size: Ints, last: Ints, before: Ints,
) -> None:  # fmt: skip
    """Move all rows of another cluster into this one; `peak` is left to the caller."""
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
    """Put a row at the end of a cluster's chain, and its marks, where new, to the cluster's."""
    for j in range(marks.shape[1]):
        mark = slot_marks[of_row[row], j]
        if mark & (mark - 1) == 0:
            marks[cluster, j] |= mark
        elif not _marked(mark, j, last[cluster], slot_marks, of_row, before):
            marks[cluster, j] += mark
    before[row] = last[cluster]
    last[cluster] = row


@kernel
def _marked(mark: int, j: int, row: int, slot_marks: Ints, of_row: Ints, before: Ints) -> bool:
    """Whether a row of this chain has the mark."""
    while row >= 0:
        if slot_marks[of_row[row], j] == mark:
            return True
        row = before[row]
    return False


@kernel
def count_of(value: int, j: int, row: int, codes: Ints, of_row: Ints, before: Ints) -> int:
    """How many rows of this chain have a value."""
    count = 0
    while row >= 0:
        if codes[of_row[row], j] == value:
            count += 1
        row = before[row]
    return count
