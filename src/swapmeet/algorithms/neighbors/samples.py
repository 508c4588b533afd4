"""Neighbours sought among a few random candidates per row: Methods 1 and 2 of the paper."""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.neighbors.balls import choose
from swapmeet.algorithms.neighbors.nearest import between_points, push
from swapmeet.algorithms.neighbors.search import TOLERANCE, DrawTask
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.tables.microdata import split_by_stratum

ROWS_PER_SAMPLE = 128
"""Rows that share a sample. One sample for all rows would make estimates very noisy."""


def draw_from_samples(task: DrawTask, candidates: int) -> ShortInts:
    """Method 1: each block of rows looks at a fresh random sample of its stratum."""
    points, rule, samples = task.points, task.rule, task.streams.within("sample")
    sizes = np.empty(points.n, np.int32)
    blocks = [
        (stratum[at : at + ROWS_PER_SAMPLE], stratum)
        for stratum in split_by_stratum(np.arange(points.n), task.strata)
        for at in range(0, len(stratum), ROWS_PER_SAMPLE)
    ]

    def some_blocks(begin: int, end: int) -> None:
        for number, (rows, stratum) in enumerate(blocks[begin:end], begin):
            count = min(candidates, len(stratum))
            sample = samples.stream(number).choice(stratum, count, replace=False, shuffle=False)
            _draw_for_rows(
                points.numbers, points.codes, points.costs, rows, sample,
                rule.k, rule.ball, rule.all_ties, task.words, sizes,
            )  # fmt: skip

    task.workers.each(some_blocks, len(blocks), size=16, label="neighbourhoods")
    return sizes


def draw_from_pairs(task: DrawTask, candidates: int) -> ShortInts:
    """Method 2: random pairs, each of which serves both its rows.

    Departure from the paper, which draws pairs independently: the rows of a stratum are put in
    random order on a circle, and each is paired with those at a few random steps to both sides. A
    row's candidates are then a random sample of the stratum as before, but every row has the same
    number of them, none twice, and no list of pairs is kept.
    """
    mixed = task.streams.stream("pairs", "order").permutation(task.points.n)
    sizes = np.empty(task.points.n, np.int32)
    for number, circle in enumerate(split_by_stratum(mixed, task.strata)):
        steps = _steps(len(circle), candidates, task.streams.stream("pairs", "steps", number))
        _draw_in_circle(task, circle, steps, sizes)
    return sizes


def _steps(n: int, candidates: int, stream: np.random.Generator) -> Ints:
    """Steps along a circle of `n` rows that give each row `candidates` others, or all there are."""
    if candidates >= n - 1:
        return np.arange(1, n // 2 + 1)
    half = (n - 1) // 2
    return 1 + stream.choice(half, min(-(-candidates // 2), half), replace=False, shuffle=False)


def _draw_in_circle(task: DrawTask, circle: Ints, steps: Ints, sizes: ShortInts) -> None:
    points, rule = task.points, task.rule

    def stretch(begin: int, end: int) -> None:
        _draw_on_circle(
            points.numbers, points.codes, points.costs, circle, steps, begin, end,
            rule.k, rule.ball, rule.all_ties, task.words, sizes,
        )  # fmt: skip

    task.workers.each(stretch, len(circle), size=2048, label="neighbourhoods")


@kernel
def _draw_for_rows(
    numbers: Floats, codes: ShortInts, costs: Floats, rows: Ints, sample: Ints,
    k: int, ball: float, all_ties: bool, words: Ints, sizes: ShortInts,
) -> None:  # fmt: skip
    away = np.empty(sample.shape[0])
    for row in rows:
        sizes[row] = _draw_among(
            numbers, codes, costs, row, sample, sample.shape[0], away,
            k, ball, all_ties, words[row],
        )  # fmt: skip


@kernel
def _draw_on_circle(
    numbers: Floats, codes: ShortInts, costs: Floats, circle: Ints, steps: Ints, begin: int,
    end: int, k: int, ball: float, all_ties: bool, words: Ints, sizes: ShortInts,
) -> None:  # fmt: skip
    n = circle.shape[0]
    candidates = np.empty(2 * steps.shape[0], np.int64)
    away = np.empty(2 * steps.shape[0])
    for at in range(begin, end):
        count = 0
        for step in steps:
            candidates[count] = circle[(at + step) % n]
            count += 1
            if 2 * step != n:
                candidates[count] = circle[(at - step) % n]
                count += 1
        row = circle[at]
        sizes[row] = _draw_among(
            numbers, codes, costs, row, candidates, count, away,
            k, ball, all_ties, words[row],
        )  # fmt: skip


@kernel
def _draw_among(
    numbers: Floats, codes: ShortInts, costs: Floats, row: int, candidates: Ints, count: int,
    away: Floats, k: int, ball: float, all_ties: bool, words: Ints,
) -> int:  # fmt: skip
    """Draw for one row from the neighbourhood that the rule makes of the candidates."""
    for c in range(count):
        away[c] = np.inf
        if candidates[c] != row:
            away[c] = between_points(numbers, codes, costs, row, candidates[c])
    return draw_by_distances(row, candidates, count, away, k, ball, all_ties, words)


@kernel
def draw_by_distances(
    row: int, candidates: Ints, count: int, away: Floats, k: int, ball: float, all_ties: bool,
    words: Ints,
) -> int:  # fmt: skip
    """Draw for one row among candidates that are so far `away`, squared; infinite: no candidate."""
    far = np.empty(max(k, 1))
    who = np.empty(max(k, 1), np.int64)
    size, inside = 0, 0
    for c in range(count):
        if away[c] == np.inf:
            continue
        inside += away[c] < ball
        if size < k or (k > 0 and away[c] < far[0]):
            size = push(far, who, size, away[c], c)
    inner = outer = ball
    if inside < k:
        inner, outer = far[0] * (1.0 - TOLERANCE), far[0] * (1.0 + TOLERANCE)
    members = np.empty(count, np.int64)
    firm = _gather(away, candidates, count, 0.0, inner, members, 0)
    rivals, places = 0, 0
    if inside < k:
        beyond = np.nextafter(outer, np.inf)
        rivals = _gather(away, candidates, count, inner, beyond, members, firm) - firm
        places = rivals if all_ties else k - firm
    taken = np.empty((words.shape[0], 2), np.int64)
    given = 0
    for j in range(words.shape[0]):
        if words[j] < 0:
            words[j] = row
        elif firm + places == 0:
            words[j] = -1
        else:
            index, given = choose(words[j], firm, rivals, places, taken, given)
            words[j] = members[index]
    return firm + places


@kernel
def _gather(
    away: Floats, candidates: Ints, count: int, low: float, high: float, members: Ints, at: int
) -> int:
    """Append the candidates whose distance is in [low, high) to the first `at` members."""
    for c in range(count):
        if low <= away[c] < high:
            members[at] = candidates[c]
            at += 1
    return at
