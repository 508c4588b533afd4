"""The nearest others of each point of a leaf, found for the whole leaf at once.

The points of one leaf see nearly the same part of the tree. So the tree is climbed once for all of
them, with the distance between boxes; each point then looks at its own distance to a leaf's box
before it looks at the points inside, while these are in the nearest cache.
"""

from __future__ import annotations

import numpy as np

from swapmeet.neighbors.distance import from_point_to_leaf, gap, gap_of_boxes
from swapmeet.neighbors.kernel import Codes, Floats, Ints, kernel


@kernel
def nearest_of_batch(
    numbers: Floats, codes: Codes, costs: Floats, limits: Floats, nodes: Ints, box: Floats,
    span: Codes, leaf: int, begin: int, end: int, far: Floats, who: Ints, sizes: Ints,
    worst: Floats, scratch: Floats,
) -> None:  # fmt: skip
    """For positions `begin` to `end` of `leaf`, fill the max-heaps of the nearest others.

    Row i of `far` (squared distances) and `who` (positions) is the heap of position `begin + i`, of
    `sizes[i]` entries; points infinitely far away are no candidates.
    """
    m = end - begin
    worst[:m] = np.inf
    sizes[:m] = 0
    todo = np.empty(64, np.int64)
    todo_gap = np.empty(64)
    _offer(numbers, codes, costs, limits, nodes, box, span, leaf, begin, end,
           far, who, sizes, worst, scratch)  # fmt: skip
    limit = worst[:m].max()
    node = leaf
    while node > 0:
        parent = nodes[node, 3]
        sibling = nodes[parent, 2] if node == parent + 1 else parent + 1
        node = parent
        todo[0], todo_gap[0] = sibling, gap_of_boxes(box, span, limits, leaf, sibling)
        waiting = 1
        while waiting > 0:
            waiting -= 1
            at = todo[waiting]
            if todo_gap[waiting] >= limit:
                continue
            right = nodes[at, 2]
            if right == 0:
                _offer(numbers, codes, costs, limits, nodes, box, span, at, begin, end,
                       far, who, sizes, worst, scratch)  # fmt: skip
                limit = worst[:m].max()
                continue
            nearer, farther = at + 1, right
            gap_nearer = gap_of_boxes(box, span, limits, leaf, nearer)
            gap_farther = gap_of_boxes(box, span, limits, leaf, farther)
            if gap_farther < gap_nearer:
                nearer, farther, gap_nearer, gap_farther = farther, nearer, gap_farther, gap_nearer
            if waiting + 2 > todo.shape[0]:
                todo, todo_gap = np.append(todo, todo), np.append(todo_gap, todo_gap)
            todo[waiting], todo_gap[waiting] = farther, gap_farther
            todo[waiting + 1], todo_gap[waiting + 1] = nearer, gap_nearer
            waiting += 2


@kernel
def _offer(
    numbers: Floats, codes: Codes, costs: Floats, limits: Floats, nodes: Ints, box: Floats,
    span: Codes, leaf: int, begin: int, end: int, far: Floats, who: Ints, sizes: Ints,
    worst: Floats, scratch: Floats,
) -> None:  # fmt: skip
    """Offer the points of `leaf` to the heaps of all positions whose reach extends to its box."""
    start, stop = nodes[leaf, 0], nodes[leaf, 1]
    need = far.shape[1]
    for pos in range(begin, end):
        i = pos - begin
        away = gap(numbers, codes, costs, limits, pos, box, span, leaf)
        if away >= worst[i]:
            continue
        if stop - start > scratch.shape[0]:
            sizes[i] = _take_twins(start, stop, pos, away, far[i], who[i], sizes[i])
        else:
            from_point_to_leaf(numbers, codes, costs, pos, span, leaf, start, stop - start, scratch)
            for j in range(stop - start):
                if scratch[j] < worst[i] and start + j != pos:
                    sizes[i] = push(far[i], who[i], sizes[i], scratch[j], start + j)
                    if sizes[i] == need:
                        worst[i] = far[i, 0]
        if sizes[i] == need:
            worst[i] = far[i, 0]


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
        while i > 0 and far[(i - 1) // 2] < away:
            far[i], who[i] = far[(i - 1) // 2], who[(i - 1) // 2]
            i = (i - 1) // 2
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
