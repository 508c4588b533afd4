"""Groups of similar rows on mixed columns, and blocks of groups near in space.

Groups have k to 2k - 1 rows: cells of rows near in space, by cutting in two again and again,
O(n log n).

A cut goes across one direction of the mixed space: each row has a score, the sum over the numbers
of value times slope and over the nominal columns of the score of its level. The direction is found
on a sample of the cell by balanced two-means: it starts along the widest column, then points from
the mean of the lower part to that of the upper one, and the rows are parted anew. Given the two
means no parts of these sizes are nearer to them, so each round brings the parts farther apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.groups.by_value import find_modes
from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import Workers

WAYS = ("near", "tree")
NEAR_ROWS = 20_000
"""In larger tables all groups are cut: to form them from the outside in is quadratic."""
CELL_ROWS = 16_384
"""Cells of about this many rows are cut side by side."""


def group_rows(points: Points, strata: ShortInts, k: int, way: str, workers: Workers) -> Ints:
    """The group of each row, numbered without gaps, by one of the `WAYS`.

    Groups have k to 2k - 1 rows and never cross strata; a stratum with fewer than 2k rows is one.
    `near` forms them from the outside in (MDAV), by the distance of the points, in tables of up to
    `NEAR_ROWS` rows. `tree` cuts until the groups are left, which is O(n log n). Its groups of 10
    lie as close together as those of `near` or up to a quarter less (mean squared distance from the
    centre), those of 3 up to three quarters less.
    """
    cells = _Cells(points, strata, k, workers)
    if way == "near" and points.n <= NEAR_ROWS:
        return _form_inside(points, cells, k, workers)
    cells.cut(2 * k - 1)
    return cells.labels


class _Cells:
    """Cells of rows near in space: parts of `order`, each beginning where `begins` is set."""

    def __init__(self, points: Points, strata: ShortInts, k: int, workers: Workers) -> None:
        self._rows = MixedRows(
            np.ascontiguousarray(points.numbers.T),
            np.ascontiguousarray(points.codes.T),
            points.costs,
        )
        self._k, self._workers = k, workers
        self.order = np.argsort(strata, kind="stable")
        self.begins = np.diff(strata[self.order], prepend=-1) != 0

    @property
    def bounds(self) -> Ints:
        """The first row of each cell, followed by the number of rows."""
        return np.append(np.flatnonzero(self.begins), len(self.order))

    @property
    def labels(self) -> Ints:
        """The cell of each row."""
        labels = np.empty(len(self.order), np.int64)
        labels[self.order] = np.cumsum(self.begins) - 1
        return labels

    def cut(self, most: int) -> None:
        """Cut cells until none has more than `most` rows, or only such of fewer than 2k."""
        if most < CELL_ROWS:
            self._cut_each(CELL_ROWS)
        self._cut_each(most)

    def _cut_each(self, most: int) -> None:
        bounds = self.bounds

        def some_cells(first: int, last: int) -> None:
            some = bounds[first : last + 1]
            cut_cells(self._rows, self.order, some, self._k, most, self.begins)

        cells = len(bounds) - 1
        self._workers.each(some_cells, cells, size=1 + cells // 64, label="cells")


def _form_inside(points: Points, cells: _Cells, k: int, workers: Workers) -> Ints:
    """Groups inside each cell, from the outside in, cells side by side."""
    bounds = cells.bounds
    count = len(bounds) - 1
    inside = workers if count == 1 else workers.inside(1)
    labels = np.empty(points.n, np.int64)
    counts = np.empty(count, np.int64)

    def some_cells(first: int, last: int) -> None:
        for cell in range(first, last):
            rows = np.sort(cells.order[bounds[cell] : bounds[cell + 1]])
            labels[rows] = _form_groups(points.of(rows), k, inside)
            counts[cell] = labels[rows].max() + 1

    workers.each(some_cells, count, size=1 + count // 64, label="groups")
    return labels + (np.cumsum(counts) - counts)[cells.labels]


def _form_groups(points: Points, k: int, workers: Workers) -> Ints:
    from swapmeet.algorithms.groups.mdav.rounds import mdav

    if points.n < 2 * k:
        return np.zeros(points.n, np.int64)
    return mdav(find_coordinates(points), k, workers, scaled=True)


OWN_AXES = 32
"""So many levels of a nominal column have an axis of their own, the commonest ones."""
SHARED_AXES = 16
"""All other levels are directions in a space of so many dimensions."""
SPREADER = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose multiples have bits that look random (Fibonacci hashing)."""


def find_coordinates(points: Points) -> Floats:
    """Coordinates (dimensions, n) whose squared distances are those of the points.

    Each level that occurs has an axis, on which its rows stand at the root of its cost: the one-hot
    vectors. Two levels need a single axis. A column with more than `OWN_AXES` levels has axes for
    the commonest ones; each of the others is a vector of random signs on `SHARED_AXES` axes, whose
    length is the root of its cost. Rows of the same rare level are then 0 apart, as they should be,
    and rows of two different ones as far as they should be on average, give or take a quarter.
    """
    columns = list(points.numbers)
    for codes, costs in zip(points.codes, points.costs, strict=True):
        columns.extend(_spread_levels(codes, costs))
    return np.stack(columns) if columns else np.empty((0, points.n))


def _spread_levels(codes: ShortInts, costs: Floats) -> Iterator[Floats]:
    levels, counts = np.unique(codes, return_counts=True)
    levels = levels[np.argsort(-counts, kind="stable")]
    if len(levels) == 2:
        yield np.where(codes == levels[0], np.sqrt(costs[levels].sum()), 0.0)
    elif len(levels) > 2:
        for level in levels[:OWN_AXES]:
            yield np.where(codes == level, np.sqrt(costs[level]), 0.0)
        if len(levels) > OWN_AXES:
            yield from _point_by_signs(codes, costs, np.isin(codes, levels[OWN_AXES:]))


def _point_by_signs(codes: ShortInts, costs: Floats, rare: Flags) -> Iterator[Floats]:
    """Levels as vectors of signs, by a hash of their code; 0 for those that are not rare."""
    lengths = np.where(rare, np.sqrt(costs[codes] / SHARED_AXES), 0.0)
    hashed = ((codes.astype(np.uint64) + np.uint64(1)) * SPREADER) ^ SPREADER
    hashed ^= hashed >> np.uint64(29)
    hashed *= SPREADER
    for axis in range(SHARED_AXES):
        signs = (hashed >> np.uint64(63 - axis)) & np.uint64(1)
        yield np.where(signs == 1, lengths, -lengths)


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


class ScoreDirection(NamedTuple):
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
    way = ScoreDirection(np.zeros(rows.numbers.shape[1]), np.zeros(rows.costs.shape))
    for cell in range(bounds.shape[0] - 1):
        _cut_cell(rows, order, bounds[cell], bounds[cell + 1], k, most, begins, way)


@kernel
def _cut_cell(
    rows: MixedRows, order: Ints, begin: int, end: int, k: int, most: int,
    begins: Flags, way: ScoreDirection,
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
    rows: MixedRows, order: Ints, first: int, last: int, middle: int, way: ScoreDirection
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
def _start(rows: MixedRows, some: Ints, way: ScoreDirection) -> bool:
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
def _score(rows: MixedRows, some: Ints, way: ScoreDirection, scores: Floats) -> None:
    for i in range(some.shape[0]):
        row = some[i]
        score = 0.0
        for j in range(rows.numbers.shape[1]):
            score += way.slopes[j] * rows.numbers[row, j]
        for t in range(rows.codes.shape[1]):
            score += way.levels[t, rows.codes[row, t]]
        scores[i] = score


@kernel
def _join_means(rows: MixedRows, some: Ints, lower: int, way: ScoreDirection) -> float:
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
def _clear(rows: MixedRows, order: Ints, first: int, last: int, way: ScoreDirection) -> None:
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


def gather_groups(points: Points, labels: Ints, size: int) -> Ints:
    """For each group the block it belongs to, numbered without gaps.

    Blocks are cut from the middles of the groups, each standing for all its rows: the mean of its
    numbers, and of each nominal column the commonest level. A block has about `size` rows: as many
    groups as have on average so many rows, the last one up to twice as many.
    """
    middles = find_middles(points, labels)
    together = max(round(size * middles.n / max(points.n, 1)), 1)
    return group_rows(middles, np.zeros(middles.n, np.int32), together, "tree", Workers(threads=1))


def find_middles(points: Points, labels: Ints) -> Points:
    """The middle of each group, the groups being numbered without gaps."""
    sizes = np.bincount(labels)
    numbers = [np.bincount(labels, column) / sizes for column in points.numbers]
    codes = [column[find_modes(column, labels)] for column in points.codes]
    return replace(
        points,
        numbers=np.stack(numbers) if numbers else np.empty((0, len(sizes))),
        codes=np.stack(codes) if codes else np.empty((0, len(sizes)), np.int32),
    )
