"""The K-L-θ clusters of the paper (section 3.1): the partition of its algorithm, found by trees.

The rules that the text leaves open are those of the author's program. Rows are taken in order and
ties go to the first; the backup queue is emptied from its end; a cluster is open to a row if it has
fewer than K rows and either the value is new to it or the count of its most frequent value, with
the row, is less than θ of its size without the row; rows to which no cluster is open start another
round, in the order in which they were refused; each cluster that breaks a condition is merged at
most once. With several sensitive columns, a growing cluster takes the rows that bring a new value
to a column that lacks some, and a cluster is open to a row if it is so in every column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import ranges
from swapmeet.methods.kl_theta.clusters import (
    Clusters,
    KeyMetric,
    add,
    distance,
    empty_clusters,
    labels_of,
    pull,
)
from swapmeet.methods.kl_theta.conditions import Conditions, EncodedKeys, SensitiveCodes
from swapmeet.methods.kl_theta.joining import LITERAL, JoinRule, count_values, join_rows, merge
from swapmeet.methods.kl_theta.pool import (
    DistinctRows,
    FreeRows,
    Permit,
    drain,
    empty_pool,
    find_distinct_rows,
    nearest_free,
    put,
    slot_of_first,
    take,
)
from swapmeet.methods.kl_theta.tree import (
    NEVER,
    ClusterTree,
    SearchStack,
    empty_stack,
    insert,
    plant,
)

BATCH = 1_000
ROWS = 20_000
MADE, QUEUED, JOINED = 0, 1, 2
"""Counts in `state`: clusters made, rows in the queue, rows in clusters."""


def form_paper_clusters(
    keys: EncodedKeys, values: SensitiveCodes, conditions: Conditions, report: Callable[[int], None]
) -> Ints:
    """The cluster of each row, -1 where the paper's algorithm leaves a condition broken.

    `report` is called with the number of rows in clusters.
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
    """State that the steps of the algorithm share."""

    def __init__(
        self,
        keys: EncodedKeys,
        values: SensitiveCodes,
        conditions: Conditions,
        report: Callable[[int], None],
    ) -> None:
        n, m = values.codes.shape
        self.keys, self.conditions, self.report = keys, conditions, report
        self.metric = KeyMetric(keys.weights, keys.costs)
        self.distinct, leaves = find_distinct_rows(keys, values.codes)
        self.pool = empty_pool(self.distinct, leaves)
        self.clusters = empty_clusters(self.distinct, n)
        self.began = np.empty(n, np.int64)
        self.tree: ClusterTree | None = None
        self.made = self.joined = 0
        counts = np.zeros(values.ranges[-1], np.int64)
        self.rule = JoinRule(conditions.theta, LITERAL, values.in_column, counts)
        self.anything = Permit(
            counts, np.zeros_like(counts), np.ones((m, 2), np.int64), np.full(m, -1), NEVER
        )
        self.stack = empty_stack()

    def grow(self, left: Ints) -> Ints:
        """Steps 1 and 2: clusters of L distinct values from these rows; the queue of the others."""
        put(left, self.distinct, self.pool)
        queue = np.empty(len(left), np.int64)
        state = np.array([self.made, 0, 0])
        while self.pool.least[1] < NEVER:
            if _grow(BATCH, self.conditions.diversity, state, queue, self.began,
                     self.rule.in_column, self.anything, self.metric, self.distinct, self.pool,
                     self.clusters, self.stack):  # fmt: skip
                self._queue_the_rest(left, queue, state)
            self.report(self.joined + int(state[JOINED]))
        self._insert(int(state[MADE]))
        self.joined += int(state[JOINED])
        return queue[: state[QUEUED]]

    def _queue_the_rest(self, left: Ints, queue: Ints, state: Ints) -> None:
        """If no free row brings what the last cluster lacks, all join the queue, nearest first."""
        rows = left[self.pool.rank[left] >= 0]
        away = _distances(state[MADE] - 1, rows, self.metric, self.distinct, self.clusters)
        begin = state[QUEUED]
        queue[begin : begin + len(rows)] = rows[np.argsort(away, kind="stable")]
        state[QUEUED] += len(rows)
        drain(rows, self.distinct, self.pool)

    def _insert(self, count: int) -> None:
        """Insert new clusters into the tree; after the first round, beside one that began near."""
        if self.tree is None:
            self.tree = plant(self.clusters, count, self.keys)
            self.older = np.argsort(self.began[:count], kind="stable")
        else:
            near = np.searchsorted(self.began[self.older[:-1]], self.began[self.made : count])
            self.tree.leaf[self.made : count] = self.tree.leaf[self.older[near]]
        count_values(self.made, count, self.rule, self.distinct, self.clusters, self.tree.open)
        insert(self.made, count, self.conditions.k, self.clusters, self.tree)
        self.made = count

    def place(self, queue: Ints) -> Ints:
        """Step 3: let the rows join open clusters; return those to which none is open."""
        assert self.tree is not None
        left = [queue[:0]]
        for begin, end in ranges(len(queue), ROWS):
            rows = np.ascontiguousarray(queue[begin:end])
            refused = join_rows(rows, self.conditions.k, NEVER, self.rule, self.metric,
                                self.distinct, self.clusters, self.tree, self.stack)  # fmt: skip
            left.append(refused)
            self.joined += len(rows) - len(refused)
            self.report(self.joined)
        return np.concatenate(left)

    def merge(self) -> None:
        """Step 5: merge clusters that break a condition."""
        tree = plant(self.clusters, self.made, self.keys)
        insert(0, self.made, NEVER, self.clusters, tree)
        for begin, end in ranges(self.made, BATCH):
            merge(begin, end, NEVER, self.conditions, self.rule.counts, self.metric, self.distinct,
                  self.clusters, tree, self.stack)  # fmt: skip


@kernel
def _grow(
    limit: int, diversity: int, state: Ints, queue: Ints, began: Ints, in_column: Ints,
    permit: Permit, metric: KeyMetric, distinct: DistinctRows, pool: FreeRows, clusters: Clusters,
    stack: SearchStack,
) -> bool:  # fmt: skip
    """Make at most `limit` clusters; stop when no free row brings what the last one lacks.

    `kinds` is the number of distinct values of the cluster in each sensitive column, and `counts`
    how often it has each value; both are 0 between clusters.
    """
    counts, codes, of_row = permit.counts, distinct.codes, distinct.of_row
    mean, marks, size = clusters.mean, clusters.marks, clusters.size
    last, before, seen, least = clusters.last, clusters.before, pool.seen, pool.least
    kinds, c = np.zeros(codes.shape[1], np.int64), metric.costs.shape[0]
    while limit > 0 and least[1] < NEVER:
        limit -= 1
        cluster = state[MADE]
        state[MADE] += 1
        slot = slot_of_first(pool)
        began[cluster] = slot
        stopped = False
        while True:
            row = take(slot, distinct, pool)
            if _helps(slot, diversity, kinds, counts, codes):
                add(cluster, row, distinct, clusters)
                _count(slot, kinds, counts, codes)
                state[JOINED] += 1
                stopped = _is_stopped(diversity, kinds, in_column, last[cluster], codes, of_row,
                                      before, seen, c)  # fmt: skip
            else:
                queue[state[QUEUED]] = row
                state[QUEUED] += 1
            if stopped or least[1] == NEVER or _lacks_nothing(diversity, kinds):
                break
            slot = nearest_free(mean[cluster], marks[cluster], size[cluster], metric, permit,
                                distinct, pool, stack)  # fmt: skip
        _forget(last[cluster], kinds, counts, codes, of_row, before)
        if stopped:
            return True
    return False


@kernel
def _helps(slot: int, diversity: int, kinds: Ints, counts: Ints, codes: Ints) -> bool:
    """Return whether a row of this slot brings a new value to a column that lacks some."""
    for j in range(codes.shape[1]):  # noqa: SIM110
        if kinds[j] < diversity and counts[codes[slot, j]] == 0:
            return True
    return False


@kernel
def _count(slot: int, kinds: Ints, counts: Ints, codes: Ints) -> None:
    for j in range(codes.shape[1]):
        counts[codes[slot, j]] += 1
        kinds[j] += counts[codes[slot, j]] == 1


@kernel
def _forget(row: int, kinds: Ints, counts: Ints, codes: Ints, of_row: Ints, before: Ints) -> None:
    for j in range(codes.shape[1]):
        kinds[j] = 0
    while row >= 0:
        for j in range(codes.shape[1]):
            counts[codes[of_row[row], j]] = 0
        row = before[row]


@kernel
def _lacks_nothing(diversity: int, kinds: Ints) -> bool:
    for count in kinds:  # noqa: SIM110
        if count < diversity:
            return False
    return True


@kernel
def _is_stopped(
    diversity: int, kinds: Ints, in_column: Ints, last: int, codes: Ints, of_row: Ints,
    before: Ints, seen: Ints, c: int,
) -> bool:  # fmt: skip
    """Return whether a cluster lacks values and no free row brings one, as far as bits can tell."""
    lacking = False
    for j in range(codes.shape[1]):
        if kinds[j] >= diversity:
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
    cluster: int, rows: Ints, metric: KeyMetric, distinct: DistinctRows, clusters: Clusters
) -> Floats:
    mean, marks, size = clusters.mean[cluster], clusters.marks[cluster], clusters.size[cluster]
    numbers, of_row, weights, costs = (
        distinct.numbers, distinct.of_row, metric.weights, metric.costs,
    )  # fmt: skip
    away = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        away[i] = distance(mean, marks, numbers, distinct.marks, of_row[rows[i]], pull(size, 1),
                           weights, costs)  # fmt: skip
    return away


def check_clusters(labels: Ints, values: SensitiveCodes, conditions: Conditions) -> Flags:
    """For each cluster, whether it satisfies all conditions; one without rows does not."""
    flags: Flags = _check_each(
        labels,
        values.codes,
        int(values.ranges[-1]),
        conditions.k,
        conditions.diversity,
        conditions.theta,
    )
    return flags


@kernel
def _check_each(
    labels: Ints, codes: Ints, values: int, k: int, diversity: int, theta: float
) -> Any:
    """Sort the rows by cluster, then count the values of each cluster."""
    clusters = 0
    for label in labels:
        clusters = max(clusters, label + 1)
    begins = np.zeros(clusters + 2, np.int64)
    for label in labels:
        if label >= 0:
            begins[label + 2] += 1
    for cluster in range(clusters):
        begins[cluster + 2] += begins[cluster + 1]
    rows = np.empty(labels.shape[0], np.int64)
    for row in range(labels.shape[0]):
        if labels[row] >= 0:
            rows[begins[labels[row] + 1]] = row
            begins[labels[row] + 1] += 1
    satisfied = np.zeros(clusters, np.bool_)
    counts = np.zeros(values, np.int64)
    for cluster in range(clusters):
        begin, end = begins[cluster], begins[cluster + 1]
        satisfied[cluster] = end - begin >= k
        for j in range(codes.shape[1]):
            distinct, highest = 0, 0
            for i in range(begin, end):
                value = codes[rows[i], j]
                counts[value] += 1
                distinct += counts[value] == 1
                highest = max(highest, counts[value])
            for i in range(begin, end):
                counts[codes[rows[i], j]] = 0
            if distinct < diversity or highest / max(end - begin, 1) > theta:
                satisfied[cluster] = False
    return satisfied
