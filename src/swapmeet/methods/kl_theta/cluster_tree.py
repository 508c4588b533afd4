"""The tree of the clusters, in which the nearest one is searched.

A cluster stays in its leaf wherever its mean goes; a node knows the box of the means below it, so
searches remain exact, if slower once means have moved far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.base.jit import kernel
from swapmeet.methods.kl_theta.tree import (
    NEVER,
    arrange,
    clear,
    empty_summary,
    include,
    join_children,
    leaves_for,
)

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags, Floats, Ints
    from swapmeet.methods.kl_theta.clusters import Clusters
    from swapmeet.methods.kl_theta.keys import EncodedKeys


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
