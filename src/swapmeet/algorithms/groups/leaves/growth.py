"""Growth of a decision tree, and the way of fresh rows to their leaf.

The rows stay sorted by every predictor all the time: a node is the same range of places in each of
these orders, and cutting it divides that range in each order without sorting anew.
"""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.groups.leaves.cut import (
    ClassCounts,
    Marks,
    Scratch,
    arrange,
    cut_classes,
    cut_numbers,
    first_missing,
    runs_of,
    score_by_classes,
    score_by_mean,
)
from swapmeet.algorithms.groups.leaves.trees import Predictors, Response
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel, lengthen

COLUMN, LEFT, UNSEEN, FIRST, MIDDLE, LAST = range(6)
"""The fields of a node.

COLUMN is that of the predictor, -1 for a leaf. The children are LEFT and LEFT + 1; UNSEEN is 0 or 1
for the child that takes values the node did not see. FIRST is the highest code that goes to the
left or, if the predictor is nominal, levels FIRST to MIDDLE of the list go to the left and those
from MIDDLE to LAST to the right. A leaf holds the rows FIRST to LAST.
"""
FIELDS = 6
LEAF = -1
DIVISIBLE = 3
"""A node is divided if it holds this many times the rows of the smallest leaf (as in rpart)."""


@kernel
def grow(
    predictors: Predictors, response: Response, min_leaf: int, least: float
) -> tuple[Ints, Ints]:
    """The nodes of a tree and its list of levels; orders[:, FIRST:LAST] become the rows of leaves.

    A node is divided if that decreases its impurity by more than `least`. The `orders` of the
    predictors are changed in place.
    """
    orders, codes, levels, nominal = (
        predictors.orders, predictors.codes, predictors.levels, predictors.nominal,
    )  # fmt: skip
    size = orders.shape[1]
    nodes, sets = np.empty((64, FIELDS), np.int64), np.empty((64, 1), np.int64)
    _set_leaf(nodes, 0, 0, size)
    made, listed, waiting = 1, 0, 1
    todo = np.zeros(size // min_leaf + 2, np.int64)
    scratch = _make_scratch(codes.shape[1], size, response.kinds)
    tally = _make_counts(response.kinds)
    goes_left, spare = scratch.goes_left, scratch.rows
    while waiting > 0:
        waiting -= 1
        node = todo[waiting]
        begin, end = nodes[node, FIRST], nodes[node, LAST]
        if end - begin < DIVISIBLE * min_leaf:
            continue
        column, cut, missing_left = _find_cut(
            predictors, response, min_leaf, least, begin, end, tally, scratch
        )
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
def _make_scratch(n: int, size: int, kinds: int) -> Scratch:
    """Room to cut nodes of up to `size` rows, of a table of `n`."""
    most = max(size, kinds + 1)
    return Scratch(
        np.empty(size, np.int32), np.zeros(n, np.int8),
        np.empty(size + 1, np.int64), np.empty(size + 1, np.int64), np.empty((size, 2), np.int64),
        np.empty(most), np.empty(most), np.empty(most),
    )  # fmt: skip


@kernel
def _make_counts(kinds: int) -> ClassCounts:
    return ClassCounts(
        np.zeros(kinds + 1, np.int64), np.zeros(kinds + 1, np.int64), np.zeros(kinds + 1, np.int64),
        np.zeros(kinds + 1, np.int64), np.zeros(kinds + 1, np.int64),
    )  # fmt: skip


@kernel
def _find_cut(
    predictors: Predictors, response: Response, min_leaf: int, least: float, begin: int, end: int,
    tally: ClassCounts, scratch: Scratch,
) -> tuple[int, int, bool]:  # fmt: skip
    """Predictor, place and side of missing values of the best cut; predictor -1 if there is none.

    If the predictor is nominal, `scratch.rows` has the node's rows as they are to be cut.
    """
    orders, codes, levels, nominal = (
        predictors.orders, predictors.codes, predictors.levels, predictors.nominal,
    )  # fmt: skip
    numbers, classes, kinds = response.numbers, response.classes, response.kinds
    here, counts, spare = tally.here, tally.counts, scratch.rows
    present, mean = 0, 0.0
    if kinds:
        present = _count_classes(orders[0], begin, end, classes, here, counts)
    else:
        mean = _mean(orders[0], begin, end, numbers)
    predictor, place, missing_left, arranged = -1, -1, False, -1
    for j in range(orders.shape[0]):
        if _is_constant(orders[j], codes[j], begin, end):
            continue
        order, stop = orders[j], end
        if nominal[j]:
            _arrange_levels(order, codes[j], begin, end, response, present, tally, scratch)
            order, arranged = spare, j
        else:
            stop = first_missing(order, codes[j], begin, end, levels[j])
        if kinds:
            gain, cut, side = cut_classes(order, codes[j], begin, stop, end, classes, present,
                                          min_leaf, tally)  # fmt: skip
        else:
            gain, cut, side = cut_numbers(
                order, codes[j], begin, stop, end, numbers, mean, min_leaf
            )
        if gain > least:
            least, predictor, place, missing_left = gain, j, cut, side
    if predictor >= 0 and nominal[predictor] and arranged != predictor:
        _arrange_levels(
            orders[predictor], codes[predictor], begin, end, response, present, tally, scratch
        )
    for k in range(present):
        counts[here[k]] = 0
    return predictor, place, missing_left


@kernel
def _is_constant(order: ShortInts, codes: ShortInts, begin: int, end: int) -> bool:
    return codes[order[begin]] == codes[order[end - 1]]


@kernel
def _arrange_levels(
    order: ShortInts, codes: ShortInts, begin: int, end: int, response: Response, present: int,
    tally: ClassCounts, scratch: Scratch,
) -> None:  # fmt: skip
    """Arrange a node's rows so that the best set of levels is found by a cut between levels."""
    runs = runs_of(order, codes, begin, end, scratch.starts)
    if response.kinds:
        score_by_classes(order, runs, response.classes, present, tally, scratch)
    else:
        score_by_mean(order, scratch.starts, runs, response.numbers, scratch.scores)
    arrange(order, runs, scratch)


@kernel
def _mean(order: ShortInts, begin: int, end: int, numbers: Floats) -> float:
    total = 0.0
    for i in range(begin, end):
        total += numbers[order[i]]
    return total / (end - begin)


@kernel
def _count_classes(
    order: ShortInts, begin: int, end: int, classes: ShortInts, here: Ints, counts: Ints
) -> int:
    """Count the classes that occur; `here` lists them. `counts` is 0 before."""
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
    order: ShortInts,
    begin: int,
    cut: int,
    stop: int,
    end: int,
    missing_left: bool,
    goes_left: Marks,
) -> int:
    """Mark the rows that go to the left, and count them."""
    on_left = 0
    for i in range(begin, end):
        left = i < cut if i < stop else missing_left
        goes_left[order[i]] = left
        on_left += left
    return on_left


@kernel
def _threshold(order: ShortInts, codes: ShortInts, cut: int, stop: int) -> int:
    """The highest code that goes left: half way between the neighbours of the cut, in ranks.

    All codes go left if the cut separates the missing values from the others.
    """
    if cut == stop:
        return np.iinfo(np.int32).max
    return (np.int64(codes[order[cut - 1]]) + codes[order[cut]] - 1) // 2


@kernel
def _list_levels(
    order: ShortInts, codes: ShortInts, begin: int, end: int, goes_left: Marks, nodes: Ints,
    node: int, sets: Ints, listed: int,
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
def _divide(order: ShortInts, begin: int, end: int, goes_left: Marks, spare: ShortInts) -> None:
    """Bring the marked rows to the front, and otherwise keep the order."""
    front, behind = begin, 0
    for i in range(begin, end):
        row, left = order[i], int(goes_left[order[i]])
        order[front], spare[behind] = row, row
        front += left
        behind += 1 - left
    for i in range(behind):
        order[front + i] = spare[i]


@kernel
def find_leaves(
    nodes: ShortInts, sets: ShortInts, levels: Ints, nominal: Marks, fresh: ShortInts, leaves: Ints
) -> None:
    """Write the leaf that each fresh row reaches; fresh[j, i] is its code in predictor j.

    All rows go down by one level at a time: the processor can then wait for the memory of many
    rows at once.
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
def _is_listed(sets: ShortInts, begin: int, end: int, code: int) -> bool:
    """Return whether the ascending sets[begin:end] have the code."""
    last = end
    while begin < end:
        middle = (begin + end) // 2
        if sets[middle, 0] < code:
            begin = middle + 1
        else:
            end = middle
    return begin < last and sets[begin, 0] == code
