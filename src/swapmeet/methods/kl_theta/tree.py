"""The trees over rows and over clusters: a k-d tree laid out as a heap.

Node 1 is the root, node i has the children 2i and 2i + 1, and all leaves are on the last level.
Each node has a summary of what is below it, which is cheap to keep up to date while rows and
clusters come, move and go: the box of their numbers, the marks and values seen, as bits, and the
least rank.

A cluster stays in its leaf wherever its mean goes; a node knows the box of the means below it, so
searches remain exact, if slower once means have moved far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.jit import kernel
from swapmeet.methods.kl_theta.clusters import Clusters, bit_of
from swapmeet.methods.kl_theta.conditions import EncodedKeys

WIDTH = 8
"""Items in a leaf, at most."""
NEVER = 1 << 62
"""The least rank of a node without items."""
DEEP = 128
"""Room for the nodes that wait in a search: two for each level, at most."""


class SearchStack(NamedTuple):
    """The nodes that a search still has to visit, and how near their items may be."""

    nodes: Ints
    bounds: Floats


def empty_stack() -> SearchStack:
    """A stack for the searches of one thread."""
    return SearchStack(np.empty(DEEP, np.int64), np.empty(DEEP))


def leaves_for(count: int) -> int:
    """The number of leaves for this many items."""
    leaves = 1
    while count > leaves * WIDTH:
        leaves *= 2
    return leaves


def arrange(numbers: Floats, marks: Ints, weights: Floats, costs: Floats, leaves: int) -> Ints:
    """The items in the order of the leaves, near items in the same leaf.

    All leaves have the same number of places; numbers from the count of items up mark free places.
    """
    count = len(numbers)
    order = np.arange(leaves * -(-count // leaves)).reshape(1, -1)
    axes = [column * np.sqrt(weight) for column, weight in zip(numbers.T, weights, strict=True)]
    axes += [_places(column, cost) for column, cost in zip(marks.T, costs, strict=True)]
    axes = [np.append(axis, np.repeat(axis[:1], order.size - count)) for axis in axes]
    while len(order) < leaves:
        if axes:
            widest = np.argmax([np.ptp(axis[order], axis=1) for axis in axes], axis=0)
            along = np.stack(axes)[widest[:, np.newaxis], order]
            order = np.take_along_axis(order, np.argsort(along, axis=1, kind="stable"), axis=1)
        order = order.reshape(2 * len(order), -1)
    return order.ravel()


def _places(marks: Ints, cost: float) -> Floats:
    """Sets of nominal values on a line, at least as far apart as they cost."""
    return np.unique(marks, return_inverse=True)[1] * np.sqrt(cost)


def empty_summary(leaves: int, d: int, bits: int) -> tuple[Floats, Ints, Ints]:
    """Box, bits seen and least rank of each node of a tree without items."""
    return (
        np.tile([np.inf, -np.inf], (2 * leaves, d)),
        np.zeros((2 * leaves, bits), np.int64),
        np.full(2 * leaves, NEVER),
    )


@kernel
def clear(node: int, box: Floats, seen: Ints, least: Ints) -> None:
    """Let the summary of a node say that it has no items."""
    least[node] = NEVER
    for j in range(box.shape[1] // 2):
        box[node, 2 * j], box[node, 2 * j + 1] = np.inf, -np.inf
    for j in range(seen.shape[1]):
        seen[node, j] = 0


@kernel
def include(
    node: int, numbers: Floats, marks: Ints, at: int, rank: int, box: Floats, seen: Ints,
    least: Ints,
) -> None:  # fmt: skip
    """Include the item in row `at` of a table in the summary of a node."""
    least[node] = min(least[node], rank)
    for j in range(numbers.shape[1]):
        box[node, 2 * j] = min(box[node, 2 * j], numbers[at, j])
        box[node, 2 * j + 1] = max(box[node, 2 * j + 1], numbers[at, j])
    for j in range(marks.shape[1]):
        seen[node, j] |= bit_of(marks[at, j])


@kernel
def join_children(node: int, box: Floats, seen: Ints, least: Ints) -> bool:
    """Summarise the children of a node; return whether its summary changed."""
    left, right = 2 * node, 2 * node + 1
    changed = False
    for j in range(0, box.shape[1], 2):
        low, high = min(box[left, j], box[right, j]), max(box[left, j + 1], box[right, j + 1])
        changed |= low != box[node, j] or high != box[node, j + 1]
        box[node, j], box[node, j + 1] = low, high
    for j in range(seen.shape[1]):
        both = seen[left, j] | seen[right, j]
        changed |= both != seen[node, j]
        seen[node, j] = both
    now = min(least[left], least[right])
    changed |= now != least[node]
    least[node] = now
    return changed


@kernel
def push(
    node: int, left_bound: float, right_bound: float, waiting: int, todo: Ints, bounds: Floats
) -> int:
    """Put the children of a node on the stack, the nearer one on top; return how many nodes wait.

    A child that is infinitely far away is not searched.
    """
    near, far, near_bound, far_bound = 2 * node, 2 * node + 1, left_bound, right_bound
    if far_bound < near_bound:
        near, far, near_bound, far_bound = far, near, far_bound, near_bound
    if far_bound < np.inf:
        todo[waiting], bounds[waiting] = far, far_bound
        waiting += 1
    if near_bound < np.inf:
        todo[waiting], bounds[waiting] = near, near_bound
        waiting += 1
    return waiting


class ClusterTree(NamedTuple):
    """A tree over clusters: the leaf of each cluster, and the summary of each node.

    - `leaf` of each cluster, `first` cluster of each leaf, and for each cluster the one `following`
      it in its leaf; -1 where there is none. Clusters that are full or empty have left the chain.
    - `open`: in each sensitive column, the bits of the values that a cluster may still take.
    - `box`, `seen`, `least`, `smallest`: of each node, the box of the means; the bits of the marks,
      then those of the open values; the least number and the least size of a cluster.
    """

    leaf: Ints
    first: Ints
    following: Ints
    open: Ints
    box: Floats
    seen: Ints
    least: Ints
    smallest: Ints


def plant(clusters: Clusters, count: int, keys: EncodedKeys) -> ClusterTree:
    """A leaf for each of the first `count` clusters, and room for as many as there may be.

    The clusters themselves are inserted later.
    """
    leaves = leaves_for(count)
    marks = np.where(_are_single(clusters.marks[:count], keys.marks), clusters.marks[:count], 0)
    order = arrange(clusters.mean[:count], marks, keys.weights, keys.costs, leaves)
    leaf = np.full(len(clusters.size), -1)
    there = order < count
    leaf[order[there]] = np.flatnonzero(there) // (len(order) // leaves)
    m = clusters.peak.shape[1]
    return ClusterTree(
        leaf,
        np.full(leaves, -1),
        np.full(len(leaf), -1),
        np.zeros((len(leaf), m), np.int64),
        *empty_summary(leaves, clusters.mean.shape[1], clusters.marks.shape[1] + m),
        np.full(2 * leaves, NEVER),
    )


def _are_single(marks: Ints, of_rows: Ints) -> Flags:
    """Flag the marks of a single value; no row is near a cluster with several."""
    columns = [
        np.isin(column, np.unique(known)) for column, known in zip(marks.T, of_rows.T, strict=True)
    ]
    return np.stack([np.zeros(len(marks), bool), *columns], axis=1)[:, 1:]


@kernel
def insert(begin: int, end: int, room: int, clusters: Clusters, tree: ClusterTree) -> None:
    """Insert clusters `begin` to `end` into their leaves; those of `room` rows or more are full."""
    leaf, first, following, smallest = tree.leaf, tree.first, tree.following, tree.smallest
    leaves = first.shape[0]
    for cluster in range(begin, end):
        following[cluster] = first[leaf[cluster]]
        first[leaf[cluster]] = cluster
    if end - begin < leaves // 8:
        for cluster in range(begin, end):
            update(cluster, room, clusters, tree)
        return
    for at in range(leaves):
        _summarise(at, room, clusters, tree)
    for node in range(leaves - 1, 0, -1):
        join_children(node, tree.box, tree.seen, tree.least)
        smallest[node] = min(smallest[2 * node], smallest[2 * node + 1])


@kernel
def update(cluster: int, room: int, clusters: Clusters, tree: ClusterTree) -> None:
    """Bring the nodes above a cluster up to date, up to the first that does not change."""
    box, seen, least, smallest = tree.box, tree.seen, tree.least, tree.smallest
    leaf = tree.leaf[cluster]
    _summarise(leaf, room, clusters, tree)
    node = (tree.first.shape[0] + leaf) // 2
    while node > 0:
        small = min(smallest[2 * node], smallest[2 * node + 1])
        changed = small != smallest[node]
        smallest[node] = small
        if not join_children(node, box, seen, least) and not changed:
            return
        node //= 2


@kernel
def _summarise(leaf: int, room: int, clusters: Clusters, tree: ClusterTree) -> None:
    """Summarise a leaf; clusters that are full or empty leave its chain."""
    mean, marks, size = clusters.mean, clusters.marks, clusters.size
    first, following, open_ = tree.first, tree.following, tree.open
    box, seen, least, smallest = tree.box, tree.seen, tree.least, tree.smallest
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
