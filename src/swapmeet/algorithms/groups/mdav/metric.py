"""The distance between records in groups by maximum distance.

Distances are squared: each column's difference, squared, times the column's weight (1 / variance),
added in the order of the columns, so that equal differences are equal distances. Where one of two
values is missing the column costs its range, squared, times the weight; where both are, nothing.
That comes out by itself when missing values sit `FAR_OUT` and no column may cost more.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from swapmeet.core.base.jit import Floats, kernel

FAR_OUT = 1e300
AT_ONCE = 4
"""Loops take so many columns at once; constant ones fill up."""
WEIGHT, MOST, SCALE, HOLES = range(4)
"""Of each column: its weight, what it costs at most, the root of its weight, whether values are
missing."""


def placed(columns: Floats) -> tuple[Floats, Floats]:
    """The rows in space (row by column), and the metric there (facts by column).

    Columns in which rows do not differ take no part.
    """
    measured = [_measured(column) for column in columns]
    telling = [j for j, (variance, _, _) in enumerate(measured) if variance > 0.0]
    room = max(-(-len(telling) // AT_ONCE), 1) * AT_ONCE
    values = np.zeros((columns.shape[1], room))
    metric = np.zeros((4, room))
    metric[WEIGHT] = metric[SCALE] = 1.0
    for at, j in enumerate(telling):
        variance, breadth, missing = measured[j]
        weight = 1.0 / variance
        metric[:, at] = weight, breadth * breadth * weight, np.sqrt(weight), missing.any()
        values[:, at] = np.where(missing, FAR_OUT, columns[j])
    return values, metric


def _measured(column: Floats) -> tuple[float, float, npt.NDArray[np.bool_]]:
    """Variance (divisor n) and range of the values present, 0 if nothing; which are missing."""
    missing = np.isnan(column)
    present = column[~missing]
    if len(present) == 0 or present.min() == present.max():
        return 0.0, 0.0, missing
    variance = float(present.var())
    return variance if variance > np.finfo(float).tiny else 0.0, float(np.ptp(present)), missing


@kernel
def distance(values: Floats, metric: Floats, query: Floats, row: int) -> float:
    """Between a row and a point."""
    total = 0.0
    for j in range(query.shape[0]):
        gap = values[row, j] - query[j]
        cost = gap * gap * metric[WEIGHT, j]
        total += metric[MOST, j] if cost > metric[MOST, j] else cost
    return total
