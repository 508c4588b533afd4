"""Clusters that break a condition are merged, and rows left over join the nearest open cluster.

A cluster is open to a row if it has room and if, in every sensitive column, the row's value does
not occur in it too often.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel
from swapmeet.methods.kl_theta.clusters import (
    Clusters,
    KeyMetric,
    add,
    count_value,
    distance,
    distance_to_box,
    pull,
    unite,
)
from swapmeet.methods.kl_theta.conditions import Conditions
from swapmeet.methods.kl_theta.pool import DistinctRows
from swapmeet.methods.kl_theta.tree import NEVER, ClusterTree, SearchStack, push, update

LITERAL, PROPER = True, False
"""The two readings of θ for a row that joins a cluster: see `_is_too_often`."""


class JoinRule(NamedTuple):
    """The rule by which a cluster is open to a row.

    `theta` and how it is read (`literal`); how many values each sensitive column has (`in_column`);
    `counts` is scratch space for the counts of values, 0 between calls.
    """

    theta: float
    literal: bool
    in_column: Ints
    counts: Ints


@kernel
def count_values(
    begin: int, end: int, rule: JoinRule, distinct: DistinctRows, clusters: Clusters, open_: Ints
) -> None:
    """Find how often values occur in clusters `begin` to `end`, and which ones they are open to.

    A column of more than 64 values has too few bits: all are set, and `_is_open` counts.
    """
    theta, literal, in_column, counts = rule.theta, rule.literal, rule.in_column, rule.counts
    codes, of_row = distinct.codes, distinct.of_row
    size, last, before, peak = clusters.size, clusters.last, clusters.before, clusters.peak
    for cluster in range(begin, end):
        for j in range(codes.shape[1]):
            peak[cluster, j], open_[cluster, j] = 0, -1
            row = last[cluster]
            while row >= 0:
                value = codes[of_row[row], j]
                counts[value] += 1
                peak[cluster, j] = max(peak[cluster, j], counts[value])
                row = before[row]
            row = last[cluster]
            while row >= 0:
                value = codes[of_row[row], j]
                if in_column[j] <= 64 and _is_too_often(counts[value], peak[cluster, j],
                                                        size[cluster], theta, literal):  # fmt: skip
                    open_[cluster, j] &= ~(1 << (value & 63))
                row = before[row]
            row = last[cluster]
            while row >= 0:
                counts[codes[of_row[row], j]] = 0
                row = before[row]


@kernel
def _is_too_often(has: int, peak: int, size: int, theta: float, literal: bool) -> bool:
    """Return whether a cluster that `has` so many rows of a value cannot take one more.

    `literal`: as in the author's program, which never refuses a new value, looks at the most
    frequent one, and compares with the size before the row joins.
    """
    if literal:
        return has > 0 and max(peak, has + 1) / size >= theta
    return (has + 1) / (size + 1) > theta


@kernel
def _is_open(
    cluster: int, slot: int, theta: float, literal: bool, in_column: Ints, codes: Ints,
    of_row: Ints, size: Ints, last: Ints, before: Ints, peak: Ints, open_: Ints,
) -> bool:  # fmt: skip
    # plain arrays: called for many clusters in each search, where NamedTuples cost about 5 %
    if not _has_bits(cluster, 0, slot, codes, open_):
        return False
    for j in range(codes.shape[1]):
        if in_column[j] <= 64:
            continue
        has = count_value(codes[slot, j], j, last[cluster], codes, of_row, before)
        if _is_too_often(has, peak[cluster, j], size[cluster], theta, literal):
            return False
    return True


@kernel
def _has_bits(at: int, begin: int, slot: int, codes: Ints, bits: Ints) -> bool:
    """Return whether, from column `begin`, row `at` of `bits` has the bits of a slot's values."""
    for j in range(codes.shape[1]):  # noqa: SIM110
        if bits[at, begin + j] & (1 << (codes[slot, j] & 63)) == 0:
            return False
    return True


@kernel
def nearest_open(
    slot: int, patience: int, rule: JoinRule, metric: KeyMetric, distinct: DistinctRows,
    clusters: Clusters, tree: ClusterTree, stack: SearchStack,
) -> int:  # fmt: skip
    """The nearest cluster that is open to the rows of a slot, -1 if there is none.

    Among equally near clusters it is the first. A search that has looked at `patience` clusters
    takes the nearest it has found so far, or gives up.
    """
    weights, costs = metric.weights, metric.costs
    theta, literal, in_column = rule.theta, rule.literal, rule.in_column
    numbers, slot_marks = distinct.numbers, distinct.marks
    codes, of_row = distinct.codes, distinct.of_row
    mean, marks, size = clusters.mean, clusters.marks, clusters.size
    last, before, peak = clusters.last, clusters.before, clusters.peak
    first, following, open_ = tree.first, tree.following, tree.open
    box, seen, least, smallest = tree.box, tree.seen, tree.least, tree.smallest
    todo, bounds = stack.nodes, stack.bounds
    leaves = first.shape[0]
    c = slot_marks.shape[1]
    best, best_cluster = np.inf, -1
    todo[0], bounds[0] = 1, 0.0
    waiting = 1 if least[1] < NEVER and _has_bits(1, c, slot, codes, seen) else 0
    while waiting > 0 and patience > 0:
        waiting -= 1
        node, bound = todo[waiting], bounds[waiting]
        if bound > best or (bound == best and least[node] > best_cluster):
            continue
        if node < leaves:
            left = _bound(2 * node, slot, weights, costs, numbers, slot_marks, codes, box, seen,
                          least, smallest)  # fmt: skip
            right = _bound(2 * node + 1, slot, weights, costs, numbers, slot_marks, codes, box,
                           seen, least, smallest)  # fmt: skip
            waiting = push(node, left, right, waiting, todo, bounds)
            continue
        cluster = first[node - leaves]
        while cluster >= 0:
            patience -= 1
            away = distance(mean[cluster], marks[cluster], numbers, slot_marks, slot,
                            pull(size[cluster], 1), weights, costs)  # fmt: skip
            nearer = away < best or (away == best and cluster < best_cluster)
            if nearer and _is_open(cluster, slot, theta, literal, in_column, codes, of_row, size,
                                   last, before, peak, open_):  # fmt: skip
                best, best_cluster = away, cluster
            cluster = following[cluster]
    return best_cluster


@kernel
def _bound(
    node: int, slot: int, weights: Floats, costs: Floats, numbers: Floats, slot_marks: Ints,
    codes: Ints, box: Floats, seen: Ints, least: Ints, smallest: Ints,
) -> float:  # fmt: skip
    """A lower bound on the distance of an open cluster of a branch; infinite if none can be."""
    if least[node] == NEVER or not _has_bits(node, slot_marks.shape[1], slot, codes, seen):
        return np.inf
    return distance_to_box(numbers[slot], slot_marks[slot], box, seen, node,
                           pull(smallest[node], 1), weights, costs)  # fmt: skip


@kernel
def join_rows(
    rows: Ints, room: int, patience: int, rule: JoinRule, metric: KeyMetric, distinct: DistinctRows,
    clusters: Clusters, tree: ClusterTree, stack: SearchStack,
) -> Ints:  # fmt: skip
    """Let each row in turn join the nearest cluster that is open to it; return the others."""
    of_row, open_ = distinct.of_row, tree.open
    left = np.empty(rows.shape[0], np.int64)
    refused = 0
    for row in rows:
        cluster = nearest_open(of_row[row], patience, rule, metric, distinct, clusters,
                               tree, stack)  # fmt: skip
        if cluster < 0:
            left[refused] = row
            refused += 1
            continue
        add(cluster, row, distinct, clusters)
        count_values(cluster, cluster + 1, rule, distinct, clusters, open_)
        update(cluster, room, clusters, tree)
    return left[:refused].copy()


BREAKS, KEEPS, SATISFIES = 0, 1, 2
"""Results of a union: it breaks θ, keeps it, or satisfies all three conditions."""


class ValueCounts(NamedTuple):
    """The values of one cluster: how often each occurs, and in each sensitive column the highest
    count and the number of distinct values; all 0 between clusters.
    """

    counts: Ints
    peak: Ints
    distinct: Ints


@kernel
def merge(
    begin: int, end: int, room: int, conditions: Conditions, counts: Ints, metric: KeyMetric,
    distinct: DistinctRows, clusters: Clusters, tree: ClusterTree, stack: SearchStack,
) -> None:  # fmt: skip
    """Merge each unsatisfied cluster from `begin` to `end` at most once; none has `room` rows."""
    codes, of_row = distinct.codes, distinct.of_row
    size, last, before = clusters.size, clusters.last, clusters.before
    peak, kinds = np.zeros(codes.shape[1], np.int64), np.zeros(codes.shape[1], np.int64)
    values = ValueCounts(counts, peak, kinds)
    for cluster in range(begin, end):
        if size[cluster] == 0:
            continue
        _count(last[cluster], counts, peak, kinds, codes, of_row, before)
        other = _find_partner(cluster, conditions, values, metric, distinct, clusters, tree, stack)
        _forget(last[cluster], counts, peak, kinds, codes, of_row, before)
        if other >= 0:
            unite(cluster, other, distinct, clusters)
            update(cluster, room, clusters, tree)
            update(other, room, clusters, tree)


@kernel
def _count(
    row: int, counts: Ints, peak: Ints, distinct: Ints, codes: Ints, of_row: Ints, before: Ints
) -> None:
    """Count the values of a chain of rows."""
    while row >= 0:
        for j in range(codes.shape[1]):
            value = codes[of_row[row], j]
            counts[value] += 1
            distinct[j] += counts[value] == 1
            peak[j] = max(peak[j], counts[value])
        row = before[row]


@kernel
def _forget(
    row: int, counts: Ints, peak: Ints, distinct: Ints, codes: Ints, of_row: Ints, before: Ints
) -> None:
    for j in range(codes.shape[1]):
        peak[j], distinct[j] = 0, 0
    while row >= 0:
        for j in range(codes.shape[1]):
            counts[codes[of_row[row], j]] = 0
        row = before[row]


@kernel
def _union(
    row: int, total: int, k: int, diversity: int, theta: float, counts: Ints, peak: Ints,
    distinct: Ints, codes: Ints, of_row: Ints, before: Ints,
) -> int:  # fmt: skip
    """Judge the union of the counted cluster and a chain of rows; `total` is its size."""
    does = SATISFIES if total >= k else KEEPS
    for j in range(codes.shape[1]):
        highest, kinds = peak[j], distinct[j]
        member = row
        while member >= 0:
            value = codes[of_row[member], j]
            counts[value] += 1
            kinds += counts[value] == 1
            highest = max(highest, counts[value])
            member = before[member]
        member = row
        while member >= 0:
            counts[codes[of_row[member], j]] -= 1
            member = before[member]
        if highest / total > theta:
            return BREAKS
        if kinds < diversity:
            does = KEEPS
    return does


@kernel
def _find_partner(
    cluster: int, conditions: Conditions, values: ValueCounts, metric: KeyMetric,
    distinct: DistinctRows, clusters: Clusters, tree: ClusterTree, stack: SearchStack,
) -> int:  # fmt: skip
    """The nearest cluster to merge with: one that satisfies, or else one that keeps θ; or -1."""
    if _union(-1, clusters.size[cluster], conditions.k, conditions.diversity, conditions.theta,
              values.counts, values.peak, values.distinct, distinct.codes, distinct.of_row,
              clusters.before) == SATISFIES:  # fmt: skip
        return -1
    for need in range(SATISFIES, BREAKS, -1):
        other = _nearest(cluster, need, conditions, values, metric, distinct, clusters, tree, stack)
        if other >= 0:
            return other
    return -1


@kernel
def _nearest(
    cluster: int, need: int, conditions: Conditions, values: ValueCounts, metric: KeyMetric,
    distinct: DistinctRows, clusters: Clusters, tree: ClusterTree, stack: SearchStack,
) -> int:  # fmt: skip
    """The nearest other cluster whose union with this one does what is needed; -1 if none does."""
    k, diversity, theta = conditions.k, conditions.diversity, conditions.theta
    counts, peak, kinds = values.counts, values.peak, values.distinct
    weights, costs, codes, of_row = metric.weights, metric.costs, distinct.codes, distinct.of_row
    mean, marks, size = clusters.mean, clusters.marks, clusters.size
    last, before, first, following = clusters.last, clusters.before, tree.first, tree.following
    box, seen, least, smallest = tree.box, tree.seen, tree.least, tree.smallest
    todo, bounds = stack.nodes, stack.bounds
    leaves = first.shape[0]
    best, best_cluster = np.inf, -1
    todo[0], bounds[0] = 1, 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node, bound = todo[waiting], bounds[waiting]
        if bound > best or (bound == best and least[node] > best_cluster):
            continue
        if node < leaves:
            left = _floor(2 * node, cluster, weights, costs, mean, marks, size, box, seen, least,
                          smallest)  # fmt: skip
            right = _floor(2 * node + 1, cluster, weights, costs, mean, marks, size, box, seen,
                           least, smallest)  # fmt: skip
            waiting = push(node, left, right, waiting, todo, bounds)
            continue
        other = first[node - leaves]
        while other >= 0:
            away = distance(mean[cluster], marks[cluster], mean, marks, other,
                            pull(size[cluster], size[other]), weights, costs)  # fmt: skip
            nearer = away < best or (away == best and other < best_cluster)
            if other != cluster and nearer:
                total = size[cluster] + size[other]
                if _union(last[other], total, k, diversity, theta, counts, peak, kinds, codes,
                          of_row, before) >= need:  # fmt: skip
                    best, best_cluster = away, other
            other = following[other]
    return best_cluster


@kernel
def _floor(
    node: int, cluster: int, weights: Floats, costs: Floats, mean: Floats, marks: Ints, size: Ints,
    box: Floats, seen: Ints, least: Ints, smallest: Ints,
) -> float:  # fmt: skip
    """A lower bound on the distance of a cluster of a branch; infinite if there is none."""
    if least[node] == NEVER:
        return np.inf
    return distance_to_box(mean[cluster], marks[cluster], box, seen, node,
                           pull(smallest[node], size[cluster]), weights, costs)  # fmt: skip
