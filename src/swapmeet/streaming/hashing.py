"""Rows dealt into heaps by their values, so that rows with the same values meet in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

FACTOR = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(32)


def heaps_of(columns: Sequence[npt.NDArray[Any]], rows: int, count: int) -> npt.NDArray[np.int64]:
    """The heap of each row, below `count`; by all columns, codes or numbers.

    >>> heaps = heaps_of([np.array([0.0, -0.0, np.nan, -np.nan, 1.0])], 5, 1000)
    >>> heaps[0] == heaps[1] != heaps[2] == heaps[3] != heaps[4]
    np.True_
    """
    mixed = np.zeros(rows, np.uint64)
    for values in columns:
        mixed ^= _bits(values)
        mixed *= FACTOR
        mixed ^= mixed >> SHIFT
        mixed *= FACTOR
        mixed ^= mixed >> SHIFT
    return (mixed % np.uint64(count)).astype(np.int64)


def _bits(values: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """The same for the same value: one zero, and one NaN."""
    if values.dtype.kind != "f":
        return values.astype(np.int64).view(np.uint64)
    return np.where(np.isnan(values), np.nan, values + 0.0).view(np.uint64)
