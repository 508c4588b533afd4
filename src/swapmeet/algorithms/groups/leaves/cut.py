"""Where to cut the rows of a node in two, so that the response differs most between the parts."""

from __future__ import annotations

from swapmeet.core.base.jit import Codes, Floats, Ints, kernel

ROUNDS = 8
"""How often the scores of levels and classes are made from each other."""
GOLDEN = 0.6180339887498949


@kernel
def first_missing(order: Codes, codes: Codes, begin: int, end: int, missing: int) -> int:
    """Where the missing values begin in order[begin:end], which has them last."""
    while end > begin and codes[order[end - 1]] == missing:
        end -= 1
    return end


@kernel
def cut_numbers(
    order: Codes, codes: Codes, begin: int, stop: int, end: int, numbers: Floats, mean: float,
    min_leaf: int,
) -> tuple[float, int, bool]:  # fmt: skip
    """The best cut of order[begin:end] for a response of numbers, whose mean in the node is `mean`.

    Missing values, order[stop:end], go to the right or, if that is better, to the left. Returns the
    decrease of the sum of squares, the place of the first row on the right, and whether missing
    values go to the left; a decrease of 0 where no cut is allowed.
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
    order: Codes, codes: Codes, begin: int, stop: int, end: int, classes: Codes, here: Ints,
    present: int, counts: Ints, left_counts: Ints, right_counts: Ints, min_leaf: int,
) -> tuple[float, int, bool]:  # fmt: skip
    """The best cut for a response of classes, of which here[:present] occur, `counts` times each.

    The decrease is that of the Gini impurity times the number of rows.
    """
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
def runs_of(order: Codes, codes: Codes, begin: int, end: int, starts: Ints) -> int:
    """The number of levels in order[begin:end]; the rows of level r begin at starts[r]."""
    runs = 0
    for i in range(begin, end):
        if i == begin or codes[order[i]] != codes[order[i - 1]]:
            starts[runs] = i
            runs += 1
    starts[runs] = end
    return runs


@kernel
def score_by_mean(order: Codes, starts: Ints, runs: int, numbers: Floats, scores: Floats) -> None:
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
    order: Codes, starts: Ints, runs: int, classes: Codes, here: Ints, present: int, counts: Ints,
    tally: Ints, cells: Ints, cell_starts: Ints, of_class: Floats, sums: Floats, scores: Floats,
) -> None:  # fmt: skip
    """The score of a level lies along the first principal direction of its shares of the classes.

    Reference: Coppersmith, Hong, Hosking (1999). The direction is approached by turns: levels take
    the mean score of their classes, classes the sum over their levels.
    """
    _count_cells(order, starts, runs, classes, tally, cells, cell_starts)
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
    order: Codes, starts: Ints, runs: int, classes: Codes, tally: Ints, cells: Ints,
    cell_starts: Ints,
) -> None:  # fmt: skip
    """For each level, the classes that occur in it and how often; `tally` is 0 before and after."""
    used = 0
    for r in range(runs):
        cell_starts[r] = used
        for i in range(starts[r], starts[r + 1]):
            which = classes[order[i]]
            if tally[which] == 0:
                cells[used, 0] = which
                used += 1
            tally[which] += 1
        for c in range(cell_starts[r], used):
            cells[c, 1] = tally[cells[c, 0]]
            tally[cells[c, 0]] = 0
    cell_starts[runs] = used


@kernel
def arrange(
    order: Codes, starts: Ints, runs: int, scores: Floats, ranked: Ints, arranged: Codes
) -> None:
    """The rows of a node with the levels in the order of their scores."""
    _sort(scores, ranked, runs)
    place = starts[0]
    for k in range(runs):
        for i in range(starts[ranked[k]], starts[ranked[k] + 1]):
            arranged[place] = order[i]
            place += 1


@kernel
def _sort(scores: Floats, ranked: Ints, runs: int) -> None:
    """The levels by rising score in ranked[:runs] (Shell's sort)."""
    for k in range(runs):
        ranked[k] = k
    gap = runs // 2
    while gap > 0:
        for k in range(gap, runs):
            level, place = ranked[k], k
            while place >= gap and scores[level] < scores[ranked[place - gap]]:
                ranked[place] = ranked[place - gap]
                place -= gap
            ranked[place] = level
        gap //= 2
