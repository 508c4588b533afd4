"""The first component: principal, or robust by projection pursuit (Croux and Ruiz-Gazen 2005).

Each row, seen from the medians of the columns, is a direction. The component is the direction on
which the projections of all rows have the largest median absolute deviation, the last one where
several have. Most directions are ruled out by counting: once the median is known to lie between two
bounds, and more than half of the rows are nearer to both than the best deviation so far, a
direction cannot win.
"""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.base.jit import kernel
from swapmeet.base.parallel import Workers

BLOCK = 128
"""Directions of one task."""
TOGETHER = 8
CHUNK = 512
"""TOGETHER directions are projected on CHUNK rows at a time, while these are in the cache."""
TRIES = 6
"""Number of times that the bounds on a median are narrowed before it is computed."""
SURE = 1.0 - 1e-12
"""A deviation below this share of the best one is smaller, whatever rounding does."""


def pursuit_scores(columns: Floats, workers: Workers) -> Floats:
    """The score of each row of `columns` (column by row); a missing value counts as the median."""
    seen = np.stack([_from_median(column) for column in columns])
    n = seen.shape[1]
    deviations = np.zeros(-(-n // BLOCK))
    winners = np.full(len(deviations), -1)

    def some_directions(begin: int, end: int) -> None:
        block = begin // BLOCK
        deviations[block], winners[block] = _best_of(seen, begin, end, deviations.max())

    workers.each(some_directions, n, size=BLOCK, label="directions")
    ties = deviations == deviations[winners >= 0].max(initial=0.0)
    winner = winners[ties].max(initial=-1)
    if winner < 0:
        return np.zeros(n)
    direction = seen[:, winner] / np.linalg.norm(seen[:, winner])
    return project(seen, orient(direction))


def _from_median(column: Floats) -> Floats:
    missing = np.isnan(column)
    present = column[~missing]
    return np.where(missing, 0.0, column - (np.median(present) if len(present) else 0.0))


@kernel
def _best_of(seen: Floats, begin: int, end: int, best: float) -> tuple[float, int]:
    """The largest deviation on the directions of some rows, and the last row that has it.

    Directions with a deviation below `best` do not count; the row is -1 if none does.
    """
    n = seen.shape[1]
    directions, along = np.empty((TOGETHER, seen.shape[0])), np.empty((TOGETHER, n))
    room = np.empty(n)
    winner = -1
    for first in range(begin, end, TOGETHER):
        count = min(TOGETHER, end - first)
        for d in range(count):
            _direct(seen, first + d, directions, d)
        _project(seen, directions, count, along)
        for d in range(count):
            if best > 0.0 and _is_below(along[d], best * SURE):
                continue
            deviation = _deviation(along[d], room)
            if deviation >= best and directions[d].any():
                best, winner = deviation, first + d
    return best, winner


@kernel
def _direct(seen: Floats, row: int, directions: Floats, d: int) -> None:
    """Write the direction of a row; nothing but zeros if it has none."""
    total = 0.0
    for j in range(seen.shape[0]):
        total += seen[j, row] * seen[j, row]
    length = np.sqrt(total)
    for j in range(seen.shape[0]):
        directions[d, j] = seen[j, row] / length if length > 0.0 else 0.0


@kernel
def _project(seen: Floats, directions: Floats, count: int, along: Floats) -> None:
    """Project all rows on some directions."""
    for begin in range(0, seen.shape[1], CHUNK):
        for d in range(count):
            part = along[d, begin : begin + CHUNK]
            for i in range(part.shape[0]):
                part[i] = 0.0
            for j in range(seen.shape[0]):
                loading, column = directions[d, j], seen[j, begin : begin + CHUNK]
                for i in range(part.shape[0]):
                    part[i] += loading * column[i]


@kernel
def _is_below(along: Floats, limit: float) -> bool:
    """Return whether counting shows that the median absolute deviation is below a limit.

    If fewer than half are below `low` and fewer than half above `high`, the median is in between.
    Then those nearer than the limit to both bounds are nearer than that to the median.
    """
    n = along.shape[0]
    middle, width, slope = 0.0, limit / 16.0, n / (3.0 * limit)
    for _ in range(TRIES):
        low, high = middle - width, middle + width
        below, above, near = 0, 0, 0
        for i in range(n):
            below += along[i] < low
            above += along[i] > high
            near += (along[i] > high - limit) & (along[i] < low + limit)
        bounded = 2 * below < n and 2 * above < n
        if bounded and near > n // 2:
            return True
        between = (n - below - above) / (2.0 * width)
        middle += (above - below) / 2.0 / max(between, slope)
        if bounded:
            width /= 4.0
    return False


@kernel
def _deviation(along: Floats, room: Floats) -> float:
    """The median absolute deviation."""
    for i in range(along.shape[0]):
        room[i] = along[i]
    middle = _median(room)
    for i in range(along.shape[0]):
        room[i] = abs(along[i] - middle)
    return _median(room)


@kernel
def _median(values: Floats) -> float:
    """The median, the mean of the two in the middle where there are two; reorders `values`."""
    n = values.shape[0]
    upper = _at_rank(values, n // 2)
    if n % 2 == 1:
        return upper
    lower = values[0]
    for i in range(1, n // 2):
        lower = max(lower, values[i])
    return (lower + upper) / 2.0


@kernel
def _at_rank(values: Floats, rank: int) -> float:
    """The value at a rank, from 0 up; what comes before it is not larger, what follows not less."""
    first, last = 0, values.shape[0] - 1
    while first < last:
        pivot = values[(first + last) // 2]
        i, j = first, last
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            last = j
        elif rank >= i:
            first = i
        else:
            break
    return values[rank]


SLIGHT = 1e-8
"""A loading below this share of the largest is due to rounding."""


def principal_scores(columns: Floats) -> Floats:
    """The score of each row of `columns` (column by row); a missing value counts as the mean."""
    standard = np.stack([_standardise(column) for column in columns])
    _, vectors = np.linalg.eigh(standard @ standard.T)
    return project(standard, orient(vectors[:, -1]))


def orient(direction: Floats) -> Floats:
    """The direction or its opposite: the one in which its first column rises."""
    share = np.abs(direction)
    first = direction[np.argmax(share > SLIGHT * share.max())]
    return -direction if first < 0.0 else direction


def project(columns: Floats, direction: Floats) -> Floats:
    """Project rows on a direction, column by column, so that rows that are alike stay alike."""
    scores = np.zeros(columns.shape[1])
    for column, loading in zip(columns, direction, strict=True):
        scores += loading * column
    return scores


def _standardise(column: Floats) -> Floats:
    """Mean 0 and standard deviation 1; all 0 where the values present do not differ."""
    missing = np.isnan(column)
    present = column[~missing]
    if len(present) == 0 or present.min() == present.max():
        return np.zeros(len(column))
    centred = np.where(missing, 0.0, column - present.mean())
    spread = np.abs(centred).max()
    centred /= spread
    return centred / np.sqrt((centred**2).sum() / len(present))
