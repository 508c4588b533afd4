"""The mean of the rows that are left, kept up to date without rounding errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.mdav.metric import FAR_OUT
from swapmeet.core.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats, Ints

TOTAL, REST, COUNT = range(3)
"""Of each column: the sum of the values present, what rounding took from it, and their number."""


@kernel
def totals_of(values: Floats, rows: Ints) -> Floats:
    """The totals of some rows."""
    totals = np.zeros((3, values.shape[1]))
    for row in rows:
        add(totals, values, row, 1.0)
    return totals


@kernel
def add(totals: Floats, values: Floats, row: int, sign: float) -> None:
    """Add a row, or with sign -1 remove it; the rest gets exactly what rounding took."""
    for j in range(values.shape[1]):
        if values[row, j] == FAR_OUT:
            continue
        x, old = sign * values[row, j], totals[TOTAL, j]
        new = old + x
        added = new - old
        totals[TOTAL, j] = new
        totals[REST, j] += (old - (new - added)) + (x - added)
        totals[COUNT, j] += sign


@kernel
def mean_of(totals: Floats) -> Floats:
    """The mean; in a column that all rows miss it is missing."""
    mean = np.empty(totals.shape[1])
    for j in range(totals.shape[1]):
        count = totals[COUNT, j]
        mean[j] = (totals[TOTAL, j] + totals[REST, j]) / count if count > 0.0 else FAR_OUT
    return mean
