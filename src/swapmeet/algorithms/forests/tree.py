"""A tree of a forest: how it is grown, and which leaf a row falls into."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.forests.cuts import Cut, Scratch, find_cut, move_left
from swapmeet.algorithms.forests.impurity import add_up, measure_gini, measure_impurity
from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.algorithms.forests.impurity import Lesson
    from swapmeet.core.base.arrays import Flags, Floats, Ints, Singles

TINY = np.finfo(np.float64).eps


class Tree(NamedTuple):
    """Nodes: the column that decides (-1 in a leaf), the threshold, the children, the answer."""

    column: Ints
    threshold: Floats
    missing_left: Flags
    children: Ints
    answer: Floats


@kernel
def grow_tree(tree: Tree, lesson: Lesson, scratch: Scratch, looks: int, min_leaf: int) -> None:
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


def make_scratch(lesson: Lesson, seed: int) -> Scratch:
    """Room for the growth of a tree."""
    rows, columns = np.flatnonzero(lesson.weights), len(lesson.features)
    sums = max(lesson.kinds, 1)
    return Scratch(
        rows, np.empty(len(rows), np.float32), np.zeros(sums), np.zeros(sums),
        np.arange(columns), np.empty(columns, np.int64), np.array([seed], np.uint32),
    )  # fmt: skip


def make_tree(lesson: Lesson, min_leaf: int) -> Tree:
    """A tree of one leaf, with room for all nodes that there may be."""
    most = 2 * max(int(np.count_nonzero(lesson.weights)) // min_leaf, 1) + 1
    return Tree(
        np.full(most, -1, np.int64), np.empty(most), np.zeros(most, np.bool_),
        np.empty(most, np.int64), np.empty((most, max(lesson.kinds, 1))),
    )  # fmt: skip


@kernel
def _divide(lesson: Lesson, rows: Ints, cut: Cut, begin: int, end: int) -> None:
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
    lesson: Lesson, scratch: Scratch, begin: int, place: int, end: int, weight: float
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
    lesson: Lesson, scratch: Scratch, begin: int, place: int, weight: float, on_left: float,
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
def add_answers(tree: Tree, features: Singles, answers: Floats) -> None:
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
