"""Who is farthest from a point, and how far anyone is from a node, among the rows that are left.

A bound is summed as a distance is, and rounding keeps order: no bound falls short of a distance.
"""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.groups.equi_depth.tree import (
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
from swapmeet.core.base.jit import Floats, Ints, kernel


@kernel
def farthest(
    at: int,
    points: Floats,
    lines: Ints,
    members: Ints,
    nodes: Ints,
    boxes: Floats,
    stack: Ints,
    bounds: Floats,
    away: Floats,
) -> float:
    """The distance of the row farthest from the head of a point; who it is goes to `lines`.

    Of several it is the lowest row. It may wait at the same point, if all that are left do.
    """
    best = -1.0
    lines[MATE, at], lines[MATE_ROW, at] = -1, NOBODY
    if lines[NEXT, at] + 1 < lines[END, at]:
        best = 0.0
        lines[MATE, at], lines[MATE_ROW, at] = at, members[lines[NEXT, at] + 1]
    stack[0], bounds[0] = 0, np.inf
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node, bound = stack[waiting], bounds[waiting]
        if bound > best or (bound == best and nodes[node, LEAST] < lines[MATE_ROW, at]):
            if nodes[node, RIGHT] > 0:
                waiting = _push(at, node, best, waiting, points, nodes, boxes, stack, bounds)
            else:
                best = _farthest_in_leaf(at, node, best, points, lines, nodes, away)
    return best


@kernel
def outreach(
    block: int,
    enough: float,
    points: Floats,
    nodes: Ints,
    boxes: Floats,
    stack: Ints,
    bounds: Floats,
) -> float:
    """No less than the distance of any point of node `block` from any row.

    The search ends when it cannot turn out to be less than `enough`.
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
                best = _outreach_to_leaf(block, node, best, points, nodes, boxes)
    return best


@kernel
def _push(
    at: int,
    node: int,
    best: float,
    waiting: int,
    points: Floats,
    nodes: Ints,
    boxes: Floats,
    stack: Ints,
    bounds: Floats,
) -> int:
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
    block: int,
    node: int,
    best: float,
    waiting: int,
    nodes: Ints,
    boxes: Floats,
    stack: Ints,
    bounds: Floats,
) -> int:
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
    left: int,
    a: float,
    right: int,
    b: float,
    best: float,
    waiting: int,
    nodes: Ints,
    stack: Ints,
    bounds: Floats,
) -> int:
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
    at: int, node: int, best: float, points: Floats, lines: Ints, nodes: Ints, away: Floats
) -> float:
    """The distance of the farthest so far, or of one in a leaf: farther, or a lower row."""
    start, stop = nodes[node, START], nodes[node, STOP]
    measure(at, start, stop, -1.0, points, away)
    who, row = lines[MATE, at], lines[MATE_ROW, at]
    for i in range(start, stop):
        d = away[i - start]
        if d >= best and i != at and (d > best or lines[HEAD, i] < row):
            best, who, row = d, i, lines[HEAD, i]
    lines[MATE, at], lines[MATE_ROW, at] = who, row
    return best


@kernel
def _outreach_to_leaf(
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
