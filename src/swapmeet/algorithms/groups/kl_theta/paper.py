"""The K-L-θ clusters of the paper (section 3.1): the partition of its algorithm, by indexes.

The rules that the text leaves open are those of the author's program. Rows are taken in order and
ties go to the first; the backup queue is emptied from its end; a cluster is open to a row if it has
fewer than K rows and either the value is new to it or the count of its most frequent value, with
the row, is less than θ of its size without the row; rows to which no cluster is open start another
round, in the order in which they were refused; each cluster that breaks a condition is merged at
most once. With several sensitive columns, a growing cluster takes the rows that bring a new value
to a column that lacks some, and a cluster is open to a row if it is so in every column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.kl_theta.cluster_check import check_clusters
from swapmeet.algorithms.groups.kl_theta.clusters import add, labels_of, no_clusters
from swapmeet.algorithms.groups.kl_theta.distance import distance, pull
from swapmeet.algorithms.groups.kl_theta.homes import (
    LITERAL,
    Homes,
    homes_for,
    place,
    settle,
    take_stock,
)
from swapmeet.algorithms.groups.kl_theta.merge import merge
from swapmeet.algorithms.groups.kl_theta.pool import (
    drain,
    empty_pool,
    nearest_free,
    put,
    slot_of_first,
    take,
)
from swapmeet.algorithms.groups.kl_theta.slots import slots_of
from swapmeet.algorithms.groups.kl_theta.tree import DEEP, NEVER, flat
from swapmeet.core.base.jit import Floats, Ints, kernel
from swapmeet.core.base.parallel import ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.algorithms.groups.kl_theta.conditions import Conditions
    from swapmeet.algorithms.groups.kl_theta.keys import EncodedKeys
    from swapmeet.algorithms.groups.kl_theta.sensitive import SensitiveCodes

BATCH = 1_000
ROWS = 20_000
MADE, QUEUED, JOINED = 0, 1, 2


def form_paper_clusters(
    keys: EncodedKeys, values: SensitiveCodes, conditions: Conditions, report: Callable[[int], None]
) -> Ints:
    """The cluster of each row, -1 where the paper's algorithm leaves a condition broken.

    `report` is told how many rows are in clusters.
    """
    run = _Run(keys, values, conditions, report)
    left = np.arange(len(values.codes))
    while len(left):
        queue = run.grow(left)
        left = run.place(queue[::-1])
    run.merge()
    labels = labels_of(run.clusters, run.made)
    return np.where(check_clusters(labels, values, conditions)[labels], labels, -1)


class _Run:
    """What the steps of the algorithm share."""

    def __init__(
        self,
        keys: EncodedKeys,
        values: SensitiveCodes,
        conditions: Conditions,
        report: Callable[[int], None],
    ) -> None:
        n, m = values.codes.shape
        self.keys, self.conditions, self.report = keys, conditions, report
        self.metric = (keys.weights, keys.costs)
        self.slots, leaves = slots_of(keys, values.codes)
        self.pool = empty_pool(self.slots, leaves)
        self.clusters = no_clusters(self.slots, n)
        self.began = np.empty(n, np.int64)
        self.homes: Homes | None = None
        self.made = self.joined = 0
        self.counts = np.zeros(values.ranges[-1], np.int64)
        self.stock = (values.in_column, self.counts)
        self.anything = (np.zeros_like(self.counts), np.ones((m, 2), np.int64), np.full(m, -1))
        self.desk = (np.empty(DEEP, np.int64), np.empty(DEEP))

    def grow(self, left: Ints) -> Ints:
        """Steps 1 and 2: clusters of L distinct values from these rows; the queue of the others."""
        put(left, *flat(self.slots, self.pool))
        queue = np.empty(len(left), np.int64)
        state = np.array([self.made, 0, 0])
        tables = flat(self.metric, self.stock, self.anything, self.slots, self.pool,
                      self.clusters[:5], (self.began,), self.desk)  # fmt: skip
        while self.pool.least[1] < NEVER:
            if _grow(BATCH, self.conditions.diversity, NEVER, state, queue, *tables):
                self._queue_the_rest(left, queue, state)
            self.report(self.joined + int(state[JOINED]))
        self._settle(int(state[MADE]))
        self.joined += int(state[JOINED])
        return queue[: state[QUEUED]]

    def _queue_the_rest(self, left: Ints, queue: Ints, state: Ints) -> None:
        """If no free row brings what the last cluster lacks, all join the queue, nearest first."""
        rows = left[self.pool.rank[left] >= 0]
        away = _distances(state[MADE] - 1, rows, *flat(self.metric, self.slots, self.clusters[:3]))
        begin = state[QUEUED]
        queue[begin : begin + len(rows)] = rows[np.argsort(away, kind="stable")]
        state[QUEUED] += len(rows)
        drain(rows, *flat(self.slots, self.pool))

    def _settle(self, count: int) -> None:
        """Give new clusters a home; after the first round, next to an older one that began near."""
        if self.homes is None:
            self.homes = homes_for(self.clusters, count, self.keys)
            self.older = np.argsort(self.began[:count], kind="stable")
        else:
            near = np.searchsorted(self.began[self.older[:-1]], self.began[self.made : count])
            self.homes.leaf[self.made : count] = self.homes.leaf[self.older[near]]
        tables = flat(self.stock, self.slots[2:], self.clusters[2:], (self.homes.open,))
        take_stock(self.made, count, self.conditions.theta, LITERAL, *tables)
        settle(self.made, count, self.conditions.k, *flat(self.clusters[:3], self.homes))
        self.made = count

    def place(self, queue: Ints) -> Ints:
        """Step 3: let the rows join open clusters; return those to which none is open."""
        assert self.homes is not None
        tables = flat(self.stock, self.metric, self.slots, self.clusters, self.homes, self.desk)
        left = [queue[:0]]
        for begin, end in ranges(len(queue), ROWS):
            rows = np.ascontiguousarray(queue[begin:end])
            k, theta = self.conditions.k, self.conditions.theta
            left.append(place(rows, k, theta, LITERAL, NEVER, *tables))
            self.joined += len(rows) - len(left[-1])
            self.report(self.joined)
        return np.concatenate(left)

    def merge(self) -> None:
        """Step 5: merge clusters that break a condition."""
        homes = homes_for(self.clusters, self.made, self.keys)
        settle(0, self.made, NEVER, *flat(self.clusters[:3], homes))
        wish = (self.conditions.k, self.conditions.diversity, self.conditions.theta)
        tables = flat((self.counts,), self.metric, self.slots[1:], self.clusters[:5], homes,
                      self.desk)  # fmt: skip
        for begin, end in ranges(self.made, BATCH):
            merge(begin, end, NEVER, *wish, *tables)


@kernel
def _grow(
    limit: int, diversity: int, most: int, state: Ints, queue: Ints, weights: Floats,
    costs: Floats, in_column: Ints, counts: Ints, quota: Ints, rules: Ints, wanted: Ints,
    numbers: Floats, slot_marks: Ints, codes: Ints, of_row: Ints,
    first: Ints, following: Ints, rank: Ints, turn: Ints, box: Floats, seen: Ints, least: Ints,
    mean: Floats, marks: Ints, size: Ints, last: Ints, before: Ints,
    began: Ints, todo: Ints, bounds: Floats,
) -> bool:  # fmt: skip
    """Make at most `limit` clusters; stop when no free row brings what the last one lacks."""
    distinct = np.zeros(codes.shape[1], np.int64)
    while limit > 0 and least[1] < NEVER:
        limit -= 1
        cluster = state[MADE]
        state[MADE] += 1
        slot = slot_of_first(turn, least)
        began[cluster] = slot
        stopped = False
        while True:
            row = take(slot, numbers, slot_marks, codes, first, following, rank, turn, box, seen,
                       least)  # fmt: skip
            if _helps(slot, diversity, distinct, counts, codes):
                add(cluster, row, numbers, slot_marks, of_row, mean, marks, size, last, before)
                _count(slot, distinct, counts, codes)
                state[JOINED] += 1
                stopped = _is_stopped(diversity, distinct, in_column, last[cluster], codes, of_row,
                                      before, seen, costs.shape[0])  # fmt: skip
            else:
                queue[state[QUEUED]] = row
                state[QUEUED] += 1
            if stopped or least[1] == NEVER or _lacks_nothing(diversity, distinct):
                break
            slot = nearest_free(mean[cluster], marks[cluster], size[cluster], weights, costs,
                                counts, quota, rules, wanted, most, numbers, slot_marks, codes,
                                turn, box, seen, least, todo, bounds)  # fmt: skip
        _forget(last[cluster], distinct, counts, codes, of_row, before)
        if stopped:
            return True
    return False


@kernel
def _helps(slot: int, diversity: int, distinct: Ints, counts: Ints, codes: Ints) -> bool:
    """Whether a row of this slot brings a new value to a column that lacks some."""
    for j in range(codes.shape[1]):
        if distinct[j] < diversity and counts[codes[slot, j]] == 0:
            return True
    return False


@kernel
def _count(slot: int, distinct: Ints, counts: Ints, codes: Ints) -> None:
    for j in range(codes.shape[1]):
        counts[codes[slot, j]] += 1
        distinct[j] += counts[codes[slot, j]] == 1


@kernel
def _forget(
    row: int, distinct: Ints, counts: Ints, codes: Ints, of_row: Ints, before: Ints
) -> None:
    for j in range(codes.shape[1]):
        distinct[j] = 0
    while row >= 0:
        for j in range(codes.shape[1]):
            counts[codes[of_row[row], j]] = 0
        row = before[row]


@kernel
def _lacks_nothing(diversity: int, distinct: Ints) -> bool:
    for kinds in distinct:  # noqa: SIM110
        if kinds < diversity:
            return False
    return True


@kernel
def _is_stopped(
    diversity: int, distinct: Ints, in_column: Ints, last: int, codes: Ints, of_row: Ints,
    before: Ints, seen: Ints, c: int,
) -> bool:  # fmt: skip
    """Whether a cluster lacks values and no free row brings one, as far as bits can tell."""
    lacking = False
    for j in range(codes.shape[1]):
        if distinct[j] >= diversity:
            continue
        if in_column[j] > 64:
            return False
        lacking = True
        has, row = 0, last
        while row >= 0:
            has |= 1 << (codes[of_row[row], j] & 63)
            row = before[row]
        if seen[1, c + j] & ~has != 0:
            return False
    return lacking


@kernel
def _distances(
    cluster: int, rows: Ints, weights: Floats, costs: Floats,
    numbers: Floats, slot_marks: Ints, codes: Ints, of_row: Ints,  # noqa: ARG001
    mean: Floats, marks: Ints, size: Ints,
) -> Floats:  # fmt: skip
    away = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        away[i] = distance(mean[cluster], marks[cluster], numbers, slot_marks, of_row[rows[i]],
                           pull(size[cluster], 1), weights, costs)  # fmt: skip
    return away
