"""A k-d tree of points that lose their rows one by one, and the row farthest from a point in it.

Rows that are alike are one point, at which they wait in a queue. The distance from the centre is
split and bounded like a coordinate: two rows are no farther apart than the sum of theirs, which
says more than a box does when there are many coordinates.

Distances are squared, all but those from the centre, and summed in the order of the coordinates.

The searches for the row farthest from a point go through the tree depth first, the farther child
first, and skip nodes whose bound is below the best distance so far. A bound is summed like a
distance, and rounding keeps the order: no bound is smaller than a distance that it bounds.

The arrays are those of `PointTree`, one by one: these searches are made for many points of a round,
and with a NamedTuple all rounds together took 4 to 7 % longer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel

GONE, FAR, CENTRE, FIRST_COORDINATE = 0, 1, 2, 3
"""Rows of `points`, and the last axis of `boxes`."""
LOW, HIGH = 0, 1
"""The middle axis of `boxes`."""
NEXT, END, HEAD, MATE, MATE_ROW, LEAF = 0, 1, 2, 3, 4, 5
"""Rows of `queues`: where the waiting rows begin and end in `members`, the lowest of them, the
point and the row farthest away (-1 if not known), and the leaf."""
START, STOP, RIGHT, PARENT, LEAST, LOWEST, TOP = 0, 1, 2, 3, 4, 5, 6
"""Columns of `nodes`: where its points begin and end, right child (0 in a leaf), parent (-1 of the
root), the lowest row, the lowest row that may reach farthest, and (in a leaf) the point of that."""
NOBODY = np.iinfo(np.int64).max
"""In place of a row: none is left."""
TINY = 1e-290
"""More than a square can lose where it underflows."""


class PointTree(NamedTuple):
    """The points that are left, the rows that wait there, the nodes above them, and scratch space.

    - `points` (3 + dimensions, points): whether a point is gone (0, or infinity), a bound on the
      distance to the row farthest from it, its distance from the centre of all points, and its
      coordinates.
    - `queues` (6, points): the rows that wait at a point, as a range of `members`.
    - `nodes` (nodes, 7): in preorder, so that the left child of a node follows it.
    - `boxes` (nodes, 2, 3 + dimensions): the least and the largest of what the points of a node
      have. HIGH of FAR is the reach of the node: no row of it is farther than that from any row.
    - `stack` and `bounds`: the nodes that a search still has to visit, and how far or near their
      rows can be. `away`: the distances of the points of a leaf.
    - `near` and `rows`: the distances of the k - 1 nearest rows, and who they are, as a heap.
    - `taken`: the points that lost a row in this round.
    """

    points: Floats
    queues: Ints
    members: Ints
    nodes: Ints
    boxes: Floats
    stack: Ints
    bounds: Floats
    away: Floats
    near: Floats
    rows: Ints
    taken: Ints


@kernel
def grow(points: Floats, order: Ints, leaf: int, weight: float) -> Ints:
    """Bring `points` and `order` in tree order; return the nodes.

    A range of more than `leaf` points is split at the middle of its widest side, where the
    distance from the centre counts `weight` times.
    """
    n = points.shape[1]
    nodes = np.full((2 * n, 7), NOBODY, np.int64)
    todo = np.empty((n + 1, 3), np.int64)
    todo[0, 0], todo[0, 1], todo[0, 2] = 0, n, -1
    waiting, count = 1, 0
    while waiting > 0:
        waiting -= 1
        start, stop, parent = todo[waiting, 0], todo[waiting, 1], todo[waiting, 2]
        node = count
        count += 1
        nodes[node, START], nodes[node, STOP] = start, stop
        nodes[node, RIGHT], nodes[node, PARENT] = 0, parent
        if parent >= 0 and node != parent + 1:
            nodes[parent, RIGHT] = node
        cut = stop if stop - start <= leaf else _split(points, order, start, stop, weight)
        if cut < stop:
            todo[waiting, 0], todo[waiting, 1], todo[waiting, 2] = cut, stop, node
            todo[waiting + 1, 0], todo[waiting + 1, 1], todo[waiting + 1, 2] = start, cut, node
            waiting += 2
    return nodes[:count].copy()


@kernel
def _split(points: Floats, order: Ints, start: int, stop: int, weight: float) -> int:
    """Split a range in two; return where the second part begins, `stop` if all points are alike."""
    widest, side, middle = 0.0, -1, 0.0
    for t in range(CENTRE, points.shape[0]):
        low = high = points[t, start]
        for i in range(start + 1, stop):
            x = points[t, i]
            low = x if x < low else low
            high = x if x > high else high
        width = (high - low) * (weight if t == CENTRE else 1.0)
        if width > widest:
            widest, side = width, t
            middle = low + (high - low) / 2.0
            middle = middle if middle < high else low
    if side < 0:
        return stop
    i, j = start, stop - 1
    while i <= j:
        if points[side, i] <= middle:
            i += 1
        elif points[side, j] > middle:
            j -= 1
        else:
            for t in range(points.shape[0]):
                points[t, i], points[t, j] = points[t, j], points[t, i]
            order[i], order[j] = order[j], order[i]
    return i


@kernel
def fit_leaf(node: int, points: Floats, nodes: Ints, boxes: Floats) -> None:
    """The box of the points in a leaf that are not gone."""
    for t in range(CENTRE, points.shape[0]):
        low, high = np.inf, -np.inf
        for i in range(nodes[node, START], nodes[node, STOP]):
            if points[GONE, i] == 0.0:
                x = points[t, i]
                low = x if x < low else low
                high = x if x > high else high
        boxes[node, LOW, t], boxes[node, HIGH, t] = low, high


@kernel
def fit_node(node: int, nodes: Ints, boxes: Floats) -> bool:
    """The box around the boxes of both children; tells whether it changed."""
    left, right = node + 1, nodes[node, RIGHT]
    changed = False
    for t in range(CENTRE, boxes.shape[2]):
        a, b = boxes[left, LOW, t], boxes[right, LOW, t]
        low = a if a < b else b
        a, b = boxes[left, HIGH, t], boxes[right, HIGH, t]
        high = a if a > b else b
        changed = changed or low != boxes[node, LOW, t] or high != boxes[node, HIGH, t]
        boxes[node, LOW, t], boxes[node, HIGH, t] = low, high
    return changed


@kernel
def touches(i: int, node: int, points: Floats, boxes: Floats) -> bool:
    """Return whether a point lies on a side of a node's box."""
    hit = False
    for t in range(CENTRE, points.shape[0]):
        x = points[t, i]
        hit |= x == boxes[node, LOW, t] or x == boxes[node, HIGH, t]
    return hit


@kernel
def take(i: int, points: Floats, queues: Ints, members: Ints) -> int:
    """Take the lowest row that waits at a point; the point is gone when no other is left."""
    row, place = queues[HEAD, i], queues[NEXT, i] + 1
    over = place == queues[END, i]
    queues[NEXT, i] = place
    queues[HEAD, i] = NOBODY if over else members[place - over]
    points[GONE, i] = np.inf if over else 0.0
    return row


@kernel
def sum_cap(a: float, b: float) -> float:
    """No less than the distance of two points that are `a` and `b` from the centre."""
    return (a + b) * (a + b) * (1.0 + 1e-10) + TINY


@kernel
def measure(at: int, start: int, stop: int, sign: float, points: Floats, away: Floats) -> None:
    """The distances of some points from another, in loops that fill vector registers.

    Those of points that are gone are infinite, with the sign given.
    """
    count = stop - start
    a = points[GONE, start:stop]
    for i in range(count):
        away[i] = sign * a[i]
    for t in range(FIRST_COORDINATE, points.shape[0]):
        a = points[t, start:stop]
        here = points[t, at]
        for i in range(count):
            x = here - a[i]
            away[i] += x * x


@kernel
def farthest(
    at: int, points: Floats, queues: Ints, members: Ints, nodes: Ints, boxes: Floats, stack: Ints,
    bounds: Floats, away: Floats,
) -> float:  # fmt: skip
    """The distance of the row farthest from the head of a point; the row is written to `queues`.

    Of several it is the lowest row. It waits at the same point if all rows that are left do.
    """
    best = -1.0
    queues[MATE, at], queues[MATE_ROW, at] = -1, NOBODY
    if queues[NEXT, at] + 1 < queues[END, at]:
        best = 0.0
        queues[MATE, at], queues[MATE_ROW, at] = at, members[queues[NEXT, at] + 1]
    stack[0], bounds[0] = 0, np.inf
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node, bound = stack[waiting], bounds[waiting]
        if bound > best or (bound == best and nodes[node, LEAST] < queues[MATE_ROW, at]):
            if nodes[node, RIGHT] > 0:
                waiting = _push(at, node, best, waiting, points, nodes, boxes, stack, bounds)
            else:
                best = _farthest_in_leaf(at, node, best, points, queues, nodes, away)
    return best


@kernel
def bound_reach(
    block: int, enough: float, points: Floats, nodes: Ints, boxes: Floats, stack: Ints,
    bounds: Floats,
) -> float:  # fmt: skip
    """An upper bound on the distance of any point of node `block` from any row.

    The search ends as soon as the bound cannot be less than `enough`.
    """
    best = -1.0
    stack[0], bounds[0] = 0, np.inf
    waiting = 1
    while waiting > 0 and best < enough:
        waiting -= 1
        node = stack[waiting]
        if bounds[waiting] > best:
            if nodes[node, RIGHT] > 0:
                waiting = _push_around(block, node, best, waiting, nodes, boxes, stack, bounds)
            else:
                best = _bound_reach_to_leaf(block, node, best, points, nodes, boxes)
    return best


@kernel
def _push(
    at: int, node: int, best: float, waiting: int, points: Floats, nodes: Ints, boxes: Floats,
    stack: Ints, bounds: Floats,
) -> int:  # fmt: skip
    """Put on the stack the children that may hold points as far as `best` from a point."""
    left, right = node + 1, nodes[node, RIGHT]
    a, b = 0.0, 0.0
    for t in range(FIRST_COORDINATE, points.shape[0]):
        here = points[t, at]
        x, y = here - boxes[left, LOW, t], boxes[left, HIGH, t] - here
        x = x if x > y else y
        a += x * x
        x, y = here - boxes[right, LOW, t], boxes[right, HIGH, t] - here
        x = x if x > y else y
        b += x * x
    x = sum_cap(points[CENTRE, at], boxes[left, HIGH, CENTRE])
    a = a if a < x else x
    x = sum_cap(points[CENTRE, at], boxes[right, HIGH, CENTRE])
    b = b if b < x else x
    return _push_both(left, a, right, b, best, waiting, nodes, stack, bounds)


@kernel
def _push_around(
    block: int, node: int, best: float, waiting: int, nodes: Ints, boxes: Floats,
    stack: Ints, bounds: Floats,
) -> int:  # fmt: skip
    """Put on the stack the children that may hold points as far as `best` from node `block`."""
    left, right = node + 1, nodes[node, RIGHT]
    a, b = 0.0, 0.0
    for t in range(FIRST_COORDINATE, boxes.shape[2]):
        low, high = boxes[block, LOW, t], boxes[block, HIGH, t]
        x, y = high - boxes[left, LOW, t], boxes[left, HIGH, t] - low
        x = x if x > y else y
        a += x * x
        x, y = high - boxes[right, LOW, t], boxes[right, HIGH, t] - low
        x = x if x > y else y
        b += x * x
    x = sum_cap(boxes[block, HIGH, CENTRE], boxes[left, HIGH, CENTRE])
    a = a if a < x else x
    x = sum_cap(boxes[block, HIGH, CENTRE], boxes[right, HIGH, CENTRE])
    b = b if b < x else x
    return _push_both(left, a, right, b, best, waiting, nodes, stack, bounds)


@kernel
def _push_both(
    left: int, a: float, right: int, b: float, best: float, waiting: int, nodes: Ints,
    stack: Ints, bounds: Floats,
) -> int:  # fmt: skip
    """Put two nodes on the stack, the farther on top, but not those nearer than `best` or empty."""
    a = a if nodes[left, LEAST] < NOBODY else -np.inf
    b = b if nodes[right, LEAST] < NOBODY else -np.inf
    turned = a < b
    stack[waiting], bounds[waiting] = left if turned else right, a if turned else b
    waiting += 1 if bounds[waiting] >= best else 0
    stack[waiting], bounds[waiting] = right if turned else left, b if turned else a
    return waiting + (1 if bounds[waiting] >= best else 0)


@kernel
def _farthest_in_leaf(
    at: int, node: int, best: float, points: Floats, queues: Ints, nodes: Ints, away: Floats
) -> float:
    """The distance of the farthest so far, or of one in a leaf: farther, or a lower row."""
    start, stop = nodes[node, START], nodes[node, STOP]
    measure(at, start, stop, -1.0, points, away)
    who, row = queues[MATE, at], queues[MATE_ROW, at]
    for i in range(start, stop):
        d = away[i - start]
        if d >= best and i != at and (d > best or queues[HEAD, i] < row):
            best, who, row = d, i, queues[HEAD, i]
    queues[MATE, at], queues[MATE_ROW, at] = who, row
    return best


@kernel
def _bound_reach_to_leaf(
    block: int, node: int, best: float, points: Floats, nodes: Ints, boxes: Floats
) -> float:
    """The largest bound so far, or that of a point in a leaf."""
    for i in range(nodes[node, START], nodes[node, STOP]):
        d = -points[GONE, i]
        for t in range(FIRST_COORDINATE, points.shape[0]):
            x, y = points[t, i] - boxes[block, LOW, t], boxes[block, HIGH, t] - points[t, i]
            x = x if x > y else y
            d += x * x
        x = sum_cap(boxes[block, HIGH, CENTRE], points[CENTRE, i])
        d = d if d < x else x
        best = d if d > best else best
    return best
