"""Everything within a radius of a point, as runs of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.neighbors.distance import bounds, from_point_to_leaf
from swapmeet.algorithms.neighbors.members import add_all_but, add_run, room
from swapmeet.algorithms.neighbors.tree import RIGHT, START, STOP, Tree
from swapmeet.base.jit import kernel, lengthen

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints, ShortInts


@kernel
def within(
    tree: Tree, pos: int, inner: float, outer: float, sure: Ints, tied: Ints, scratch: Floats
) -> tuple[Ints, int, Ints, int]:
    """Others nearer than `inner` go to `sure`, those from `inner` to `outer` to `tied`.

    A box that lies wholly inside one of the two is one run; of a leaf that straddles a border only
    the number of members is taken. Returns the two lists, which may have moved to make room, and
    their lengths.
    """
    numbers, codes, costs, limits = tree.numbers, tree.codes, tree.costs, tree.limits
    nodes, box, span = tree.nodes, tree.box, tree.span
    sure_count, tied_count, waiting = 0, 0, 1
    todo = np.zeros((64, 1), np.int64)
    while waiting > 0:
        waiting -= 1
        node = todo[waiting, 0]
        least, most = bounds(numbers, codes, costs, limits, pos, box, span, node)
        if least > outer:
            continue
        start, stop, right = nodes[node, START], nodes[node, STOP], nodes[node, RIGHT]
        if most < inner:
            sure = room(sure, sure_count)
            sure_count = add_all_but(sure, sure_count, start, stop, pos)
        elif least >= inner and most <= outer:
            tied = room(tied, tied_count)
            tied_count = add_all_but(tied, tied_count, start, stop, pos)
        elif right > 0:
            if waiting + 2 > todo.shape[0]:
                todo = lengthen(todo)
            todo[waiting, 0], todo[waiting + 1, 0] = right, node + 1
            waiting += 2
        else:
            near, far = _count(
                numbers, codes, costs, span, pos, node, start, stop, inner, outer, scratch
            )
            sure, tied = room(sure, sure_count), room(tied, tied_count)
            sure_count = add_run(sure, sure_count, start, near, node)
            tied_count = add_run(tied, tied_count, start, far, node)
    return sure, sure_count, tied, tied_count


@kernel
def farthest_within(tree: Tree, pos: int, ball: float, scratch: Floats) -> float:
    """The largest squared distance below `ball` at which another is; -1 where nobody is."""
    numbers, codes, costs, limits = tree.numbers, tree.codes, tree.costs, tree.limits
    nodes, box, span = tree.nodes, tree.box, tree.span
    best, waiting = -1.0, 1
    todo = np.zeros((64, 1), np.int64)
    while waiting > 0:
        waiting -= 1
        node = todo[waiting, 0]
        least, most = bounds(numbers, codes, costs, limits, pos, box, span, node)
        if least >= ball or most <= best:
            continue
        start, stop, right = nodes[node, START], nodes[node, STOP], nodes[node, RIGHT]
        if right > 0:
            if waiting + 2 > todo.shape[0]:
                todo = lengthen(todo)
            todo[waiting, 0], todo[waiting + 1, 0] = right, node + 1
            waiting += 2
        elif stop - start > scratch.shape[0]:
            best = max(best, least)
        else:
            from_point_to_leaf(numbers, codes, costs, pos, span, node, start, stop - start, scratch)
            for j in range(stop - start):
                if best < scratch[j] < ball and start + j != pos:
                    best = scratch[j]
    return best


@kernel
def _count(
    numbers: Floats,
    codes: ShortInts,
    costs: Floats,
    span: ShortInts,
    pos: int,
    node: int,
    start: int,
    stop: int,
    inner: float,
    outer: float,
    scratch: Floats,
) -> tuple[int, int]:
    """Count the others in a leaf that are nearer than `inner`, and from there to `outer`."""
    m = stop - start
    from_point_to_leaf(numbers, codes, costs, pos, span, node, start, m, scratch)
    if start <= pos < stop:
        scratch[pos - start] = np.inf
    near, all_near = 0, 0
    for j in range(m):
        near += scratch[j] < inner
        all_near += scratch[j] <= outer
    return near, all_near - near


@kernel
def nth_in_leaf(
    numbers: Floats,
    codes: ShortInts,
    costs: Floats,
    span: ShortInts,
    pos: int,
    node: int,
    start: int,
    stop: int,
    low: float,
    high: float,
    n: int,
    scratch: Floats,
) -> int:
    """The position of the n-th other in a leaf whose distance is in [low, high)."""
    from_point_to_leaf(numbers, codes, costs, pos, span, node, start, stop - start, scratch)
    for j in range(stop - start):
        if low <= scratch[j] < high and start + j != pos:
            if n == 0:
                return start + j
            n -= 1
    return pos
