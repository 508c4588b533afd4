"""Multivariate equi-depth groups: the two rows farthest apart, each with its nearest, and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.methods.meds.tree import PointTree

FEW_DIMENSIONS = 3
FEW, MANY = (24, 2.0), (96, 8.0)
"""For few dimensions, and for many: points of a leaf, weight of the distance from the centre."""
REGROWN, SMALL = 2, 4_000
"""A new tree is grown when one row in REGROWN is left, unless the old tree was SMALL."""
STEPS = 50
"""Progress is reported about this many times."""


def equi_depth(points: Floats, k: int, on_progress: Callable[[int], None] | None = None) -> Ints:
    """The group of each row of `points`, which are (dimensions, rows) and finite.

    While at least 2k rows are left, the two rows farthest apart head a group each; the lower row
    first, they take the k - 1 rows nearest to them. The rest, fewer than 2k rows, is the last
    group. The lowest of several equally distant rows is taken; among equally distant pairs, the one
    with the lowest first row, then second row. `on_progress` is called with the number of rows
    left.

    >>> equi_depth(np.array([[0.0, 9.0, 1.0, 8.0, 5.0]]), 2).tolist()
    [0, 1, 0, 1, 2]
    """
    from swapmeet.methods.meds.rounds import form_groups

    n = points.shape[1]
    labels = np.full(n, -1, np.int64)
    places, queues, members = _distinct(points)
    left, step = n, max(n // STEPS, SMALL)
    while left >= 2 * k:
        tree = _grow(places, queues, members, k)
        enough = left // REGROWN if left > SMALL else 0
        while left >= 2 * k and left > enough:
            left = form_groups(left, max(left - step, enough), labels, tree)
            if on_progress is not None:
                on_progress(left)
        places, queues = tree.points, tree.queues
    labels[labels < 0] = (n - left) // k
    return labels


def _distinct(points: Floats) -> tuple[Floats, Ints, Ints]:
    """Points, queues and members of a tree: rows that are alike are one point.

    Rows are sorted by a weighted sum of their coordinates. If rows that differ have the same sum,
    some that are alike may stay apart, which does no harm.
    """
    from swapmeet.methods.meds.tree import END, FAR, FIRST_COORDINATE, GONE, NEXT

    p, n = points.shape
    order = np.argsort((np.sqrt(np.arange(2.0, p + 2.0))[:, np.newaxis] * points).sum(axis=0))
    ordered = points.take(order, axis=1)
    new = np.ones(n, np.bool_)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    starts = np.flatnonzero(new)
    if len(starts) < n:
        order = order[np.lexsort((order, np.cumsum(new)))]
    places = np.zeros((FIRST_COORDINATE + p, len(starts)))
    places[GONE], places[FAR] = 0.0, np.inf
    places[FIRST_COORDINATE:] = ordered[:, starts]
    queues = np.full((6, len(starts)), -1, np.int64)
    queues[NEXT], queues[END] = starts, np.append(starts[1:], n)
    return places, queues, order


def _grow(points: Floats, queues: Ints, members: Ints, k: int) -> PointTree:
    """A tree of the points that are left, in the order of the tree."""
    from swapmeet.methods.meds import tree
    from swapmeet.methods.meds.rounds import prepare

    left = np.flatnonzero(points[tree.GONE] == 0.0)
    points, queues = points.take(left, axis=1), queues.take(left, axis=1)
    coordinates = points[tree.FIRST_COORDINATE :]
    centred = coordinates - coordinates.mean(axis=1, keepdims=True)
    points[tree.CENTRE] = np.sqrt((centred * centred).sum(axis=0))
    order = np.arange(len(left))
    nodes = tree.grow(points, order, *(FEW if len(coordinates) <= FEW_DIMENSIONS else MANY))
    queues = queues.take(order, axis=1)
    queues[tree.HEAD], queues[tree.MATE] = members[queues[tree.NEXT]], -1
    boxes = np.full((len(nodes), 2, len(points)), np.inf)
    prepare(points, queues, nodes, boxes)
    sizes = nodes[:, tree.STOP] - nodes[:, tree.START]
    return tree.PointTree(
        points,
        queues,
        members,
        nodes,
        boxes,
        stack=np.empty(len(nodes) + 1, np.int64),
        bounds=np.empty(len(nodes) + 1),
        away=np.empty(int(sizes[nodes[:, tree.RIGHT] == 0].max())),
        near=np.empty(k - 1),
        found=np.empty((k - 1, 2), np.int64),
        taken=np.empty(2 * k, np.int64),
    )
