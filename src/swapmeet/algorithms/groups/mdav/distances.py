"""The distance between records in groups by maximum distance: exact, and quick in single precision.

Distances are squared: each column's difference, squared, times the column's weight (1 / variance,
or 1 where columns are scaled already), added in the order of the columns, so that equal differences
are equal distances. Where one of two values is missing the column costs its range, squared, times
the weight; where both are, nothing. That comes out by itself when missing values sit `FAR_OUT` and
no column may cost more.

Single precision tells which rows need a closer look. Rows stand in blocks of LANES, column by
column, relative to an anchor and scaled so that the distance is Euclidean; one instruction then
serves many rows. The result differs from the exact distance by rounding: `at_most` and `at_least`
bound the difference, so that no row that matters is filtered out. Places without a row are NaN,
which is neither near nor far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Singles
from swapmeet.base.jit import kernel

FAR_OUT = 1e300
AT_ONCE = 4
"""Loops take this many columns at once; constant columns fill the last batch."""


class Metric(NamedTuple):
    """Facts about each column that the distance needs.

    Its weight, the most it can cost, the square root of its weight, and 1 where values are missing.
    """

    weight: Floats
    most: Floats
    scale: Floats
    has_missing: Floats


def measure_columns(columns: Floats, *, scaled: bool = False) -> tuple[Floats, Metric]:
    """The rows as points (row by column), and the metric between them.

    Columns that are `scaled` already have weight 1; those in which rows do not differ are left out.
    """
    spreads = [_measure_spread(column) for column in columns]
    varying = [j for j, (variance, _, _) in enumerate(spreads) if variance > 0.0]
    room = max(-(-len(varying) // AT_ONCE), 1) * AT_ONCE
    values = np.zeros((columns.shape[1], room))
    metric = Metric(np.ones(room), np.zeros(room), np.ones(room), np.zeros(room))
    for at, j in enumerate(varying):
        variance, breadth, missing = spreads[j]
        weight = 1.0 if scaled else 1.0 / variance
        metric.weight[at], metric.most[at] = weight, breadth * breadth * weight
        metric.scale[at], metric.has_missing[at] = np.sqrt(weight), missing.any()
        values[:, at] = np.where(missing, FAR_OUT, columns[j])
    return values, metric


def _measure_spread(column: Floats) -> tuple[float, float, Flags]:
    """Variance (divisor n) and range of the values present, 0 if none are; which are missing."""
    missing = np.isnan(column)
    present = column[~missing]
    if len(present) == 0 or present.min() == present.max():
        return 0.0, 0.0, missing
    variance = float(present.var())
    return variance if variance > np.finfo(float).tiny else 0.0, float(np.ptp(present)), missing


@kernel
def distance(values: Floats, weight: Floats, most: Floats, query: Floats, row: int) -> float:
    """Between a row and a point."""
    # plain arrays: a NamedTuple costs 6 to 16 % in calls made for every row or block
    total = 0.0
    for j in range(query.shape[0]):
        gap = values[row, j] - query[j]
        cost = gap * gap * weight[j]
        total += most[j] if cost > most[j] else cost
    return total


LANES = 32
"""Rows, or boxes, of a block."""
BEYOND = np.float32(1e18)
"""Where missing values sit: its square is still finite."""
ROUNDING = 2.0**-23
"""Twice what one operation can lose."""
TINY = 1e-20
"""The squares of smaller differences may vanish."""
ZERO = np.float32(0.0)
MINUS_TWO = np.float32(-2.0)


def to_single(values: Floats, metric: Metric, anchor: Floats) -> Singles:
    """Rows in single precision, scaled and relative to the anchor."""
    with np.errstate(over="ignore"):
        singles = ((values - anchor) * metric.scale).astype(np.float32)
    return np.where(values == FAR_OUT, BEYOND, singles)


@kernel
def convert_query(query: Floats, metric: Metric, anchor: Floats, target: Singles) -> float:
    """Write a point in single precision to `target`; return how far it is from the anchor."""
    total = 0.0
    for j in range(query.shape[0]):
        if query[j] == FAR_OUT:
            target[j] = BEYOND
        else:
            x = (query[j] - anchor[j]) * metric.scale[j]
            target[j] = x
            total += x * x
    return np.sqrt(total)


@kernel
def at_most(distance: float, length: float, columns: int) -> np.float32:
    """The largest value in single precision of a distance, for a query `length` from the anchor.

    A row at that distance is no farther out than both together; each coordinate is off by half of
    ROUNDING times itself.
    """
    root = np.sqrt(distance)
    root += ROUNDING * (length + root) + TINY
    return np.float32(root * root * (1.0 + ROUNDING * (columns + 8)))


@kernel
def at_least(distance: float, size: float, columns: int) -> np.float32:
    """The smallest value in single precision, if nothing is farther out than `size`."""
    root = max(np.sqrt(distance) - ROUNDING * size - TINY, 0.0)
    return np.float32(root * root * (1.0 - ROUNDING * (columns + 8)))


@kernel
def distances(low: Singles, most: Floats, target: Singles, block: int, away: Singles) -> None:
    """Write the distances from `target` to the rows of a block to `away`."""
    for c in range(LANES):
        away[c] = ZERO
    for j in range(0, target.shape[0], AT_ONCE):
        x0, x1, x2, x3 = target[j], target[j + 1], target[j + 2], target[j + 3]
        m0, m1 = np.float32(most[j]), np.float32(most[j + 1])
        m2, m3 = np.float32(most[j + 2]), np.float32(most[j + 3])
        for c in range(LANES):
            a, b = low[block, j, c] - x0, low[block, j + 1, c] - x1
            d, e = low[block, j + 2, c] - x2, low[block, j + 3, c] - x3
            a, b, d, e = a * a, b * b, d * d, e * e
            a, b = m0 if a > m0 else a, m1 if b > m1 else b
            d, e = m2 if d > m2 else d, m3 if e > m3 else e
            away[c] = away[c] + a + b + d + e


@kernel
def nearest_possible(
    low: Singles, high: Singles, most: Floats, target: Singles, block: int, away: Singles
) -> None:
    """A lower bound for each box of a block: no row in it is nearer, as `distances` rounds."""
    box = block - (low.shape[0] - high.shape[0])
    for c in range(LANES):
        away[c] = ZERO
    for j in range(0, target.shape[0], AT_ONCE // 2):
        x, y = target[j], target[j + 1]
        mx, my = np.float32(most[j]), np.float32(most[j + 1])
        for c in range(LANES):
            a, b = low[block, j, c] - x, x - high[box, j, c]
            d, e = low[block, j + 1, c] - y, y - high[box, j + 1, c]
            a, d = b if b > a else a, e if e > d else d
            a, d = ZERO if a < ZERO else a, ZERO if d < ZERO else d
            a, d = a * a, d * d
            a, d = mx if a > mx else a, my if d > my else d
            away[c] = away[c] + a + d


@kernel
def farthest_possible(
    low: Singles, high: Singles, reach: Singles, most: Floats, has_missing: Floats,
    target: Singles, block: int, away: Singles,
) -> None:  # fmt: skip
    """An upper bound for each box of a block: no row in it is farther.

    With a row at y and the query at q, seen from the anchor, the distance is |y|² + |q|² - 2 q·y:
    |y|² is within the reach, and each term of -q·y is largest at one end of the box. Columns with
    missing values are left out of this sum, and cost what the farther end of the box does.
    """
    columns = target.shape[0]
    box = block - (low.shape[0] - high.shape[0])
    length = ZERO
    for j in range(columns):
        if has_missing[j] == 0.0:
            length += target[j] * target[j]
    slack = np.float32(1.0 + ROUNDING * (columns + 8) * (2.0 + np.sqrt(columns)))
    for c in range(away.shape[0]):
        away[c] = (reach[block * LANES + c] + length) * slack
    for j in range(columns):
        x, limit = target[j], np.float32(most[j])
        slope = MINUS_TWO * x
        if has_missing[j] > 0.0:
            for c in range(away.shape[0]):
                a, b = x - low[block, j, c], high[box, j, c] - x
                a = b if b > a else a
                a = a * a
                away[c] += limit if a > limit else a
        elif x < ZERO:
            for c in range(away.shape[0]):
                away[c] += slope * high[box, j, c]
        else:
            for c in range(away.shape[0]):
                away[c] += slope * low[block, j, c]
