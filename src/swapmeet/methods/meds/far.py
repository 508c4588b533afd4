"""The row farthest from a point, and the farthest that any row can be from a node.

Both search the tree depth first, the farther child first, and skip nodes whose bound is below the
best distance so far. A bound is summed like a distance, and rounding keeps the order: no bound is
smaller than a distance that it bounds.

The arrays are those of `PointTree`, one by one: these searches are made for many points of a round,
and with a NamedTuple all rounds together took 4 to 7 % longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.jit import kernel
from swapmeet.methods.meds.tree import (
    CENTRE,
    END,
    FIRST_COORDINATE,
    GONE,
    HEAD,
    HIGH,
    LEAST,
    LOW,
    MATE,
    MATE_ROW,
    NEXT,
    NOBODY,
    RIGHT,
    START,
    STOP,
    measure,
    sum_cap,
)

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints


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
