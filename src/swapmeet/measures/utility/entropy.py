"""Entropies of columns and rows, after cutting numbers into bins of equal width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Ints
    from swapmeet.core.tables.microdata import Microdata, Variable

ROOM = 2**62


def cube_root(n: int) -> int:
    """The largest whole number whose cube is at most n.

    >>> cube_root(999), cube_root(1000), cube_root(20_090)
    (9, 10, 27)
    """
    root = round(n ** (1 / 3))
    return root - (root**3 > n)


@dataclass(frozen=True)
class Shared:
    """Total correlation in nats, the entropy of the rows, and the share of rows that are unique."""

    information: float
    of_rows: float
    unique: float


def total_correlation(data: Microdata, bins: int) -> Shared:
    """The sum of the columns' entropies less that of the rows."""
    codes = [_codes(variable, bins) for variable in data.variables]
    counts = np.unique(_combined(codes), return_counts=True)[1]
    of_rows = _entropy(counts)
    information = sum(_entropy(np.bincount(column)) for column in codes) - of_rows
    return Shared(information, of_rows, float((counts == 1).sum() / data.n))


def _combined(codes: list[Ints]) -> Ints:
    """One number for each combination of codes."""
    joint, size = np.zeros(len(codes[0]), np.int64), 1
    for column in codes:
        levels = int(column.max()) + 1
        if size * levels > ROOM:
            joint = np.unique(joint, return_inverse=True)[1]
            size = int(joint.max()) + 1
        joint = joint * levels + column
        size *= levels
    return joint


def _codes(variable: Variable, bins: int) -> Ints:
    """The level or bin of each row, from 1; 0 is a missing value."""
    if variable.kind is Kind.NOMINAL:
        return variable.values.astype(np.int64) + 1
    missing = variable.missing
    present = variable.values[~missing]
    if not len(present):
        return np.zeros(len(variable.values), np.int64)
    low, high = float(present.min()), float(present.max())
    shares = (np.where(missing, low, variable.values) - low) / ((high - low) or 1.0)
    codes = np.minimum((shares * bins).astype(np.int64), bins - 1) + 1
    codes[missing] = 0
    return codes


def _entropy(counts: Ints) -> float:
    shares = np.sort(counts[counts > 0]) / counts.sum()
    return float(-(shares * np.log(shares)).sum())
