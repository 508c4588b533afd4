"""The distance between records in groups by maximum distance.

Distances are squared: each column's difference, squared, times the column's weight (1 / variance,
or 1 where columns are scaled already), added in the order of the columns, so that equal differences
are equal distances. Where one of two values is missing the column costs its range, squared, times
the weight; where both are, nothing. That comes out by itself when missing values sit `FAR_OUT` and
no column may cost more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Flags, Floats

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
