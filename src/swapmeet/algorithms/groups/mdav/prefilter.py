"""Distances of many rows at a time in single precision, to tell which rows need a closer look.

Rows stand in blocks of LANES, column by column, relative to an anchor and scaled so that the
distance is Euclidean; one instruction then serves many rows. The result differs from the exact
distance by rounding: `at_most` and `at_least` bound the difference, so that no row that matters is
filtered out. Places without a row are NaN, which is neither near nor far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.mdav.metric import AT_ONCE, FAR_OUT, Metric
from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Singles

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
