"""The nearest others of each point of a leaf, and the squared distances of points and boxes.

The points of one leaf see nearly the same part of the tree. So the tree is climbed once for all of
them, with the distance between boxes; each point then looks at its own distance to a leaf's box
before it looks at the points inside, while these are in the nearest cache.

Distances are squared. A numeric dimension contributes its squared difference. A nominal column
contributes nothing where the levels agree, else the cost of the one level plus the cost of the
other: the squared distance of their two weighted one-hot vectors. To a box of twins (rows all
alike) every bound is exact.
"""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.neighbors.tree import PARENT, RIGHT, START, STOP, Tree
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel, lengthen


@kernel
def nearest_of_batch(
    tree: Tree,
    leaf: int,
    begin: int,
    end: int,
    far: Floats,
    who: Ints,
    sizes: Ints,
    worst: Floats,
    scratch: Floats,
) -> None:
    """For positions `begin` to `end` of `leaf`, fill the max-heaps of the nearest others.

    Row i of `far` (squared distances) and `who` (positions) is the heap of position `begin + i`, of
    `sizes[i]` entries; points infinitely far away are no candidates.
    """
    box, span, limits, nodes = tree.box, tree.span, tree.limits, tree.nodes
    for i in range(end - begin):
        worst[i], sizes[i] = np.inf, 0
    todo = np.empty((64, 1), np.int64)
    limit = _offer(tree, leaf, leaf, begin, end, far, who, sizes, worst, scratch)
    node = leaf
    while node > 0:
        parent = nodes[node, PARENT]
        todo[0, 0] = nodes[parent, RIGHT] if node == parent + 1 else parent + 1
        node = parent
        waiting = 1
        while waiting > 0:
            waiting -= 1
            at = todo[waiting, 0]
            if gap_of_boxes(box, span, limits, leaf, at) >= limit:
                continue
            nearer, farther = at + 1, nodes[at, RIGHT]
            if farther == 0:
                limit = _offer(tree, leaf, at, begin, end, far, who, sizes, worst, scratch)
                continue
            gap_nearer = gap_of_boxes(box, span, limits, leaf, nearer)
            if gap_of_boxes(box, span, limits, leaf, farther) < gap_nearer:
                nearer, farther = farther, nearer
            if waiting + 2 > todo.shape[0]:
                todo = lengthen(todo)
            todo[waiting, 0], todo[waiting + 1, 0] = farther, nearer
            waiting += 2


@kernel
def _offer(
    tree: Tree,
    home: int,
    leaf: int,
    begin: int,
    end: int,
    far: Floats,
    who: Ints,
    sizes: Ints,
    worst: Floats,
    scratch: Floats,
) -> float:
    """Offer the points of `leaf` to the heaps of all positions whose reach extends to its box.

    `home` is the leaf of the positions. Returns how far the farthest-reaching of them still looks.
    """
    numbers, codes, costs, limits = tree.numbers, tree.codes, tree.costs, tree.limits
    box, span = tree.box, tree.span
    start, stop = tree.nodes[leaf, START], tree.nodes[leaf, STOP]
    if _are_one_cell(span, home, leaf):
        codes = codes[:0]
    need = far.shape[1]
    limit = 0.0
    for pos in range(begin, end):
        i = pos - begin
        away = gap(numbers, codes, costs, limits, pos, box, span, leaf)
        if away < worst[i]:
            if stop - start > scratch.shape[0]:
                sizes[i] = _take_twins(start, stop, pos, away, far[i], who[i], sizes[i])
            else:
                m = stop - start
                from_point_to_leaf(numbers, codes, costs, pos, span, leaf, start, m, scratch)
                sizes[i] = _take(start, m, pos, scratch, worst[i], far[i], who[i], sizes[i])
            if sizes[i] == need:
                worst[i] = far[i, 0]
        limit = max(limit, worst[i])
    return limit


@kernel
def _are_one_cell(span: ShortInts, one: int, two: int) -> bool:
    """Return whether all points of two nodes have the same levels: only numbers can differ."""
    for t in range(span.shape[1]):
        if span[one, t] != span[two, t] or span[one, t] != span[one, t ^ 1]:
            return False
    return True


@kernel
def _take(
    start: int, m: int, pos: int, away: Floats, limit: float, far: Floats, who: Ints, size: int
) -> int:
    """Take the points of a leaf that are nearer than the farthest on the heap."""
    for j in range(m):
        if away[j] < limit and start + j != pos:
            size = push(far, who, size, away[j], start + j)
            if size == far.shape[0]:
                limit = far[0]
    return size


@kernel
def _take_twins(
    start: int, stop: int, pos: int, away: float, far: Floats, who: Ints, size: int
) -> int:
    """Of a leaf of twins, all equally far, only as many as the heap holds can matter."""
    need = far.shape[0]
    given = 0
    for at in range(start, stop):
        if given == need or (size == need and away >= far[0]):
            break
        if at != pos:
            size = push(far, who, size, away, at)
            given += 1
    return size


@kernel
def push(far: Floats, who: Ints, size: int, away: float, position: int) -> int:
    """Put a candidate on the max-heap, for the farthest when it is full; return its size."""
    need = far.shape[0]
    if size < need:
        i = size
        while i > 0 and far[(i - 1) >> 1] < away:
            far[i], who[i] = far[(i - 1) >> 1], who[(i - 1) >> 1]
            i = (i - 1) >> 1
        far[i], who[i] = away, position
        return size + 1
    i = 0
    while 2 * i + 1 < need:
        child = 2 * i + 1
        if child + 1 < need and far[child + 1] > far[child]:
            child += 1
        if far[child] <= away:
            break
        far[i], who[i] = far[child], who[child]
        i = child
    far[i], who[i] = away, position
    return size


@kernel
def gap(
    numbers: Floats, codes: ShortInts, costs: Floats, limits: Floats, pos: int,
    box: Floats, span: ShortInts, node: int,
) -> float:  # fmt: skip
    """The least that the point at `pos` can be away from a point in the box of `node`."""
    total = 0.0
    for t in range(numbers.shape[0]):
        x = numbers[t, pos]
        away = max(box[node, 2 * t] - x, x - box[node, 2 * t + 1], 0.0)
        total += away * away
    for t in range(codes.shape[0]):
        code = codes[t, pos]
        first, last = span[node, 2 * t], span[node, 2 * t + 1]
        if code < first or code > last:
            total += costs[t, code] + (costs[t, first] if first == last else limits[t, 0])
    return total


@kernel
def bounds(
    numbers: Floats, codes: ShortInts, costs: Floats, limits: Floats, pos: int,
    box: Floats, span: ShortInts, node: int,
) -> tuple[float, float]:  # fmt: skip
    """The least and the most that the point at `pos` can be away from a point in the box."""
    least, most = 0.0, 0.0
    for t in range(numbers.shape[0]):
        below = box[node, 2 * t] - numbers[t, pos]
        above = numbers[t, pos] - box[node, 2 * t + 1]
        near, far = max(below, above, 0.0), max(-below, -above)
        least += near * near
        most += far * far
    for t in range(codes.shape[0]):
        code, first, last = codes[t, pos], span[node, 2 * t], span[node, 2 * t + 1]
        if first != last:
            most += costs[t, code] + limits[t, 1]
            if code < first or code > last:
                least += costs[t, code] + limits[t, 0]
        elif code != first:
            most += costs[t, code] + costs[t, first]
            least += costs[t, code] + costs[t, first]
    return least, most


@kernel
def gap_of_boxes(box: Floats, span: ShortInts, limits: Floats, one: int, two: int) -> float:
    """The least that a point in one box can be away from a point in the other."""
    total = 0.0
    for t in range(box.shape[1] // 2):
        away = max(
            box[one, 2 * t] - box[two, 2 * t + 1], box[two, 2 * t] - box[one, 2 * t + 1], 0.0
        )
        total += away * away
    for t in range(span.shape[1] // 2):
        if span[one, 2 * t + 1] < span[two, 2 * t] or span[two, 2 * t + 1] < span[one, 2 * t]:
            total += 2.0 * limits[t, 0]
    return total


@kernel
def from_point_to_leaf(
    numbers: Floats, codes: ShortInts, costs: Floats, pos: int,
    span: ShortInts, node: int, start: int, m: int, out: Floats,
) -> None:  # fmt: skip
    """From the point at `pos` to the `m` points of a leaf, vectorised column by column."""
    base = 0.0
    for t in range(codes.shape[0]):
        code, first = codes[t, pos], span[node, 2 * t]
        if first == span[node, 2 * t + 1] and first != code:
            base += costs[t, code] + costs[t, first]
    for j in range(m):
        out[j] = base
    for t in range(numbers.shape[0]):
        x = numbers[t, pos]
        column = numbers[t, start : start + m]
        for j in range(m):
            away = column[j] - x
            out[j] += away * away
    for t in range(codes.shape[0]):
        if span[node, 2 * t] != span[node, 2 * t + 1]:
            code = codes[t, pos]
            levels = codes[t, start : start + m]
            for j in range(m):
                if levels[j] != code:
                    out[j] += costs[t, code] + costs[t, levels[j]]


@kernel
def between_points(numbers: Floats, codes: ShortInts, costs: Floats, one: int, two: int) -> float:
    """Between two points."""
    total = 0.0
    for t in range(numbers.shape[0]):
        away = numbers[t, one] - numbers[t, two]
        total += away * away
    for t in range(codes.shape[0]):
        if codes[t, one] != codes[t, two]:
            total += costs[t, codes[t, one]] + costs[t, codes[t, two]]
    return total
