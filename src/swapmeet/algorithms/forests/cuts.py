"""Cuts of a node: the best one in a few random columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.algorithms.forests.impurity import add_row, rate_cut
from swapmeet.algorithms.forests.sorting import sort_rows
from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.algorithms.forests.impurity import Lesson
    from swapmeet.core.base.arrays import Floats, Ints, Singles

SAME = np.float32(1e-7)
"""Values of a column that differ by no more are not cut apart."""


class Scratch(NamedTuple):
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


class Cut(NamedTuple):
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
    lesson: Lesson, scratch: Scratch, begin: int, end: int, weight: float, known: int, looks: int,
    min_leaf: int,
) -> Cut:  # fmt: skip
    """The best cut of a node in `looks` columns that are not constant there, if it has any.

    Columns are drawn without replacement; constant ones count among those looked at, but one that
    is not is looked at if there is any.
    """
    columns, values = scratch.columns, scratch.values
    best = Cut(-np.inf, -1, end, np.nan, False, known)  # noqa: FBT003
    found, drawn, visited, rest = 0, 0, 0, len(columns)
    while rest > known + found and (visited < looks or visited <= found + drawn):
        visited += 1
        at = draw_number(scratch.state, drawn, rest - found)
        if at < known:
            columns[drawn], columns[at] = columns[at], columns[drawn]
            drawn += 1
            continue
        at += found
        column = columns[at]
        missing = _sort_column(lesson, scratch, column, begin, end)
        last = end - missing
        if last == begin or (missing == 0 and values[last - 1] <= values[begin] + SAME):
            columns[at], columns[known + found] = columns[known + found], column
            found += 1
            continue
        rest -= 1
        columns[at], columns[rest] = columns[rest], column
        best = _look_at(lesson, scratch, best, column, begin, end, missing, weight, min_leaf)
    for at in range(known):
        columns[at] = scratch.constant[at]
    for at in range(known, known + found):
        scratch.constant[at] = columns[at]
    return Cut(
        best.rating, best.column, best.place, best.threshold, best.missing_left, known + found
    )


@kernel
def _sort_column(lesson: Lesson, scratch: Scratch, column: int, begin: int, end: int) -> int:
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
    lesson: Lesson, scratch: Scratch, best: Cut, column: int, begin: int, end: int, missing: int,
    weight: float, min_leaf: int,
) -> Cut:  # fmt: skip
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
    lesson: Lesson, scratch: Scratch, best: Cut, column: int, begin: int, end: int, missing: int,
    weight: float, min_leaf: int, missing_left: bool,
) -> Cut:  # fmt: skip
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
                best = Cut(rating, column, at, threshold, to_left, best.known)
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
