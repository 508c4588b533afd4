"""Clusters that fall short of stricter conditions are merged with near ones that make up for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import ranges
from swapmeet.methods.kl_theta.clusters import (
    Clusters,
    KeyMetric,
    add,
    distance,
    distance_to_box,
    empty_clusters,
    labels_of,
    pull,
    unite,
)
from swapmeet.methods.kl_theta.conditions import (
    DIVERSITIES,
    NEARLY,
    EncodedKeys,
    SensitiveCodes,
    StrictConditions,
    WholeColumn,
)
from swapmeet.methods.kl_theta.pool import DistinctRows, find_distinct_rows
from swapmeet.methods.kl_theta.tree import (
    NEVER,
    ClusterTree,
    SearchStack,
    empty_stack,
    insert,
    plant,
    push,
    update,
)

BATCH = 1_000
LOOK = 512
"""A cluster that falls short looks at this many near ones."""
ENTROPY, RECURSIVE = DIVERSITIES.index("entropy"), DIVERSITIES.index("recursive")
NO_LIMIT = 2.0
"""More than any distance."""


class StrictRule(NamedTuple):
    """The conditions, and what they need of the whole table; arrays have a place for each column.

    `below` has the share of values up to each code, `area` the sum of those before it; both begin
    at the first code of their column, `area` one place later for each column before it.
    """

    diversity: int
    l: int  # noqa: E741
    c: float
    t: float
    first: Ints
    levels: Ints
    ordered: Ints
    missing: Ints
    present: Floats
    shares: Floats
    below: Floats
    area: Floats


class ValueTally(NamedTuple):
    """Counts of values in a cluster; in each column `values`, of which there are `kinds`."""

    counts: Ints
    values: Ints
    kinds: Ints


def tighten_clusters(
    labels: Ints,
    keys: EncodedKeys,
    values: SensitiveCodes,
    conditions: StrictConditions,
    wholes: Sequence[WholeColumn],
    report: Callable[[int], None],
) -> Ints:
    """The cluster of each row once all satisfy the conditions; -1 for rows of those that cannot."""
    made = int(labels.max(initial=-1)) + 1
    if made == 0:
        return labels
    distinct, _ = find_distinct_rows(keys, values.codes)
    clusters = empty_clusters(distinct, made)
    _fill(labels, distinct, clusters)
    tree = plant(clusters, made, keys)
    insert(0, made, NEVER, clusters, tree)
    rule, columns = _make_rule(conditions, wholes), values.codes.shape[1]
    tally = ValueTally(
        np.zeros(int(values.ranges[-1]), np.int64),
        np.zeros((columns, int(values.in_column.max())), np.int64),
        np.zeros(columns, np.int64),
    )
    metric, stack = KeyMetric(keys.weights, keys.costs), empty_stack()
    for begin, end in ranges(made, BATCH):
        _tighten(begin, end, rule, tally, metric, distinct, clusters, tree, stack)
        report(int(clusters.size[:end].sum()))
    return labels_of(clusters, made)


def _make_rule(conditions: StrictConditions, wholes: Sequence[WholeColumn]) -> StrictRule:
    ends = [w.first + len(w.shares) + (w.missing >= 0) for w in wholes]
    shares, below, area = np.zeros(ends[-1]), np.zeros(ends[-1]), np.zeros(ends[-1] + len(wholes))
    for j, whole in enumerate(wholes):
        begin, end = whole.first, whole.first + len(whole.shares)
        shares[begin:end] = whole.shares
        below[begin:end] = np.cumsum(whole.shares)
        area[begin + j + 1 : end + j + 1] = np.cumsum(below[begin:end])
    return StrictRule(
        DIVERSITIES.index(conditions.diversity),
        conditions.l,
        conditions.c,
        NO_LIMIT if conditions.t is None else conditions.t,
        np.array([w.first for w in wholes]),
        np.array([len(w.shares) for w in wholes]),
        np.array([int(w.ordered) for w in wholes]),
        np.array([w.missing for w in wholes]),
        np.array([w.present for w in wholes]),
        shares,
        below,
        area,
    )


@kernel
def _fill(labels: Ints, distinct: DistinctRows, clusters: Clusters) -> None:
    for row in range(labels.shape[0]):
        if labels[row] >= 0:
            add(labels[row], row, distinct, clusters)


@kernel
def _tighten(
    begin: int, end: int, rule: StrictRule, tally: ValueTally, metric: KeyMetric,
    distinct: DistinctRows, clusters: Clusters, tree: ClusterTree, stack: SearchStack,
) -> None:  # fmt: skip
    """Merge each cluster from `begin` to `end` until it satisfies; dissolve it if nothing helps."""
    for cluster in range(begin, end):
        if clusters.size[cluster] == 0:
            continue
        _count(cluster, tally, distinct, clusters)
        short = _find_shortage(clusters.size[cluster], rule, tally)
        while short > 0.0:
            other, short = _find_partner(cluster, rule, tally, metric, distinct, clusters, tree,
                                         stack)  # fmt: skip
            if other < 0:
                break
            _count(other, tally, distinct, clusters)
            unite(cluster, other, distinct, clusters)
            update(cluster, NEVER, clusters, tree)
            update(other, NEVER, clusters, tree)
        _forget(tally)
        if short > 0.0:
            clusters.size[cluster], clusters.last[cluster] = 0, -1
            update(cluster, NEVER, clusters, tree)


@kernel
def _count(cluster: int, tally: ValueTally, distinct: DistinctRows, clusters: Clusters) -> None:
    """Count the values of a cluster, besides those that were counted before."""
    counts, values, kinds = tally.counts, tally.values, tally.kinds
    codes, of_row, before = distinct.codes, distinct.of_row, clusters.before
    row = clusters.last[cluster]
    while row >= 0:
        for j in range(codes.shape[1]):
            value = codes[of_row[row], j]
            if counts[value] == 0:
                values[j, kinds[j]] = value
                kinds[j] += 1
            counts[value] += 1
        row = before[row]


@kernel
def _uncount(
    cluster: int, kinds: Ints, tally: ValueTally, distinct: DistinctRows, clusters: Clusters
) -> None:
    """Forget the cluster that was counted last; before it there were so many `kinds`."""
    counts, codes, of_row = tally.counts, distinct.codes, distinct.of_row
    row, before = clusters.last[cluster], clusters.before
    while row >= 0:
        for j in range(codes.shape[1]):
            counts[codes[of_row[row], j]] -= 1
        row = before[row]
    for j in range(codes.shape[1]):
        tally.kinds[j] = kinds[j]


@kernel
def _forget(tally: ValueTally) -> None:
    for j in range(tally.kinds.shape[0]):
        for i in range(tally.kinds[j]):
            tally.counts[tally.values[j, i]] = 0
        tally.kinds[j] = 0


@kernel
def _find_shortage(size: int, rule: StrictRule, tally: ValueTally) -> float:
    """Find the shortage of what was counted, relative to what is demanded; 0 if there is none."""
    worst = 0.0
    for j in range(tally.kinds.shape[0]):
        values = tally.values[j, : tally.kinds[j]]
        diversity = float(rule.l)
        if rule.diversity == ENTROPY:
            diversity = _measure_entropy(values, size, tally.counts)
        elif rule.diversity == RECURSIVE:
            diversity = _measure_recursive(values, size, rule.c, tally.counts)
        if diversity < rule.l - NEARLY:
            worst = max(worst, (rule.l - diversity) / rule.l)
        if rule.t < NO_LIMIT:
            away = _measure_distance(j, values, size, rule, tally.counts)
            if away > rule.t + NEARLY:
                worst = max(worst, (away - rule.t) / rule.t)
    return worst


@kernel
def _measure_entropy(values: Ints, size: int, counts: Ints) -> float:
    total = 0.0
    for value in values:
        share = counts[value] / size
        total -= share * np.log(share)
    return float(np.exp(total))


@kernel
def _measure_recursive(values: Ints, size: int, c: float, counts: Ints) -> float:
    ordered = np.sort(counts[values])[::-1]
    rest, diversity = size, 0
    for count in ordered:
        diversity += c * rest > ordered[0]
        rest -= count
    return float(diversity)


@kernel
def _measure_distance(j: int, values: Ints, size: int, rule: StrictRule, counts: Ints) -> float:
    """The earth mover's distance from the whole table, as `algorithms.diversity` has it."""
    total = 0.0
    if rule.ordered[j] == 0:
        for value in values:
            total += max(counts[value] / size - rule.shares[value], 0.0)
        return total
    first, levels, missing = rule.first[j], rule.levels[j], rule.missing[j]
    there = size - (counts[missing] if missing >= 0 else 0)
    if there > 0 and levels > 1:
        below = rule.below[first : first + levels]
        area = rule.area[first + j : first + j + levels + 1]
        ordered = np.sort(values)
        kinds = ordered.shape[0] - (1 if there < size else 0)
        total += area[ordered[0] - first]
        sum_ = 0
        for i in range(kinds):
            begin = ordered[i] - first
            end = ordered[i + 1] - first if i + 1 < kinds else levels
            sum_ += counts[ordered[i]]
            height = sum_ / there
            cross = np.searchsorted(below, height, side="right")
            cross = min(max(cross, begin), end)
            total += height * (2 * cross - begin - end) - 2.0 * area[cross]
            total += area[begin] + area[end]
        total /= levels - 1
    present = there / size
    return min(present, rule.present[j]) * total + abs(present - rule.present[j])


@kernel
def _find_partner(
    cluster: int, rule: StrictRule, tally: ValueTally, metric: KeyMetric,
    distinct: DistinctRows, clusters: Clusters, tree: ClusterTree, stack: SearchStack,
) -> tuple[int, float]:  # fmt: skip
    """The near cluster to merge with, and the shortage of the union; -1 if there is none.

    The nearest of those with which the union satisfies, or else the one that leaves it least short.
    """
    mean, marks, size = clusters.mean, clusters.marks, clusters.size
    weights, costs, kinds = metric.weights, metric.costs, tally.kinds.copy()
    first, following = tree.first, tree.following
    todo, bounds, leaves = stack.nodes, stack.bounds, tree.first.shape[0]
    partner, shortest, nearest, looked = -1, np.inf, np.inf, 0
    todo[0], bounds[0] = 1, 0.0
    waiting = 1
    while waiting > 0 and looked < LOOK:
        waiting -= 1
        node, bound = todo[waiting], bounds[waiting]
        if shortest == 0.0 and bound > nearest:
            continue
        if node < leaves:
            left = _bound(2 * node, cluster, metric, clusters, tree)
            right = _bound(2 * node + 1, cluster, metric, clusters, tree)
            waiting = push(node, left, right, waiting, todo, bounds)
            continue
        other = first[node - leaves]
        while other >= 0:
            if other != cluster and size[other] > 0:
                looked += 1
                away = distance(mean[cluster], marks[cluster], mean, marks, other,
                                pull(size[cluster], size[other]), weights, costs)  # fmt: skip
                _count(other, tally, distinct, clusters)
                short = _find_shortage(size[cluster] + size[other], rule, tally)
                _uncount(other, kinds, tally, distinct, clusters)
                if short < shortest or (short == shortest and away < nearest):
                    partner, shortest, nearest = other, short, away
            other = following[other]
    return partner, shortest


@kernel
def _bound(
    node: int, cluster: int, metric: KeyMetric, clusters: Clusters, tree: ClusterTree
) -> float:
    """A lower bound on the distance of a cluster of a branch; infinite if there is none."""
    if tree.least[node] == NEVER:
        return np.inf
    return distance_to_box(clusters.mean[cluster], clusters.marks[cluster], tree.box, tree.seen,
                           node, pull(tree.smallest[node], clusters.size[cluster]),
                           metric.weights, metric.costs)  # fmt: skip
