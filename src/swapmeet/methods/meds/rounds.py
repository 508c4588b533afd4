"""Round after round, the two rows farthest apart and those nearest to them become groups.

Each point has an upper bound on the distance of the row farthest from it, and so has each node: its
*reach*. Rows only leave, so a bound once found holds for good. A round descends to where the reach
is largest and replaces a point's bound by the true distance, until the largest reach is that of two
known rows. After some patience it bounds whole nodes as well: that pays where many rows lie close
together on one side, like the many small values of a skewed column, each of which would be next.

The rows nearest to a point, among those that are left.

The search goes depth first, the nearer child first, and skips nodes that are no nearer than the
farthest of the k - 1 rows found so far. Inner calls take plain arrays, since they are made for
every node or row.
"""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel
from swapmeet.methods.meds.tree import (
    CENTRE,
    END,
    FAR,
    FIRST_COORDINATE,
    GONE,
    HEAD,
    HIGH,
    LEAF,
    LEAST,
    LOW,
    LOWEST,
    MATE,
    MATE_ROW,
    NEXT,
    NOBODY,
    PARENT,
    RIGHT,
    START,
    STOP,
    TINY,
    TOP,
    PointTree,
    bound_reach,
    farthest,
    fit_leaf,
    fit_node,
    measure,
    sum_cap,
    take,
    touches,
)

PATIENCE = 8
"""Points of a round whose true distance is found before whole nodes are bounded."""
STALE, LOOSE = -1, -2
"""In place of the top of a leaf: its ranks must be found anew; its box must be, too."""


@kernel
def prepare(points: Floats, queues: Ints, nodes: Ints, boxes: Floats) -> None:
    """Find the leaves of the points, and the boxes and ranks of the nodes, of a new tree."""
    boxes[0, HIGH, CENTRE] = points[CENTRE].max()
    for node in range(nodes.shape[0] - 1, -1, -1):
        if nodes[node, RIGHT] > 0:
            fit_node(node, nodes, boxes)
            _rank_node(node, nodes, boxes)
        else:
            for i in range(nodes[node, START], nodes[node, STOP]):
                queues[LEAF, i] = node
            fit_leaf(node, points, nodes, boxes)
            _rank_leaf(node, points, queues, nodes, boxes)


@kernel
def form_groups(left: int, until: int, labels: Ints, tree: PointTree) -> int:
    """Form groups until no more than `until` rows are left; return how many are.

    A group has one row more than there is room in `rows` of the tree.
    """
    points, queues, members = tree.points, tree.queues, tree.members
    rows, taken = tree.rows, tree.taken
    k = rows.shape[0] + 1
    label = (labels.shape[0] - left) // k
    while left >= 2 * k and left > until:
        first = _find_outermost(labels, tree)
        second = queues[MATE, first]
        taken[0], taken[1] = first, second
        labels[take(first, points, queues, members)] = label
        labels[take(second, points, queues, members)] = label + 1
        for turn in range(2):
            at = taken[turn]
            nearest(at, tree)
            for place in range(k - 1):
                i = rows[place, POINT]
                taken[2 + turn * (k - 1) + place] = i
                labels[take(i, points, queues, members)] = label + turn
        _update(taken, points, queues, tree.nodes, tree.boxes)
        label += 2
        left -= 2 * k
    return left


@kernel
def _find_outermost(labels: Ints, tree: PointTree) -> int:
    """The point of the first of the two rows farthest apart; its mate is the point of the second.

    Of several pairs it is the one with the lowest first row, then second row. All reaches are upper
    bounds, so a point whose true distance is the largest reach heads the pair sought.
    """
    points, queues, nodes, boxes = tree.points, tree.queues, tree.nodes, tree.boxes
    members, stack, bounds, away = tree.members, tree.stack, tree.bounds, tree.away
    node, off, searches = 0, -1, 0
    while True:
        node = _descend(node, off, nodes, boxes)
        reach, at = boxes[node, HIGH, FAR], nodes[node, TOP]
        if off >= 0:
            cap = bound_reach(node, reach, points, nodes, boxes, stack, bounds)
            if cap < reach:
                node = _lower(node, cap, nodes, boxes)
            else:
                off = -1
            continue
        if points[FAR, at] <= reach:
            if queues[MATE, at] >= 0 and labels[queues[MATE_ROW, at]] < 0:
                return at
            if reach <= sum_cap(boxes[0, HIGH, CENTRE], points[CENTRE, at]):
                points[FAR, at] = farthest(
                    at, points, queues, members, nodes, boxes, stack, bounds, away
                )
                searches += 1
                off = at if searches > PATIENCE else -1
        _rank_leaf(node, points, queues, nodes, boxes)
        node = _settle(node, nodes, boxes)


@kernel
def _descend(node: int, off: int, nodes: Ints, boxes: Floats) -> int:
    """Go down from a node to the leaf that may reach farthest; of equals, that with the lower row.

    Ends early at a node that does not hold the point `off`, unless that is negative. On the way,
    the reach of nodes is lowered to what their parents and the distances from the centre allow.
    Where that changes which way is best, the descent resumes from above.
    """
    while nodes[node, RIGHT] > 0:
        reach = boxes[node, HIGH, FAR]
        cap = sum_cap(boxes[0, HIGH, CENTRE], boxes[node, HIGH, CENTRE])
        if cap < reach:
            node = _lower(node, cap, nodes, boxes)
            continue
        if off >= 0 and not nodes[node, START] <= off < nodes[node, STOP]:
            break
        left, right = node + 1, nodes[node, RIGHT]
        a, b = boxes[left, HIGH, FAR], boxes[right, HIGH, FAR]
        if a > reach:
            a = boxes[left, HIGH, FAR] = reach
            nodes[left, LOWEST] = nodes[left, LEAST]
        if b > reach:
            b = boxes[right, HIGH, FAR] = reach
            nodes[right, LOWEST] = nodes[right, LEAST]
        best, lowest = left, nodes[left, LOWEST]
        if a < b or (a == b and nodes[right, LOWEST] < lowest):
            best, lowest = right, nodes[right, LOWEST]
        if lowest == nodes[node, LOWEST]:
            node = best
        else:
            nodes[node, LOWEST] = lowest
            node = _settle(node, nodes, boxes)
    return node


@kernel
def _lower(node: int, cap: float, nodes: Ints, boxes: Floats) -> int:
    """Lower the reach of a node, which any of its rows may then have; return where to go on."""
    boxes[node, HIGH, FAR], nodes[node, LOWEST] = cap, nodes[node, LEAST]
    return _settle(node, nodes, boxes)


@kernel
def _settle(node: int, nodes: Ints, boxes: Floats) -> int:
    """Rank the nodes above anew, up to the first that stays as it was; return that, or the root."""
    same = False
    while nodes[node, PARENT] >= 0 and not same:
        node = nodes[node, PARENT]
        same = _rank_node(node, nodes, boxes)
    return node


@kernel
def _rank_node(node: int, nodes: Ints, boxes: Floats) -> bool:
    """Reach and rows of a node, from those of its children; tells whether they are as before."""
    left, right = node + 1, nodes[node, RIGHT]
    a, b, reach = boxes[left, HIGH, FAR], boxes[right, HIGH, FAR], boxes[node, HIGH, FAR]
    top = a if a > b else b
    least = min(nodes[left, LEAST], nodes[right, LEAST])
    lowest = nodes[left, LOWEST] if a > b else nodes[right, LOWEST]
    lowest = min(lowest, nodes[left, LOWEST]) if a == b else lowest
    lowest = lowest if top <= reach else least
    same = top >= reach and lowest == nodes[node, LOWEST] and least == nodes[node, LEAST]
    boxes[node, HIGH, FAR] = top if top < reach else reach
    nodes[node, LEAST], nodes[node, LOWEST] = least, lowest
    return same


@kernel
def _rank_leaf(node: int, points: Floats, queues: Ints, nodes: Ints, boxes: Floats) -> None:
    """Reach and rows of a leaf, from its points; none of them reaches farther than the leaf did."""
    reach, outer = boxes[node, HIGH, FAR], boxes[0, HIGH, CENTRE]
    least, lowest, top, best = NOBODY, NOBODY, -1.0, -1
    for i in range(nodes[node, START], nodes[node, STOP]):
        row = queues[HEAD, i]
        if row != NOBODY:
            cap = sum_cap(outer, points[CENTRE, i])
            cap = cap if cap < reach else reach
            far = points[FAR, i]
            if far > cap:
                far = points[FAR, i] = cap
            if far > top or (far == top and row < lowest):
                lowest, top, best = row, far, i
            least = min(least, row)
    nodes[node, LEAST], nodes[node, LOWEST], nodes[node, TOP] = least, lowest, best
    boxes[node, HIGH, FAR] = top


@kernel
def _update(taken: Ints, points: Floats, queues: Ints, nodes: Ints, boxes: Floats) -> None:
    """Bring boxes and ranks up to date after each of these points lost a row."""
    for i in taken:
        leaf = queues[LEAF, i]
        loose = points[GONE, i] > 0.0 and touches(i, leaf, points, boxes)
        nodes[leaf, TOP] = LOOSE if loose else min(nodes[leaf, TOP], STALE)
    for i in taken:
        node = queues[LEAF, i]
        changed, same = nodes[node, TOP] == LOOSE, nodes[node, TOP] >= 0
        if changed:
            fit_leaf(node, points, nodes, boxes)
        if not same:
            _rank_leaf(node, points, queues, nodes, boxes)
        while nodes[node, PARENT] >= 0 and (changed or not same):
            node = nodes[node, PARENT]
            changed = changed and fit_node(node, nodes, boxes)
            same = _rank_node(node, nodes, boxes)


LARGEST = np.finfo(np.float64).max
ROUNDING = 1e-12
"""More than the share of a distance from the centre that is lost by rounding."""
ROW, POINT = 0, 1
"""Columns of `rows`."""


@kernel
def nearest(at: int, tree: PointTree) -> None:
    """Fill `rows` with the rows nearest to a point, and their points; of several, the lowest rows.

    `near` has their distances. The two are a heap with the farthest row on top.
    """
    points, queues, members = tree.points, tree.queues, tree.members
    nodes, boxes, stack, bounds = tree.nodes, tree.boxes, tree.stack, tree.bounds
    away, near, rows = tree.away, tree.near, tree.rows
    size = 0
    stack[0], bounds[0] = 0, 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node, bound = stack[waiting], bounds[waiting]
        if size < near.shape[0] or _before(bound, nodes[node, LEAST], near[0], rows[0, ROW]):
            if nodes[node, RIGHT] > 0:
                waiting = _push(at, node, waiting, points, nodes, boxes, stack, bounds)
            else:
                size = _nearest_in_leaf(
                    at, node, size, points, queues, members, nodes, away, near, rows
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
    away: Floats, near: Floats, rows: Ints,
) -> int:  # fmt: skip
    """Let into the heap the rows of a leaf that belong there; return its size."""
    start, stop = nodes[node, START], nodes[node, STOP]
    measure(at, start, stop, 1.0, points, away)
    worst = near[0] if size == near.shape[0] else LARGEST
    for i in range(start, stop):
        if away[i - start] <= worst:
            size = _admit(i, away[i - start], size, queues, members, near, rows)
            worst = near[0] if size == near.shape[0] else LARGEST
    return size


@kernel
def _admit(
    i: int, d: float, size: int, queues: Ints, members: Ints, near: Floats, rows: Ints
) -> int:
    """Let into the heap the rows of a point that belong there; return its size."""
    for place in range(queues[NEXT, i], queues[END, i]):
        row = members[place]
        if size < near.shape[0]:
            near[size], rows[size, ROW], rows[size, POINT] = d, row, i
            _rise(size, near, rows)
            size += 1
        elif _before(d, row, near[0], rows[0, ROW]):
            near[0], rows[0, ROW], rows[0, POINT] = d, row, i
            _sink(near, rows)
        else:
            break
    return size


@kernel
def _before(a: float, row: int, b: float, other: int) -> bool:
    """Return whether a row at distance `a` comes before another at `b`."""
    return a < b or (a == b and row < other)


@kernel
def _rise(place: int, near: Floats, rows: Ints) -> None:
    """Move the last of the heap up to where it belongs."""
    d, row, i = near[place], rows[place, ROW], rows[place, POINT]
    above = (place - 1) // 2
    while place > 0 and _before(near[above], rows[above, ROW], d, row):
        near[place] = near[above]
        rows[place, ROW], rows[place, POINT] = rows[above, ROW], rows[above, POINT]
        place, above = above, (above - 1) // 2
    near[place], rows[place, ROW], rows[place, POINT] = d, row, i


@kernel
def _sink(near: Floats, rows: Ints) -> None:
    """Move the top of the heap down to where it belongs."""
    d, row, i = near[0], rows[0, ROW], rows[0, POINT]
    place, below, size = 0, 1, near.shape[0]
    while below < size:
        other = below + 1 if below + 1 < size else below
        if _before(near[below], rows[below, ROW], near[other], rows[other, ROW]):
            below = other
        if _before(d, row, near[below], rows[below, ROW]):
            near[place] = near[below]
            rows[place, ROW], rows[place, POINT] = rows[below, ROW], rows[below, POINT]
            place, below = below, 2 * below + 1
        else:
            below = size
    near[place], rows[place, ROW], rows[place, POINT] = d, row, i
