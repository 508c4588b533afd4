"""Step 5 of the paper: a cluster that breaks a condition is merged with the nearest that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.base.jit import kernel
from swapmeet.methods.kl_theta.cluster_tree import ClusterTree, update
from swapmeet.methods.kl_theta.clusters import Clusters, unite
from swapmeet.methods.kl_theta.distance import Metric, distance, distance_to_box, pull
from swapmeet.methods.kl_theta.tree import NEVER, SearchStack, push

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.methods.kl_theta.conditions import Conditions
    from swapmeet.methods.kl_theta.distinct_rows import DistinctRows

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
    begin: int, end: int, room: int, conditions: Conditions, counts: Ints, metric: Metric,
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
    cluster: int, conditions: Conditions, values: ValueCounts, metric: Metric,
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
    cluster: int, need: int, conditions: Conditions, values: ValueCounts, metric: Metric,
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
    best, found = np.inf, -1
    todo[0], bounds[0] = 1, 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node, bound = todo[waiting], bounds[waiting]
        if bound > best or (bound == best and least[node] > found):
            continue
        if node < leaves:
            left = _bound(2 * node, cluster, weights, costs, mean, marks, size, box, seen, least,
                          smallest)  # fmt: skip
            right = _bound(2 * node + 1, cluster, weights, costs, mean, marks, size, box, seen,
                           least, smallest)  # fmt: skip
            waiting = push(node, left, right, waiting, todo, bounds)
            continue
        other = first[node - leaves]
        while other >= 0:
            away = distance(mean[cluster], marks[cluster], mean, marks, other,
                            pull(size[cluster], size[other]), weights, costs)  # fmt: skip
            nearer = away < best or (away == best and other < found)
            if other != cluster and nearer:
                total = size[cluster] + size[other]
                if _union(last[other], total, k, diversity, theta, counts, peak, kinds, codes,
                          of_row, before) >= need:  # fmt: skip
                    best, found = away, other
            other = following[other]
    return found


@kernel
def _bound(
    node: int, cluster: int, weights: Floats, costs: Floats, mean: Floats, marks: Ints, size: Ints,
    box: Floats, seen: Ints, least: Ints, smallest: Ints,
) -> float:  # fmt: skip
    """A lower bound on the distance of a cluster of a branch; infinite if there is none."""
    if least[node] == NEVER:
        return np.inf
    return distance_to_box(mean[cluster], marks[cluster], box, seen, node,
                           pull(smallest[node], size[cluster]), weights, costs)  # fmt: skip
