"""A tree of a forest: how its cuts are judged, how it is grown, and which leaf a row falls into.

A cut is judged by the impurity of answers: Gini's index of classes, or the variance of numbers.
`kinds` is the number of classes, 0 where answers are numbers. The sums of some rows are their
weights by class, or the weighted sum of their numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapmeet.algorithms.forests.sorting import sort_rows
from swapmeet.base.arrays import Flags, Floats, Ints, Singles
from swapmeet.base.jit import kernel

TINY = np.finfo(np.float64).eps


class ForestTree(NamedTuple):
    """Nodes: the column that decides (-1 in a leaf), the threshold, the children, the answer."""

    column: Ints
    threshold: Floats
    missing_left: Flags
    children: Ints
    answer: Floats


@kernel
def grow_tree(
    tree: ForestTree, lesson: Lesson, scratch: NodeRoom, looks: int, min_leaf: int
) -> None:
    """Cut nodes until they are pure or would have leaves of fewer than `min_leaf` rows."""
    size, kinds, most = len(scratch.rows), lesson.kinds, len(tree.column)
    waiting, impurities = np.zeros((most, 4), np.int64), np.empty(most)
    waiting[0, 2] = size
    left, made, whole = 1, 1, -1.0
    while left > 0:
        left -= 1
        node, begin = waiting[left, 0], waiting[left, 1]
        end, known = waiting[left, 2], waiting[left, 3]
        impurity = impurities[left]
        weight, squares = add_up(lesson, scratch.rows, begin, end, scratch.total)
        for at in range(len(scratch.total)):
            tree.answer[node, at] = scratch.total[at] / weight
        if whole < 0.0:
            whole, impurity = weight, measure_impurity(scratch.total, weight, squares, kinds)
        if end - begin < max(2 * min_leaf, 2) or impurity <= TINY:
            continue
        cut = find_cut(lesson, scratch, begin, end, weight, known, looks, min_leaf)
        if cut.place >= end:
            continue
        _divide(lesson, scratch.rows, cut, begin, end)
        on_left = _move_left_of(lesson, scratch, begin, cut.place, end, weight)
        low, high = _judge_sides(lesson, scratch, begin, cut.place, weight, on_left, squares)
        if _gain(impurity, low, high, weight, on_left, whole) + TINY < 0.0:
            continue
        tree.column[node], tree.threshold[node] = cut.column, cut.threshold
        tree.missing_left[node] = cut.missing_left
        tree.children[node] = made
        _push(waiting, left, made + 1, cut.place, end, cut.known)
        _push(waiting, left + 1, made, begin, cut.place, cut.known)
        impurities[left], impurities[left + 1] = high, low
        left, made = left + 2, made + 2


@kernel
def _push(waiting: Ints, at: int, node: int, begin: int, end: int, known: int) -> None:
    waiting[at, 0], waiting[at, 1], waiting[at, 2], waiting[at, 3] = node, begin, end, known


def make_scratch(lesson: Lesson, seed: int) -> NodeRoom:
    """Room for the growth of a tree."""
    rows, columns = np.flatnonzero(lesson.weights), len(lesson.features)
    sums = max(lesson.kinds, 1)
    return NodeRoom(
        rows, np.empty(len(rows), np.float32), np.zeros(sums), np.zeros(sums),
        np.arange(columns), np.empty(columns, np.int64), np.array([seed], np.uint32),
    )  # fmt: skip


def make_tree(lesson: Lesson, min_leaf: int) -> ForestTree:
    """A tree of one leaf, with room for all nodes that there may be."""
    most = 2 * max(int(np.count_nonzero(lesson.weights)) // min_leaf, 1) + 1
    return ForestTree(
        np.full(most, -1, np.int64), np.empty(most), np.zeros(most, np.bool_),
        np.empty(most, np.int64), np.empty((most, max(lesson.kinds, 1))),
    )  # fmt: skip


@kernel
def _divide(lesson: Lesson, rows: Ints, cut: Split, begin: int, end: int) -> None:
    """Rows of the left side come first."""
    feature = lesson.features[cut.column]
    while begin < end:
        value = feature[rows[begin]]
        if cut.missing_left if np.isnan(value) else value <= cut.threshold:
            begin += 1
        else:
            end -= 1
            rows[begin], rows[end] = rows[end], rows[begin]


@kernel
def _move_left_of(
    lesson: Lesson, scratch: NodeRoom, begin: int, place: int, end: int, weight: float
) -> float:
    """The weight of the rows before `place`, and their sums."""
    left = scratch.left
    left[:] = 0.0
    return move_left(
        scratch.rows, lesson.answers, lesson.weights, lesson.kinds, scratch.total, left,
        begin, place, end, 0.0, weight,
    )  # fmt: skip


@kernel
def _judge_sides(
    lesson: Lesson, scratch: NodeRoom, begin: int, place: int, weight: float, on_left: float,
    squares: float,
) -> tuple[float, float]:  # fmt: skip
    """The impurities of both sides."""
    total, left, on_right = scratch.total, scratch.left, weight - on_left
    if lesson.kinds > 0:
        low = measure_gini(total, left, 0.0, on_left)
        return low, measure_gini(total, left, -1.0, on_right)
    below = 0.0
    for at in range(begin, place):
        row = scratch.rows[at]
        below += lesson.weights[row] * lesson.answers[row] * lesson.answers[row]
    one, other = left[0] / on_left, (total[0] - left[0]) / on_right
    return below / on_left - one * one, (squares - below) / on_right - other * other


@kernel
def _gain(
    impurity: float, low: float, high: float, weight: float, on_left: float, whole: float
) -> float:
    on_right = weight - on_left
    return (weight / whole) * (impurity - (on_right / weight * high) - (on_left / weight * low))


@kernel
def add_answers(tree: ForestTree, features: Singles, answers: Floats) -> None:
    """Add the answers that a tree gives to rows of (columns, rows)."""
    column, threshold, children = tree.column, tree.threshold, tree.children
    missing_left, answer = tree.missing_left, tree.answer
    for row in range(features.shape[1]):
        node = 0
        while column[node] >= 0:
            value = features[column[node], row]
            left = missing_left[node] if np.isnan(value) else value <= threshold[node]
            node = children[node] if left else children[node] + 1
        for at in range(answer.shape[1]):
            answers[row, at] += answer[node, at]


SAME = np.float32(1e-7)
"""Values of a column that differ by no more are not cut apart."""


class NodeRoom(NamedTuple):
    """Room for the work on a node.

    `rows` are those of all nodes side by side, and `values` those of a column in the same places;
    `columns` has the ones that are known to be constant first, which `constant` keeps in order.
    """

    rows: Ints
    values: Singles
    total: Floats
    left: Floats
    columns: Ints
    constant: Ints
    state: npt.NDArray[np.uint32]


class Split(NamedTuple):
    """Rows whose value is at most the threshold go to the left, `place` is where the right begins.

    `known` columns are constant in the node.
    """

    rating: float
    column: int
    place: int
    threshold: float
    missing_left: bool
    known: int


@kernel
def draw_number(state: npt.NDArray[np.uint32], low: int, high: int) -> int:
    """A random number from `low` up to but not including `high` (Marsaglia's xorshift, 2003)."""
    number = state[0] if state[0] != 0 else np.uint32(1)
    number ^= np.uint32(number << np.uint32(13))
    number ^= np.uint32(number >> np.uint32(17))
    number ^= np.uint32(number << np.uint32(5))
    state[0] = number
    return low + int(number & np.uint32(0x7FFFFFFF)) % (high - low)


@kernel
def find_cut(
    lesson: Lesson, scratch: NodeRoom, begin: int, end: int, weight: float, known: int, looks: int,
    min_leaf: int,
) -> Split:  # fmt: skip
    """The best cut of a node in `looks` columns that are not constant there, if it has any.

    Columns are drawn without replacement; constant ones count among those looked at, but one that
    is not is looked at if there is any.
    """
    columns, values = scratch.columns, scratch.values
    best = Split(-np.inf, -1, end, np.nan, False, known)  # noqa: FBT003
    constants, drawn, visited, rest = 0, 0, 0, len(columns)
    while rest > known + constants and (visited < looks or visited <= constants + drawn):
        visited += 1
        at = draw_number(scratch.state, drawn, rest - constants)
        if at < known:
            columns[drawn], columns[at] = columns[at], columns[drawn]
            drawn += 1
            continue
        at += constants
        column = columns[at]
        missing = _sort_column(lesson, scratch, column, begin, end)
        last = end - missing
        if last == begin or (missing == 0 and values[last - 1] <= values[begin] + SAME):
            columns[at], columns[known + constants] = columns[known + constants], column
            constants += 1
            continue
        rest -= 1
        columns[at], columns[rest] = columns[rest], column
        best = _look_at(lesson, scratch, best, column, begin, end, missing, weight, min_leaf)
    for at in range(known):
        columns[at] = scratch.constant[at]
    for at in range(known, known + constants):
        scratch.constant[at] = columns[at]
    return Split(
        best.rating, best.column, best.place, best.threshold, best.missing_left, known + constants
    )


@kernel
def _sort_column(lesson: Lesson, scratch: NodeRoom, column: int, begin: int, end: int) -> int:
    """Sort the rows of a node by a column, missing values last: how many these are."""
    rows, values, feature = scratch.rows, scratch.values, lesson.features[column]
    at, last = begin, end - 1
    while at <= last:
        if np.isnan(feature[rows[last]]):
            last -= 1
            continue
        if np.isnan(feature[rows[at]]):
            rows[at], rows[last] = rows[last], rows[at]
            last -= 1
        values[at] = feature[rows[at]]
        at += 1
    sort_rows(values, rows, begin, last + 1 - begin)
    return end - 1 - last


@kernel
def _look_at(
    lesson: Lesson, scratch: NodeRoom, best: Split, column: int, begin: int, end: int, missing: int,
    weight: float, min_leaf: int,
) -> Split:  # fmt: skip
    """The best cut so far, or a better one in this column; missing values go to either side."""
    for side in range(2 if missing > 0 else 1):
        if side == 1:
            _rotate(scratch.rows, begin, end, missing)
            _rotate(scratch.values, begin, end, missing)
        best = _try_places(
            lesson, scratch, best, column, begin, end, missing, weight, min_leaf, side == 1
        )
    return best


@kernel
def _rotate(some: npt.NDArray[np.generic], begin: int, end: int, count: int) -> None:
    """The last ones come first."""
    spare = some[end - count : end].copy()
    for at in range(end - 1, begin + count - 1, -1):
        some[at] = some[at - count]
    for at in range(count):
        some[begin + at] = spare[at]


@kernel
def _try_places(
    lesson: Lesson, scratch: NodeRoom, best: Split, column: int, begin: int, end: int, missing: int,
    weight: float, min_leaf: int, missing_left: bool,
) -> Split:  # fmt: skip
    """Try all places between two different values."""
    rows, values, total, left = scratch.rows, scratch.values, scratch.total, scratch.left
    answers, weights, kinds = lesson.answers, lesson.weights, lesson.kinds
    last = end if missing_left else end - missing
    left[:] = 0.0
    on_left, done = 0.0, begin
    at = begin + missing if missing_left else begin
    while at < last:
        at += 1
        while at < last and values[at] <= values[at - 1] + SAME:
            at += 1
        if at < end and at - begin >= min_leaf and end - at >= min_leaf:
            on_left = move_left(
                rows, answers, weights, kinds, total, left, done, at, end, on_left, weight
            )
            done = at
            rating = rate_cut(total, left, weight, on_left, kinds)
            if rating > best.rating:
                only_missing = at == end - missing and not missing_left
                threshold = np.inf if only_missing else values[at - 1] / 2.0 + values[at] / 2.0
                to_left = missing_left if missing > 0 else at - begin > end - at
                best = Split(rating, column, at, threshold, to_left, best.known)
    return best


@kernel
def move_left(
    rows: Ints, answers: Floats, weights: Floats, kinds: int, total: Floats, left: Floats,
    done: int, at: int, end: int, on_left: float, weight: float,
) -> float:  # fmt: skip
    """Put the rows up to `at` on the left side, by the shorter way: the weight there."""
    if at - done <= end - at:
        for place in range(done, at):
            row = rows[place]
            add_row(left, answers[row], weights[row], kinds)
            on_left += weights[row]
        return on_left
    for kind in range(len(total)):
        left[kind] = total[kind]
    on_left = weight
    for place in range(end - 1, at - 1, -1):
        row = rows[place]
        add_row(left, answers[row], -weights[row], kinds)
        on_left -= weights[row]
    return on_left


class Lesson(NamedTuple):
    """Data that a tree learns from: columns of features, and answer and weight of each row."""

    features: Singles
    answers: Floats
    weights: Floats
    kinds: int


@kernel
def add_row(sums: Floats, answer: float, weight: float, kinds: int) -> None:
    """Add a row to sums; a negative weight takes it out."""
    if kinds > 0:
        sums[int(answer)] += weight
    else:
        sums[0] += weight * answer


@kernel
def add_up(lesson: Lesson, rows: Ints, begin: int, end: int, sums: Floats) -> tuple[float, float]:
    """The sums of some rows; their weight, and the sum of the squares of their numbers."""
    answers, weights, kinds = lesson.answers, lesson.weights, lesson.kinds
    weight, squares = 0.0, 0.0
    sums[:] = 0.0
    for at in range(begin, end):
        row = rows[at]
        answer, own = answers[row], weights[row]
        add_row(sums, answer, own, kinds)
        squares += own * answer * answer
        weight += own
    return weight, squares


@kernel
def measure_impurity(sums: Floats, weight: float, squares: float, kinds: int) -> float:
    """Measure how mixed answers with these sums are."""
    if kinds == 0:
        mean = sums[0] / weight
        return squares / weight - mean * mean
    return measure_gini(sums, sums, 0.0, weight)


@kernel
def measure_gini(total: Floats, part: Floats, sign: float, weight: float) -> float:
    """Gini's index of a part, or for `sign` = -1 of what is left of the total."""
    squares = 0.0
    for kind in range(len(part)):
        count = part[kind] if sign == 0.0 else total[kind] - part[kind]
        squares += count * count
    return 1.0 - squares / (weight * weight)


@kernel
def rate_cut(total: Floats, left: Floats, weight: float, on_left: float, kinds: int) -> float:
    """The better the purer both sides are; for numbers up to a constant."""
    on_right = weight - on_left
    if kinds == 0:
        rest = total[0] - left[0]
        return left[0] * left[0] / on_left + rest * rest / on_right
    right = on_right * measure_gini(total, left, -1.0, on_right)
    return -right - on_left * measure_gini(total, left, 0.0, on_left)
