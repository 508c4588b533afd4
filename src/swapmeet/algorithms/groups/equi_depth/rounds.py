"""Round after round, the two rows farthest apart and those nearest to them become groups.

Each point has an upper bound on the distance of the row farthest from it, and so has each node: its
*reach*. Rows only leave, so a bound once found holds for good. A round descends to where the reach
is largest and replaces a point's bound by the true distance, until the largest reach is that of two
known rows. After some patience it bounds whole nodes as well: that pays where many rows lie close
together on one side, like the many small values of a skewed column, each of which would be next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.algorithms.groups.equi_depth.far import bound_reach, farthest
from swapmeet.algorithms.groups.equi_depth.near import POINT, nearest
from swapmeet.algorithms.groups.equi_depth.tree import (
    CENTRE,
    FAR,
    GONE,
    HEAD,
    HIGH,
    LEAF,
    LEAST,
    LOWEST,
    MATE,
    MATE_ROW,
    NOBODY,
    PARENT,
    RIGHT,
    START,
    STOP,
    TOP,
    PointTree,
    fit_leaf,
    fit_node,
    sum_cap,
    take,
    touches,
)
from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats, Ints

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

    A group has one row more than there is room in `found`.
    """
    points, queues, members = tree.points, tree.queues, tree.members
    found, taken = tree.found, tree.taken
    k = found.shape[0] + 1
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
                i = found[place, POINT]
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
    node, off, found = 0, -1, 0
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
                found += 1
                off = at if found > PATIENCE else -1
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
