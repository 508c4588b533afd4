"""The rows nearest to a point, among those that are left.

The search goes depth first, the nearer child first, and skips nodes that are no nearer than the
farthest of the k - 1 rows found so far. Inner calls take plain arrays, since they are made for
every node or row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.equi_depth.tree import (
    CENTRE,
    END,
    FIRST_COORDINATE,
    HIGH,
    LEAST,
    LOW,
    NEXT,
    NOBODY,
    RIGHT,
    START,
    STOP,
    TINY,
    PointTree,
    measure,
)
from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats, Ints

LARGEST = np.finfo(np.float64).max
ROUNDING = 1e-12
"""More than the share of a distance from the centre that is lost by rounding."""
ROW, POINT = 0, 1
"""Columns of `found`."""


@kernel
def nearest(at: int, tree: PointTree) -> None:
    """Fill `found` with the rows nearest to a point, and their points; of several, the lowest rows.

    `near` has their distances. The two are a heap with the farthest row on top.
    """
    points, queues, members = tree.points, tree.queues, tree.members
    nodes, boxes, stack, bounds = tree.nodes, tree.boxes, tree.stack, tree.bounds
    away, near, found = tree.away, tree.near, tree.found
    size = 0
    stack[0], bounds[0] = 0, 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node, bound = stack[waiting], bounds[waiting]
        if size < near.shape[0] or _before(bound, nodes[node, LEAST], near[0], found[0, ROW]):
            if nodes[node, RIGHT] > 0:
                waiting = _push(at, node, waiting, points, nodes, boxes, stack, bounds)
            else:
                size = _nearest_in_leaf(
                    at, node, size, points, queues, members, nodes, away, near, found
                )


@kernel
def _push(
    at: int, node: int, waiting: int, points: Floats, nodes: Ints, boxes: Floats,
    stack: Ints, bounds: Floats,
) -> int:  # fmt: skip
    """Put the children on the stack, the nearer on top, but not those that are empty."""
    left, right = node + 1, nodes[node, RIGHT]
    a, b = 0.0, 0.0
    for t in range(FIRST_COORDINATE, points.shape[0]):
        here = points[t, at]
        x, y = boxes[left, LOW, t] - here, here - boxes[left, HIGH, t]
        x = x if x > y else y
        x = x if x > 0.0 else 0.0
        a += x * x
        x, y = boxes[right, LOW, t] - here, here - boxes[right, HIGH, t]
        x = x if x > y else y
        x = x if x > 0.0 else 0.0
        b += x * x
    x = _centre_gap(points[CENTRE, at], boxes[left, LOW, CENTRE], boxes[left, HIGH, CENTRE])
    a = a if a > x else x
    x = _centre_gap(points[CENTRE, at], boxes[right, LOW, CENTRE], boxes[right, HIGH, CENTRE])
    b = b if b > x else x
    turned = a > b
    stack[waiting], bounds[waiting] = left if turned else right, a if turned else b
    waiting += 1 if nodes[stack[waiting], LEAST] < NOBODY else 0
    stack[waiting], bounds[waiting] = right if turned else left, b if turned else a
    return waiting + (1 if nodes[stack[waiting], LEAST] < NOBODY else 0)


@kernel
def _centre_gap(here: float, low: float, high: float) -> float:
    """A lower bound on the distance of two points, one `here` from the centre, one in a range."""
    x, y = low - here, here - high
    x = (x if x > y else y) - ROUNDING * (here + high)
    return x * x - TINY if x > 0.0 else 0.0


@kernel
def _nearest_in_leaf(
    at: int, node: int, size: int, points: Floats, queues: Ints, members: Ints, nodes: Ints,
    away: Floats, near: Floats, found: Ints,
) -> int:  # fmt: skip
    """Let into the heap the rows of a leaf that belong there; return its size."""
    start, stop = nodes[node, START], nodes[node, STOP]
    measure(at, start, stop, 1.0, points, away)
    worst = near[0] if size == near.shape[0] else LARGEST
    for i in range(start, stop):
        if away[i - start] <= worst:
            size = _admit(i, away[i - start], size, queues, members, near, found)
            worst = near[0] if size == near.shape[0] else LARGEST
    return size


@kernel
def _admit(
    i: int, d: float, size: int, queues: Ints, members: Ints, near: Floats, found: Ints
) -> int:
    """Let into the heap the rows of a point that belong there; return its size."""
    for place in range(queues[NEXT, i], queues[END, i]):
        row = members[place]
        if size < near.shape[0]:
            near[size], found[size, ROW], found[size, POINT] = d, row, i
            _rise(size, near, found)
            size += 1
        elif _before(d, row, near[0], found[0, ROW]):
            near[0], found[0, ROW], found[0, POINT] = d, row, i
            _sink(near, found)
        else:
            break
    return size


@kernel
def _before(a: float, row: int, b: float, other: int) -> bool:
    """Return whether a row at distance `a` comes before another at `b`."""
    return a < b or (a == b and row < other)


@kernel
def _rise(place: int, near: Floats, found: Ints) -> None:
    """Move the last of the heap up to where it belongs."""
    d, row, i = near[place], found[place, ROW], found[place, POINT]
    above = (place - 1) // 2
    while place > 0 and _before(near[above], found[above, ROW], d, row):
        near[place] = near[above]
        found[place, ROW], found[place, POINT] = found[above, ROW], found[above, POINT]
        place, above = above, (above - 1) // 2
    near[place], found[place, ROW], found[place, POINT] = d, row, i


@kernel
def _sink(near: Floats, found: Ints) -> None:
    """Move the top of the heap down to where it belongs."""
    d, row, i = near[0], found[0, ROW], found[0, POINT]
    place, below, size = 0, 1, near.shape[0]
    while below < size:
        other = below + 1 if below + 1 < size else below
        if _before(near[below], found[below, ROW], near[other], found[other, ROW]):
            below = other
        if _before(d, row, near[below], found[below, ROW]):
            near[place] = near[below]
            found[place, ROW], found[place, POINT] = found[below, ROW], found[below, POINT]
            place, below = below, 2 * below + 1
        else:
            below = size
    near[place], found[place, ROW], found[place, POINT] = d, row, i
