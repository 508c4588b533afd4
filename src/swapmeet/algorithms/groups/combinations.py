"""Rows that agree in some columns: one number for each combination of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from swapmeet.base.arrays import Ints

ROOM = 8
"""Numbers are counted in a table, rather than sorted, if it has at most so many places per row."""


def number_combinations(columns: Iterable[npt.NDArray[Any]], n: int) -> Ints:
    """The number of each row's combination of values, from 0 up, without gaps.

    A missing value, a negative code or NaN, is a value.

    >>> number_combinations([np.array([5.0, 7.0, np.nan, 5.0]), np.array([0, 0, 1, 0])], 4).tolist()
    [1, 2, 0, 1]
    """
    labels, count = np.zeros(n, np.int64), 1
    for values in columns:
        codes, width = _number_values(values)
        if not width:
            continue
        labels, count = _close_gaps(labels * width + codes, count * width)
    return labels


def _number_values(values: npt.NDArray[Any]) -> tuple[Ints, int]:
    """The number of each value, and how many numbers there may be."""
    if not len(values):
        return values.astype(np.int64), 0
    if values.dtype.kind != "f":
        low = int(values.min())
        return _close_gaps(values.astype(np.int64) - low, int(values.max()) - low + 1)
    missing = np.isnan(values)
    known = values[~missing] if missing.any() else values
    least, most = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    if not most - least < ROOM * len(values) or not (known == np.floor(known)).all():
        return _sort_out(values)
    codes = np.where(missing, least - 1.0, values) - (least - 1.0)
    return _close_gaps(codes.astype(np.int64), int(most - least) + 2)


def _close_gaps(codes: Ints, width: int) -> tuple[Ints, int]:
    """Codes below `width`, numbered anew in their order."""
    if width > ROOM * max(len(codes), 1):
        return _sort_out(codes)
    present = np.bincount(codes, minlength=width) > 0
    numbers = np.cumsum(present) - 1
    return numbers[codes], int(numbers[-1]) + 1


def _sort_out(values: npt.NDArray[Any]) -> tuple[Ints, int]:
    levels, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64), len(levels)


@kernel
def find_smallest(values: Ints, units: Ints, count: int) -> Ints:
    """The smallest value of the rows of each of `count` units."""
    smallest = np.full(count, np.iinfo(np.int64).max)
    for row in range(values.shape[0]):
        unit = units[row]
        smallest[unit] = min(smallest[unit], values[row])
    return smallest
