"""Cuts of a node's rows in two, so that the response differs most between the parts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel

Marks = npt.NDArray[np.int8]

ROUNDS = 8
"""Number of times that the scores of levels and classes are computed from each other."""
GOLDEN = 0.6180339887498949
"""Multiples of this, modulo 1, are start scores that differ between classes."""


class Scratch(NamedTuple):
    """Room for the work on one node; what a node leaves there, the next one overwrites.

    - `rows`: the node's rows with the levels of a nominal predictor in the order of their scores;
      `goes_left`: 1 for each row of the table that goes to the left.
    - `starts`: where the rows of each level begin; `places`: where the cells of each level begin,
      then the levels by rising score; `cells`: a class that occurs in a level, and how often.
    - `scores` of the levels, and `class_scores` and `class_sums` from which they come.
    """

    rows: ShortInts
    goes_left: Marks
    starts: Ints
    places: Ints
    cells: Ints
    scores: Floats
    class_scores: Floats
    class_sums: Floats


class ClassCounts(NamedTuple):
    """Counts of each class of the response.

    `here` lists the classes that occur in the node, of which there are `counts`, 0 between nodes;
    `left` and `right` are those on each side of a cut, `in_level` those in a level, 0 between
    levels.
    """

    here: Ints
    counts: Ints
    left: Ints
    right: Ints
    in_level: Ints


@kernel
def first_missing(order: ShortInts, codes: ShortInts, begin: int, end: int, missing: int) -> int:
    """Return where the missing values begin in order[begin:end], which has them last."""
    while end > begin and codes[order[end - 1]] == missing:
        end -= 1
    return end


@kernel
def cut_numbers(
    order: ShortInts, codes: ShortInts, begin: int, stop: int, end: int, numbers: Floats,
    mean: float, min_leaf: int,
) -> tuple[float, int, bool]:  # fmt: skip
    """The best cut of order[begin:end] for a response of numbers, whose mean in the node is `mean`.

    Missing values, order[stop:end], go to the right or, if that is better, to the left. Returns the
    decrease of the sum of squares, the place of the first row on the right, and whether missing
    values go to the left; a decrease of 0 where no cut is allowed.

    With `left` rows on the left, whose values exceed the mean by `excess` in sum, the decrease is
    n · excess² / (left · right).
    """
    best, cut, missing_left = 0.0, -1, False
    for turn in range(1 if stop == end else 2):
        excess, left = 0.0, 0
        if turn == 1:
            left = end - stop
            for i in range(stop, end):
                excess += numbers[order[i]] - mean
        last = stop - 1 if stop == end or turn == 1 else stop
        for i in range(begin, min(last, end - min_leaf)):
            excess += numbers[order[i]] - mean
            left += 1
            both = float(left) * (end - begin - left)
            if (
                excess * excess > best * both
                and min_leaf <= left <= end - begin - min_leaf
                and codes[order[i]] != codes[order[i + 1]]
            ):
                best, cut, missing_left = excess * excess / both, i + 1, turn == 1
    return best * (end - begin), cut, missing_left


@kernel
def cut_classes(
    order: ShortInts, codes: ShortInts, begin: int, stop: int, end: int, classes: ShortInts,
    present: int, min_leaf: int, tally: ClassCounts,
) -> tuple[float, int, bool]:  # fmt: skip
    """The best cut for a response of classes, of which here[:present] occur, `counts` times each.

    The decrease is that of the Gini impurity times the number of rows: the sum of the squared
    counts over the rows, on both sides of the cut, less that of the node.
    """
    here, counts, left_counts, right_counts = tally.here, tally.counts, tally.left, tally.right
    whole = 0.0
    for k in range(present):
        whole += float(counts[here[k]]) ** 2
    none = whole / (end - begin)
    best, cut, missing_left = none, -1, False
    for turn in range(1 if stop == end else 2):
        left, left_squares, right_squares = 0, 0.0, whole
        for k in range(present):
            left_counts[here[k]], right_counts[here[k]] = 0, counts[here[k]]
        if turn == 1:
            left = end - stop
            for i in range(stop, end):
                which = classes[order[i]]
                left_squares += 2 * left_counts[which] + 1
                right_squares -= 2 * right_counts[which] - 1
                left_counts[which] += 1
                right_counts[which] -= 1
        last = stop - 1 if stop == end or turn == 1 else stop
        for i in range(begin, min(last, end - min_leaf)):
            which = classes[order[i]]
            left_squares += 2 * left_counts[which] + 1
            right_squares -= 2 * right_counts[which] - 1
            left_counts[which] += 1
            right_counts[which] -= 1
            left += 1
            right = end - begin - left
            if (
                left_squares * right + right_squares * left > best * (float(left) * right)
                and min_leaf <= left <= end - begin - min_leaf
                and codes[order[i]] != codes[order[i + 1]]
            ):
                best = left_squares / left + right_squares / right
                cut, missing_left = i + 1, turn == 1
    return best - none, cut, missing_left


@kernel
def runs_of(order: ShortInts, codes: ShortInts, begin: int, end: int, starts: Ints) -> int:
    """The number of levels in order[begin:end]; the rows of level r begin at starts[r]."""
    runs = 0
    for i in range(begin, end):
        if i == begin or codes[order[i]] != codes[order[i - 1]]:
            starts[runs] = i
            runs += 1
    starts[runs] = end
    return runs


@kernel
def score_by_mean(
    order: ShortInts, starts: Ints, runs: int, numbers: Floats, scores: Floats
) -> None:
    """The score of a level is its mean: no set of levels is better than the best cut in its order.

    Reference: Breiman, Friedman, Olshen, Stone (1984), theorem 4.5.
    """
    for r in range(runs):
        total = 0.0
        for i in range(starts[r], starts[r + 1]):
            total += numbers[order[i]]
        scores[r] = total / (starts[r + 1] - starts[r])


@kernel
def score_by_classes(
    order: ShortInts,
    runs: int,
    classes: ShortInts,
    present: int,
    tally: ClassCounts,
    scratch: Scratch,
) -> None:
    """The score of a level lies along the first principal direction of its shares of the classes.

    Reference: Coppersmith, Hong, Hosking (1999). The direction is found by power iteration: levels
    take the mean score of their classes, then classes the sum over their levels.
    """
    starts, cells, cell_starts = scratch.starts, scratch.cells, scratch.places
    here, counts, scores = tally.here, tally.counts, scratch.scores
    of_class, sums = scratch.class_scores, scratch.class_sums
    _count_cells(order, runs, classes, tally.in_level, scratch)
    for k in range(present):
        of_class[here[k]] = (k + 1) * GOLDEN % 1.0
    total = starts[runs] - starts[0]
    for _ in range(ROUNDS if present > 2 else 1):
        mean = 0.0
        for k in range(present):
            mean += of_class[here[k]] * counts[here[k]] / total
            sums[here[k]] = 0.0
        for r in range(runs):
            score = 0.0
            for c in range(cell_starts[r], cell_starts[r + 1]):
                score += of_class[cells[c, 0]] * cells[c, 1]
            scores[r] = score / (starts[r + 1] - starts[r]) - mean
            for c in range(cell_starts[r], cell_starts[r + 1]):
                sums[cells[c, 0]] += scores[r] * cells[c, 1]
        largest = 0.0
        for k in range(present):
            largest = max(largest, abs(sums[here[k]]))
        if largest <= 1e-12 * total:
            break
        for k in range(present):
            of_class[here[k]] = sums[here[k]] / largest


@kernel
def _count_cells(
    order: ShortInts, runs: int, classes: ShortInts, in_level: Ints, scratch: Scratch
) -> None:
    """Find the classes that occur in each level, and how often."""
    starts, cells, cell_starts = scratch.starts, scratch.cells, scratch.places
    used = 0
    for r in range(runs):
        cell_starts[r] = used
        for i in range(starts[r], starts[r + 1]):
            which = classes[order[i]]
            if in_level[which] == 0:
                cells[used, 0] = which
                used += 1
            in_level[which] += 1
        for c in range(cell_starts[r], used):
            cells[c, 1] = in_level[cells[c, 0]]
            in_level[cells[c, 0]] = 0
    cell_starts[runs] = used


@kernel
def arrange(order: ShortInts, runs: int, scratch: Scratch) -> None:
    """Write the rows of a node to `rows` with the levels in the order of their scores."""
    starts, ranking, rows = scratch.starts, scratch.places, scratch.rows
    _sort(scratch.scores, ranking, runs)
    place = starts[0]
    for k in range(runs):
        for i in range(starts[ranking[k]], starts[ranking[k] + 1]):
            rows[place] = order[i]
            place += 1


@kernel
def _sort(scores: Floats, ranking: Ints, runs: int) -> None:
    """The levels by rising score in ranking[:runs] (Shell's sort)."""
    for k in range(runs):
        ranking[k] = k
    gap = runs // 2
    while gap > 0:
        for k in range(gap, runs):
            level, place = ranking[k], k
            while place >= gap and scores[level] < scores[ranking[place - gap]]:
                ranking[place] = ranking[place - gap]
                place -= gap
            ranking[place] = level
        gap //= 2
