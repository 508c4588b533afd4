"""Step 5 of the paper: a cluster that breaks a condition is merged with the nearest that helps."""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.groups.kl_theta.clusters import unite
from swapmeet.algorithms.groups.kl_theta.distance import distance, distance_to_box, pull
from swapmeet.algorithms.groups.kl_theta.homes import climb
from swapmeet.algorithms.groups.kl_theta.tree import NEVER, push
from swapmeet.core.base.jit import Floats, Ints, kernel

BREAKS, KEEPS, SATISFIES = 0, 1, 2
"""What a union does: break θ, keep it, or satisfy all three conditions."""


@kernel
def merge(
    begin: int, end: int, room: int, k: int, diversity: int, theta: float, counts: Ints,
    weights: Floats, costs: Floats, slot_marks: Ints, codes: Ints, of_row: Ints,
    mean: Floats, marks: Ints, size: Ints, last: Ints, before: Ints,
    leaf: Ints, first: Ints, following: Ints, open_: Ints, box: Floats, seen: Ints, least: Ints,
    smallest: Ints, todo: Ints, bounds: Floats,
) -> None:  # fmt: skip
    """Merge each unsatisfied cluster from `begin` to `end` at most once; none has `room` rows."""
    peak, distinct = np.zeros(codes.shape[1], np.int64), np.zeros(codes.shape[1], np.int64)
    for cluster in range(begin, end):
        if size[cluster] == 0:
            continue
        _count(last[cluster], counts, peak, distinct, codes, of_row, before)
        other = _partner(cluster, k, diversity, theta, counts, peak, distinct, weights, costs,
                         codes, of_row, mean, marks, size, last, before, first, following, box,
                         seen, least, smallest, todo, bounds)  # fmt: skip
        _forget(last[cluster], counts, peak, distinct, codes, of_row, before)
        if other >= 0:
            unite(cluster, other, slot_marks, of_row, mean, marks, size, last, before)
            climb(cluster, room, mean, marks, size, leaf, first, following, open_, box, seen,
                  least, smallest)  # fmt: skip
            climb(other, room, mean, marks, size, leaf, first, following, open_, box, seen,
                  least, smallest)  # fmt: skip


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
    """What the counted cluster and a chain of rows do together; `total` is their size."""
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
def _partner(
    cluster: int, k: int, diversity: int, theta: float, counts: Ints, peak: Ints, distinct: Ints,
    weights: Floats, costs: Floats, codes: Ints, of_row: Ints,
    mean: Floats, marks: Ints, size: Ints, last: Ints, before: Ints, first: Ints, following: Ints,
    box: Floats, seen: Ints, least: Ints, smallest: Ints, todo: Ints, bounds: Floats,
) -> int:  # fmt: skip
    """The nearest cluster to merge with: one that satisfies, or else one that keeps θ; or -1."""
    for need in range(SATISFIES, BREAKS, -1):
        if _union(-1, size[cluster], k, diversity, theta, counts, peak, distinct, codes, of_row,
                  before) == SATISFIES:  # fmt: skip
            return -1
        other = _nearest(cluster, need, k, diversity, theta, counts, peak, distinct, weights,
                         costs, codes, of_row, mean, marks, size, last, before, first, following,
                         box, seen, least, smallest, todo, bounds)  # fmt: skip
        if other >= 0:
            return other
    return -1


@kernel
def _nearest(
    cluster: int, need: int, k: int, diversity: int, theta: float, counts: Ints, peak: Ints,
    distinct: Ints, weights: Floats, costs: Floats, codes: Ints, of_row: Ints,
    mean: Floats, marks: Ints, size: Ints, last: Ints, before: Ints, first: Ints, following: Ints,
    box: Floats, seen: Ints, least: Ints, smallest: Ints, todo: Ints, bounds: Floats,
) -> int:  # fmt: skip
    """The nearest other cluster whose union with this one does what is needed; -1 if none does."""
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
                if _union(last[other], total, k, diversity, theta, counts, peak, distinct, codes,
                          of_row, before) >= need:  # fmt: skip
                    best, found = away, other
            other = following[other]
    return found


@kernel
def _bound(
    node: int, cluster: int, weights: Floats, costs: Floats, mean: Floats, marks: Ints, size: Ints,
    box: Floats, seen: Ints, least: Ints, smallest: Ints,
) -> float:  # fmt: skip
    """How near a cluster of a branch may be."""
    if least[node] == NEVER:
        return np.inf
    return distance_to_box(mean[cluster], marks[cluster], box, seen, node,
                           pull(smallest[node], size[cluster]), weights, costs)  # fmt: skip
