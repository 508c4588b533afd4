"""Where clusters are at home in a tree of their own, and the nearest one that is open to a row.

A cluster stays in its leaf wherever its mean goes; a node knows the box of the means below it. It
is open to a row if it has room and, in every sensitive column, the row's value does not come too
often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.groups.kl_theta.clusters import add, count_of
from swapmeet.algorithms.groups.kl_theta.distance import distance, distance_to_box, pull
from swapmeet.algorithms.groups.kl_theta.tree import (
    NEVER,
    arranged,
    clear,
    include,
    join_children,
    leaves_for,
    no_summary,
    push,
)
from swapmeet.core.base.jit import Floats, Ints, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.algorithms.groups.kl_theta.clusters import Clusters
    from swapmeet.algorithms.groups.kl_theta.keys import EncodedKeys


LITERAL, PROPER = True, False
"""The two readings of θ for a row that joins a cluster: see `_too_often`."""


class Homes(NamedTuple):
    """The leaf of each cluster, the first cluster of each leaf, and the one that follows each.

    `open` has the values that each cluster is open to, as bits. Then the summary of each node, with
    the least number of a cluster and the least size; `seen` has marks, then open values.
    """

    leaf: Ints
    first: Ints
    following: Ints
    open: Ints
    box: Floats
    seen: Ints
    least: Ints
    smallest: Ints


def homes_for(clusters: Clusters, count: int, keys: EncodedKeys) -> Homes:
    """A home for each of the first `count` clusters, and room for as many as there may be."""
    leaves = leaves_for(count)
    marks = np.where(_are_single(clusters.marks[:count], keys.marks), clusters.marks[:count], 0)
    order = arranged(clusters.mean[:count], marks, keys.weights, keys.costs, leaves)
    leaf = np.full(len(clusters.size), -1)
    there = order < count
    leaf[order[there]] = np.flatnonzero(there) // (len(order) // leaves)
    m = clusters.peak.shape[1]
    return Homes(
        leaf,
        np.full(leaves, -1),
        np.full(len(leaf), -1),
        np.zeros((len(leaf), m), np.int64),
        *no_summary(leaves, clusters.mean.shape[1], clusters.marks.shape[1] + m),
        np.full(2 * leaves, NEVER),
    )


def _are_single(marks: Ints, of_rows: Ints) -> npt.NDArray[np.bool_]:
    """Which marks are those of one value; no row is near a cluster with several."""
    columns = [
        np.isin(column, np.unique(known)) for column, known in zip(marks.T, of_rows.T, strict=True)
    ]
    return np.stack([np.zeros(len(marks), bool), *columns], axis=1)[:, 1:]


@kernel
def settle(
    begin: int, end: int, room: int, mean: Floats, marks: Ints, size: Ints,
    leaf: Ints, first: Ints, following: Ints, open_: Ints, box: Floats, seen: Ints, least: Ints,
    smallest: Ints,
) -> None:  # fmt: skip
    """Bring clusters `begin` to `end` home; those of `room` rows and more are full."""
    leaves = first.shape[0]
    for cluster in range(begin, end):
        following[cluster] = first[leaf[cluster]]
        first[leaf[cluster]] = cluster
    if end - begin < leaves // 8:
        for cluster in range(begin, end):
            climb(cluster, room, mean, marks, size, leaf, first, following, open_, box, seen,
                  least, smallest)  # fmt: skip
        return
    for at in range(leaves):
        _summarise(at, room, mean, marks, size, first, following, open_, box, seen, least, smallest)
    for node in range(leaves - 1, 0, -1):
        join_children(node, box, seen, least)
        smallest[node] = min(smallest[2 * node], smallest[2 * node + 1])


@kernel
def climb(
    cluster: int, room: int, mean: Floats, marks: Ints, size: Ints,
    leaf: Ints, first: Ints, following: Ints, open_: Ints, box: Floats, seen: Ints, least: Ints,
    smallest: Ints,
) -> None:  # fmt: skip
    """Bring the nodes above a cluster up to date."""
    _summarise(leaf[cluster], room, mean, marks, size, first, following, open_, box, seen, least,
               smallest)  # fmt: skip
    node = (first.shape[0] + leaf[cluster]) // 2
    while node > 0:
        small = min(smallest[2 * node], smallest[2 * node + 1])
        news = small != smallest[node]
        smallest[node] = small
        if not join_children(node, box, seen, least) and not news:
            return
        node //= 2


@kernel
def _summarise(
    leaf: int, room: int, mean: Floats, marks: Ints, size: Ints, first: Ints, following: Ints,
    open_: Ints, box: Floats, seen: Ints, least: Ints, smallest: Ints,
) -> None:  # fmt: skip
    """Clusters that are full, or empty, leave the chain of the leaf."""
    node = first.shape[0] + leaf
    clear(node, box, seen, least)
    smallest[node] = NEVER
    previous, cluster = -1, first[leaf]
    while cluster >= 0:
        if 0 < size[cluster] < room:
            include(node, mean, marks, cluster, cluster, box, seen, least)
            smallest[node] = min(smallest[node], size[cluster])
            for j in range(open_.shape[1]):
                seen[node, marks.shape[1] + j] |= open_[cluster, j]
            previous = cluster
        elif previous < 0:
            first[leaf] = following[cluster]
        else:
            following[previous] = following[cluster]
        cluster = following[cluster]


@kernel
def take_stock(
    begin: int, end: int, theta: float, literal: bool, in_column: Ints, counts: Ints, codes: Ints,
    of_row: Ints, size: Ints, last: Ints, before: Ints, peak: Ints, open_: Ints,
) -> None:  # fmt: skip
    """Note how often values come in clusters `begin` to `end`, and which ones they are open to.

    A column of more than 64 values (`in_column`) has too few bits: all are set.
    """
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
                if in_column[j] <= 64 and _too_often(counts[value], peak[cluster, j], size[cluster],
                                                     theta, literal):  # fmt: skip
                    open_[cluster, j] &= ~(1 << (value & 63))
                row = before[row]
            row = last[cluster]
            while row >= 0:
                counts[codes[of_row[row], j]] = 0
                row = before[row]


@kernel
def _too_often(has: int, peak: int, size: int, theta: float, literal: bool) -> bool:
    """Whether another row with a value that `has` so many is too much for a cluster.

    `literal`: as in the author's program, which never refuses a new value, looks at the most
    frequent one, and compares with the size before.
    """
    if literal:
        return has > 0 and max(peak, has + 1) / size >= theta
    return (has + 1) / (size + 1) > theta


@kernel
def _is_open(
    cluster: int, slot: int, theta: float, literal: bool, in_column: Ints, codes: Ints,
    of_row: Ints, size: Ints, last: Ints, before: Ints, peak: Ints, open_: Ints,
) -> bool:  # fmt: skip
    if not _has_bits(cluster, 0, slot, codes, open_):
        return False
    for j in range(codes.shape[1]):
        if in_column[j] <= 64:
            continue
        has = count_of(codes[slot, j], j, last[cluster], codes, of_row, before)
        if _too_often(has, peak[cluster, j], size[cluster], theta, literal):
            return False
    return True


@kernel
def _has_bits(at: int, begin: int, slot: int, codes: Ints, bits: Ints) -> bool:
    """Whether, from column `begin`, row `at` of `bits` has the bits of a slot's values."""
    for j in range(codes.shape[1]):  # noqa: SIM110
        if bits[at, begin + j] & (1 << (codes[slot, j] & 63)) == 0:
            return False
    return True


@kernel
def nearest_open(
    slot: int, theta: float, literal: bool, patience: int, in_column: Ints,
    weights: Floats, costs: Floats, numbers: Floats, slot_marks: Ints, codes: Ints, of_row: Ints,
    mean: Floats, marks: Ints, size: Ints, last: Ints, before: Ints, peak: Ints,
    first: Ints, following: Ints, open_: Ints, box: Floats, seen: Ints, least: Ints,
    smallest: Ints, todo: Ints, bounds: Floats,
) -> int:  # fmt: skip
    """The nearest cluster that is open to the rows of a slot, -1 if there is none.

    Among equally near ones it is the first. A search that has looked at `patience` clusters takes
    the nearest it has found so far, or gives up.
    """
    leaves = first.shape[0]
    c = slot_marks.shape[1]
    best, found = np.inf, -1
    todo[0], bounds[0] = 1, 0.0
    waiting = 1 if least[1] < NEVER and _has_bits(1, c, slot, codes, seen) else 0
    while waiting > 0 and patience > 0:
        waiting -= 1
        node, bound = todo[waiting], bounds[waiting]
        if bound > best or (bound == best and least[node] > found):
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
            nearer = away < best or (away == best and cluster < found)
            if nearer and _is_open(cluster, slot, theta, literal, in_column, codes, of_row, size,
                                   last, before, peak, open_):  # fmt: skip
                best, found = away, cluster
            cluster = following[cluster]
    return found


@kernel
def _bound(
    node: int, slot: int, weights: Floats, costs: Floats, numbers: Floats, slot_marks: Ints,
    codes: Ints, box: Floats, seen: Ints, least: Ints, smallest: Ints,
) -> float:  # fmt: skip
    """How near an open cluster of a branch may be."""
    if least[node] == NEVER or not _has_bits(node, slot_marks.shape[1], slot, codes, seen):
        return np.inf
    return distance_to_box(numbers[slot], slot_marks[slot], box, seen, node,
                           pull(smallest[node], 1), weights, costs)  # fmt: skip


@kernel
def place(
    rows: Ints, room: int, theta: float, literal: bool, patience: int, in_column: Ints,
    counts: Ints, weights: Floats, costs: Floats,
    numbers: Floats, slot_marks: Ints, codes: Ints, of_row: Ints,
    mean: Floats, marks: Ints, size: Ints, last: Ints, before: Ints, peak: Ints,
    leaf: Ints, first: Ints, following: Ints, open_: Ints, box: Floats, seen: Ints, least: Ints,
    smallest: Ints, todo: Ints, bounds: Floats,
) -> Ints:  # fmt: skip
    """Let each row in turn join the nearest cluster that is open to it; return the others."""
    left = np.empty(rows.shape[0], np.int64)
    refused = 0
    for row in rows:
        cluster = nearest_open(of_row[row], theta, literal, patience, in_column, weights, costs,
                               numbers, slot_marks, codes, of_row, mean, marks, size, last, before,
                               peak, first, following, open_, box, seen, least, smallest, todo,
                               bounds)  # fmt: skip
        if cluster < 0:
            left[refused] = row
            refused += 1
            continue
        add(cluster, row, numbers, slot_marks, of_row, mean, marks, size, last, before)
        take_stock(cluster, cluster + 1, theta, literal, in_column, counts, codes, of_row, size,
                   last, before, peak, open_)  # fmt: skip
        climb(cluster, room, mean, marks, size, leaf, first, following, open_, box, seen, least,
              smallest)  # fmt: skip
    return left[:refused].copy()
