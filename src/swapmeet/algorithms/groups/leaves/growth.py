"""A tree is grown from rows sorted by each predictor, and fresh rows fall through it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from swapmeet.algorithms.groups.leaves.cut import (
    arrange,
    cut_classes,
    cut_numbers,
    first_missing,
    runs_of,
    score_by_classes,
    score_by_mean,
)
from swapmeet.core.base.jit import Codes, Floats, Ints, kernel, lengthen

Flags = npt.NDArray[np.int8]

COLUMN, LEFT, UNSEEN, FIRST, MIDDLE, LAST = range(6)
"""The fields of a node.

COLUMN is that of the predictor, -1 for a leaf. The children are LEFT and LEFT + 1; UNSEEN is 0 or 1
for the child that takes what the node did not see. FIRST is the highest code that goes to the left
or, if the predictor is nominal, levels FIRST to MIDDLE of the list go to the left and those from
MIDDLE to LAST to the right. A leaf holds the rows FIRST to LAST.
"""
FIELDS = 6
LEAF = -1
DIVISIBLE = 3
"""A node is divided if it holds this many times the rows of the smallest leaf (as in rpart)."""


@kernel
def grow(
    orders: Codes, codes: Codes, levels: Ints, nominal: Flags, numbers: Floats, classes: Codes,
    kinds: int, min_leaf: int, least: float,
) -> tuple[Ints, Ints]:  # fmt: skip
    """The nodes of a tree and its list of levels; orders[:, FIRST:LAST] become the rows of leaves.

    Row j of `orders` has the rows sorted by predictor j. The response is `classes`, of which there
    are `kinds`, or `numbers` if `kinds` is 0. A node is divided if that decreases its impurity by
    more than `least`.
    """
    size = orders.shape[1]
    nodes, sets = np.empty((64, FIELDS), np.int64), np.empty((64, 1), np.int64)
    _set_leaf(nodes, 0, 0, size)
    made, listed, waiting = 1, 0, 1
    todo = np.zeros(size // min_leaf + 2, np.int64)
    goes_left, spare = np.zeros(codes.shape[1], np.int8), np.empty(size, np.int32)
    starts, cells = np.empty((2, size + 1), np.int64), np.empty((size, 2), np.int64)
    tallies, scores = np.zeros((5, kinds + 1), np.int64), np.empty((3, max(size, kinds + 1)))
    while waiting > 0:
        waiting -= 1
        node = todo[waiting]
        begin, end = nodes[node, FIRST], nodes[node, LAST]
        if end - begin < DIVISIBLE * min_leaf:
            continue
        column, cut, missing_left = _best_cut(
            orders, codes, levels, nominal, numbers, classes, kinds, min_leaf, least, begin, end,
            spare, starts, cells, tallies, scores,
        )  # fmt: skip
        if column < 0:
            continue
        nodes[node, COLUMN], nodes[node, LEFT] = column, made
        if nominal[column]:
            on_left = _mark(spare, begin, cut, end, end, missing_left, goes_left)
            while listed + levels[column] + 1 > sets.shape[0]:
                sets = lengthen(sets)
            listed = _list_levels(
                orders[column], codes[column], begin, end, goes_left, nodes, node, sets, listed
            )
            nodes[node, UNSEEN] = 2 * on_left < end - begin
        else:
            stop = first_missing(orders[column], codes[column], begin, end, levels[column])
            on_left = _mark(orders[column], begin, cut, stop, end, missing_left, goes_left)
            nodes[node, FIRST] = _threshold(orders[column], codes[column], cut, stop)
            nodes[node, UNSEEN] = 2 * on_left < end - begin if stop == end else not missing_left
        for j in range(orders.shape[0]):
            _divide(orders[j], begin, end, goes_left, spare)
        if made + 2 > nodes.shape[0]:
            nodes = lengthen(nodes)
        _set_leaf(nodes, made, begin, begin + on_left)
        _set_leaf(nodes, made + 1, begin + on_left, end)
        todo[waiting], todo[waiting + 1] = made + 1, made
        waiting += 2
        made += 2
    return nodes[:made].copy(), sets[:listed].copy()


@kernel
def _best_cut(
    orders: Codes, codes: Codes, levels: Ints, nominal: Flags, numbers: Floats, classes: Codes,
    kinds: int, min_leaf: int, least: float, begin: int, end: int, spare: Codes, starts: Ints,
    cells: Ints, tallies: Ints, scores: Floats,
) -> tuple[int, int, bool]:  # fmt: skip
    """Predictor, place and side of missing values of the best cut; predictor -1 if there is none.

    If the predictor is nominal, `spare` has the node's rows as they are to be cut.
    """
    here, counts = tallies[0], tallies[1]
    present, mean = 0, 0.0
    if kinds:
        present = _count_classes(orders[0], begin, end, classes, here, counts)
    else:
        mean = _mean(orders[0], begin, end, numbers)
    found, place, missing_left, arranged = -1, -1, False, -1
    for j in range(orders.shape[0]):
        if _is_constant(orders[j], codes[j], begin, end):
            continue
        order, stop = orders[j], end
        if nominal[j]:
            _arrange_levels(order, codes[j], begin, end, numbers, classes, kinds, present, spare,
                            starts, cells, tallies, scores)  # fmt: skip
            order, arranged = spare, j
        else:
            stop = first_missing(order, codes[j], begin, end, levels[j])
        if kinds:
            gain, cut, side = cut_classes(order, codes[j], begin, stop, end, classes, here, present,
                                          counts, tallies[2], tallies[3], min_leaf)  # fmt: skip
        else:
            gain, cut, side = cut_numbers(
                order, codes[j], begin, stop, end, numbers, mean, min_leaf
            )
        if gain > least:
            least, found, place, missing_left = gain, j, cut, side
    if found >= 0 and nominal[found] and arranged != found:
        _arrange_levels(orders[found], codes[found], begin, end, numbers, classes, kinds, present,
                        spare, starts, cells, tallies, scores)  # fmt: skip
    for k in range(present):
        counts[here[k]] = 0
    return found, place, missing_left


@kernel
def _is_constant(order: Codes, codes: Codes, begin: int, end: int) -> bool:
    return codes[order[begin]] == codes[order[end - 1]]


@kernel
def _arrange_levels(
    order: Codes, codes: Codes, begin: int, end: int, numbers: Floats, classes: Codes, kinds: int,
    present: int, spare: Codes, starts: Ints, cells: Ints, tallies: Ints, scores: Floats,
) -> None:  # fmt: skip
    """Put a node's rows in `spare` such that any cut between levels is worth a try."""
    runs = runs_of(order, codes, begin, end, starts[0])
    if kinds:
        score_by_classes(order, starts[0], runs, classes, tallies[0], present, tallies[1],
                         tallies[4], cells, starts[1], scores[1], scores[2], scores[0])  # fmt: skip
    else:
        score_by_mean(order, starts[0], runs, numbers, scores[0])
    arrange(order, starts[0], runs, scores[0], starts[1], spare)


@kernel
def _mean(order: Codes, begin: int, end: int, numbers: Floats) -> float:
    total = 0.0
    for i in range(begin, end):
        total += numbers[order[i]]
    return total / (end - begin)


@kernel
def _count_classes(
    order: Codes, begin: int, end: int, classes: Codes, here: Ints, counts: Ints
) -> int:
    """How many classes occur; `here` lists them. `counts` is 0 before."""
    present = 0
    for i in range(begin, end):
        which = classes[order[i]]
        if counts[which] == 0:
            here[present] = which
            present += 1
        counts[which] += 1
    return present


@kernel
def _set_leaf(nodes: Ints, node: int, begin: int, end: int) -> None:
    nodes[node, COLUMN], nodes[node, LEFT], nodes[node, UNSEEN] = LEAF, 0, 0
    nodes[node, FIRST], nodes[node, MIDDLE], nodes[node, LAST] = begin, 0, end


@kernel
def _mark(
    order: Codes, begin: int, cut: int, stop: int, end: int, missing_left: bool, goes_left: Flags
) -> int:
    """Mark the rows that go to the left, and count them."""
    on_left = 0
    for i in range(begin, end):
        left = i < cut if i < stop else missing_left
        goes_left[order[i]] = left
        on_left += left
    return on_left


@kernel
def _threshold(order: Codes, codes: Codes, cut: int, stop: int) -> int:
    """The highest code that goes left: half way between the neighbours of the cut, in ranks.

    No code is higher if the cut parts the missing values from the others.
    """
    if cut == stop:
        return np.iinfo(np.int32).max
    return (np.int64(codes[order[cut - 1]]) + codes[order[cut]] - 1) // 2


@kernel
def _list_levels(
    order: Codes, codes: Codes, begin: int, end: int, goes_left: Flags, nodes: Ints, node: int,
    sets: Ints, listed: int,
) -> int:  # fmt: skip
    """List the levels of the left, then those of the right, each ascending."""
    nodes[node, FIRST] = listed
    for side in range(2):
        for i in range(begin, end):
            first = i == begin or codes[order[i]] != codes[order[i - 1]]
            if first and goes_left[order[i]] != side:
                sets[listed, 0] = codes[order[i]]
                listed += 1
        if side == 0:
            nodes[node, MIDDLE] = listed
    nodes[node, LAST] = listed
    return listed


@kernel
def _divide(order: Codes, begin: int, end: int, goes_left: Flags, spare: Codes) -> None:
    """Bring the marked rows to the front; else the order stays."""
    front, behind = begin, 0
    for i in range(begin, end):
        row, left = order[i], int(goes_left[order[i]])
        order[front], spare[behind] = row, row
        front += left
        behind += 1 - left
    for i in range(behind):
        order[front + i] = spare[i]


@kernel
def fall(
    nodes: Codes, sets: Codes, levels: Ints, nominal: Flags, fresh: Codes, leaves: Ints
) -> None:
    """The leaf that each fresh row reaches; fresh[j, i] is its code in predictor j.

    All rows fall by one level at a time: the processor then waits for many of them at once.
    """
    falling = leaves.shape[0] if nodes[0, COLUMN] != LEAF else 0
    rows = np.arange(leaves.shape[0])
    for i in range(leaves.shape[0]):
        leaves[i] = 0
    while falling > 0:
        on = 0
        for k in range(falling):
            i = rows[k]
            node = leaves[i]
            column = nodes[node, COLUMN]
            code = fresh[column, i]
            side = nodes[node, UNSEEN]
            if nominal[column]:
                if _is_listed(sets, nodes[node, FIRST], nodes[node, MIDDLE], code):
                    side = 0
                elif _is_listed(sets, nodes[node, MIDDLE], nodes[node, LAST], code):
                    side = 1
            elif code < levels[column]:
                side = 0 if code <= nodes[node, FIRST] else 1
            node = nodes[node, LEFT] + side
            leaves[i] = node
            rows[on] = i
            on += nodes[node, COLUMN] != LEAF
        falling = on


@kernel
def _is_listed(sets: Codes, begin: int, end: int, code: int) -> bool:
    """Whether the ascending sets[begin:end] have the code."""
    last = end
    while begin < end:
        middle = (begin + end) // 2
        if sets[middle, 0] < code:
            begin = middle + 1
        else:
            end = middle
    return begin < last and sets[begin, 0] == code
