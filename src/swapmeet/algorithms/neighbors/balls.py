"""Everything within a radius of a point, as runs of positions, and random draws from them.

A neighbourhood has *sure* members and, where rows tie at the k-th distance, a number of *places*
for which the tied rows compete. Members are never listed one by one: a run is a stretch of
positions of which all, or a counted number, are members. So a neighbourhood of a million rows costs
what its outline costs.
"""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.neighbors.nearest import bounds, from_point_to_leaf
from swapmeet.algorithms.neighbors.tree import RIGHT, START, STOP, Tree
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel, lengthen


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


WHOLE = -1
BEGIN, TOTAL, LEAF = 0, 1, 2


@kernel
def room(runs: Ints, count: int) -> Ints:
    """`runs`, with room for two more behind the first `count`."""
    if count + 2 <= runs.shape[0]:
        return runs
    return lengthen(runs)


@kernel
def add_run(runs: Ints, count: int, start: int, members: int, leaf: int) -> int:
    """Append a run of so many members; return the new number of runs.

    A run holds its start, the running total of members, and the leaf in which they are scattered,
    or WHOLE where they follow each other without a gap.
    """
    if members == 0:
        return count
    before = runs[count - 1, TOTAL] if count > 0 else 0
    runs[count, BEGIN], runs[count, TOTAL], runs[count, LEAF] = start, before + members, leaf
    return count + 1


@kernel
def add_all_but(runs: Ints, count: int, start: int, stop: int, pos: int) -> int:
    """Append positions `start` to `stop` except `pos`."""
    if start <= pos < stop:
        count = add_run(runs, count, start, pos - start, WHOLE)
        return add_run(runs, count, pos + 1, stop - pos - 1, WHOLE)
    return add_run(runs, count, start, stop - start, WHOLE)


@kernel
def total(runs: Ints, count: int) -> int:
    """Count the members that the first `count` runs hold."""
    return runs[count - 1, TOTAL] if count > 0 else 0


@kernel
def locate(runs: Ints, count: int, index: int) -> tuple[int, int]:
    """The run that holds member number `index`, and its number within the run."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        if index < runs[middle, TOTAL]:
            high = middle
        else:
            low = middle + 1
    return low, index - (runs[low - 1, TOTAL] if low > 0 else 0)


@kernel
def choose(
    word: int, firm: int, rivals: int, places: int, taken: Ints, given: int
) -> tuple[int, int]:
    """The member that a word (63 random bits) stands for, and how many places are given away.

    Members are numbered: the `firm` sure ones, then the `rivals` that are tied. All cells of a row
    draw from one and the same neighbourhood: who gets a place among the rivals is decided when the
    place is first drawn, with what the word's bits leave over, and stays. That is the same as
    drawing the set of tied members beforehand.
    """
    size = firm + places
    share = word * 2.0**-63 * size
    index = min(int(share), size - 1)
    if index < firm or places == rivals:
        return index, given
    rival, given = _settle(index - firm, share - index, rivals, taken, given)
    return firm + rival, given


@kernel
def _settle(place: int, chance: float, rivals: int, taken: Ints, given: int) -> tuple[int, int]:
    """The rival that holds a place; a place drawn for the first time goes to a free one.

    `taken` lists (place, rival) of the places given away so far, in the order of the rivals.
    """
    for i in range(given):
        if taken[i, 0] == place:
            return taken[i, 1], given
    rival = min(int(chance * (rivals - given)), rivals - given - 1)
    i = 0
    while i < given and rival >= taken[i, 1]:
        rival += 1
        i += 1
    for j in range(given, i, -1):
        taken[j, 0], taken[j, 1] = taken[j - 1, 0], taken[j - 1, 1]
    taken[i, 0], taken[i, 1] = place, rival
    return rival, given + 1
