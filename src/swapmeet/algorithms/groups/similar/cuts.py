"""Cells of rows near in space, by cutting in two again and again, O(n log n).

A cut goes across one direction of the mixed space: each row has a score, the sum over the numbers
of value times slope and over the nominal columns of the score of its level. The direction is found
on a sample of the cell by balanced two-means: it starts along the widest column, then points from
the mean of the lower part to that of the upper one, and the rows are parted anew. Given the two
means no parts of these sizes are nearer to them, so each round brings the parts farther apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Flags, Floats, Ints, ShortInts

SAMPLE = 512
"""At most about this many rows of a cell tell the direction of its cut."""
ROUNDS = 6
"""Largest number of times that the rows of the sample are parted anew."""
GAIN = 1.01
"""Rounds go on while they raise the squared distance of the means by this factor."""
DEPTH = 64
"""More cells than ever wait: each cut halves the number of groups."""


class MixedRows(NamedTuple):
    """The rows of `Points`, row by column, so that those of one row lie side by side."""

    numbers: Floats
    codes: ShortInts
    costs: Floats


class Direction(NamedTuple):
    """Parts of a row's score: a slope for each number, and a score for each level."""

    slopes: Floats
    levels: Floats


@kernel
def cut_cells(rows: MixedRows, order: Ints, bounds: Ints, k: int, most: int, begins: Flags) -> None:
    """Cut cells, of which `bounds` has the ends, into some of at most `most` rows.

    Cells of fewer than 2k rows stay. `order` is arranged so that the rows of a new cell lie side by
    side, and `begins` is set where one begins. Each has a multiple of k rows, all but the last part
    of a cell, which has what is left over.
    """
    way = Direction(np.zeros(rows.numbers.shape[1]), np.zeros(rows.costs.shape))
    for cell in range(bounds.shape[0] - 1):
        _cut_cell(rows, order, bounds[cell], bounds[cell + 1], k, most, begins, way)


@kernel
def _cut_cell(
    rows: MixedRows, order: Ints, begin: int, end: int, k: int, most: int,
    begins: Flags, way: Direction,
) -> None:  # fmt: skip
    scores = np.empty(end - begin)
    firsts, lasts = np.empty(DEPTH, np.int64), np.empty(DEPTH, np.int64)
    firsts[0], lasts[0] = begin, end
    waiting = 1
    while waiting > 0:
        waiting -= 1
        first, last = firsts[waiting], lasts[waiting]
        if last - first <= most or last - first < 2 * k:
            begins[first] = True
            continue
        middle = first + (last - first) // k // 2 * k
        _find_direction(rows, order, first, last, middle, way)
        _score(rows, order[first:last], way, scores)
        _clear(rows, order, first, last, way)
        _part(scores, order[first:last], middle - first)
        firsts[waiting], lasts[waiting] = first, middle
        firsts[waiting + 1], lasts[waiting + 1] = middle, last
        waiting += 2


@kernel
def _find_direction(
    rows: MixedRows, order: Ints, first: int, last: int, middle: int, way: Direction
) -> None:
    """Write the direction across which order[first:last] is cut; all zero if its rows are alike."""
    step = (last - first + SAMPLE - 1) // SAMPLE
    some = order[first:last:step].copy()
    lower = (middle - first) * some.shape[0] // (last - first)
    lower = max(lower, 1)
    scores = np.empty(some.shape[0])
    if not _start(rows, some, way):
        return
    before = 0.0
    for _ in range(ROUNDS):
        _score(rows, some, way, scores)
        _part(scores, some, lower)
        apart = _join_means(rows, some, lower, way)
        if apart <= before * GAIN:
            return
        before = apart


@kernel
def _start(rows: MixedRows, some: Ints, way: Direction) -> bool:
    """Point along the widest column; tells whether there is one.

    Levels stand in the order of how common they are, equally common ones in that of their codes.
    """
    way.slopes[:] = 0.0
    widest, column = 0.0, -1
    for j in range(rows.numbers.shape[1]):
        spread = _measure_number(rows.numbers, some, j)
        if spread > widest:
            widest, column = spread, j
    nominal = -1
    for t in range(rows.codes.shape[1]):
        spread = _count_levels(rows, some, t, way.levels)
        if spread > widest:
            widest, nominal = spread, t
    for t in range(rows.codes.shape[1]):
        for row in some:
            a = rows.codes[row, t]
            count = np.floor(way.levels[t, a])
            way.levels[t, a] = count + a / rows.costs.shape[1] if t == nominal else 0.0
    if column >= 0 and nominal < 0:
        way.slopes[column] = 1.0
    return widest > 0.0


@kernel
def _measure_number(numbers: Floats, some: Ints, j: int) -> float:
    """The sum of squares of a numeric dimension about its mean."""
    origin, total, squares = numbers[some[0], j], 0.0, 0.0
    for row in some:
        x = numbers[row, j] - origin
        total += x
        squares += x * x
    return squares - total * total / some.shape[0]


@kernel
def _count_levels(rows: MixedRows, some: Ints, t: int, levels: Floats) -> float:
    """The same for a nominal column as one-hot vectors; leaves the count of each level behind."""
    for row in some:
        levels[t, rows.codes[row, t]] = 0.0
    for row in some:
        levels[t, rows.codes[row, t]] += 1.0
    total = 0.0
    for row in some:
        a = rows.codes[row, t]
        total += rows.costs[t, a] * (1.0 - levels[t, a] / some.shape[0])
    return total


@kernel
def _score(rows: MixedRows, some: Ints, way: Direction, scores: Floats) -> None:
    for i in range(some.shape[0]):
        row = some[i]
        score = 0.0
        for j in range(rows.numbers.shape[1]):
            score += way.slopes[j] * rows.numbers[row, j]
        for t in range(rows.codes.shape[1]):
            score += way.levels[t, rows.codes[row, t]]
        scores[i] = score


@kernel
def _join_means(rows: MixedRows, some: Ints, lower: int, way: Direction) -> float:
    """Point from the mean of some[:lower] to that of the others; return how far that is, squared.

    A level of cost c whose shares differ by d adds c d² to the distance and c d to a row's score.
    """
    slopes, levels = way.slopes, way.levels
    slopes[:] = 0.0
    _clear(rows, some, 0, some.shape[0], way)
    for i in range(some.shape[0]):
        row = some[i]
        part = -1.0 / lower if i < lower else 1.0 / (some.shape[0] - lower)
        for j in range(slopes.shape[0]):
            slopes[j] += part * rows.numbers[row, j]
        for t in range(levels.shape[0]):
            levels[t, rows.codes[row, t]] += part * rows.costs[t, rows.codes[row, t]]
    apart = (slopes * slopes).sum()
    for i in range(some.shape[0]):
        part = -1.0 / lower if i < lower else 1.0 / (some.shape[0] - lower)
        for t in range(levels.shape[0]):
            apart += part * levels[t, rows.codes[some[i], t]]
    return apart


@kernel
def _clear(rows: MixedRows, order: Ints, first: int, last: int, way: Direction) -> None:
    for t in range(way.levels.shape[0]):
        for i in range(first, last):
            way.levels[t, rows.codes[order[i], t]] = 0.0


@kernel
def _part(scores: Floats, order: Ints, middle: int) -> None:
    """Bring the rows with the least scores before `middle`; of equal ones those of lower number."""
    first, last = 0, order.shape[0] - 1
    while first < last:
        at = (first + last) // 2
        score, row = scores[at], order[at]
        i, j = first, last
        while i <= j:
            while scores[i] < score or (scores[i] == score and order[i] < row):
                i += 1
            while scores[j] > score or (scores[j] == score and order[j] > row):
                j -= 1
            if i <= j:
                scores[i], scores[j] = scores[j], scores[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return
