"""Rows counted in cells of two numbers, so few of them that cells hold enough rows to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.measures.side_by_side.bins import LEAST, MOST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Counts, Floats


def choose_bins(rows: int) -> int:
    """Bins on either side: the fewer rows, the coarser, lest most cells have too few of them.

    >>> choose_bins(241), choose_bins(20_000)
    (7, 20)
    """
    return min(MOST, max(int(1.5 * np.sqrt(rows / LEAST)), 1))


def count_cells(one: Floats, other: Floats, across: Sequence[float], up: Sequence[float]) -> Counts:
    """The rows in each cell between inner edges; `counts[i, j]` is bin i of one, bin j of other.

    >>> count_cells(np.array([1.0, 3.0]), np.array([9.0, 9.0]), [2.0], [5.0]).tolist()
    [[0, 1], [0, 1]]
    """
    columns = np.searchsorted(across, one, side="right")
    rows = np.searchsorted(up, other, side="right")
    shape = len(across) + 1, len(up) + 1
    cells = np.bincount(columns * shape[1] + rows, minlength=shape[0] * shape[1])
    return cells.reshape(shape)


def hide_small_cells(counts: Counts, least: int = LEAST) -> Counts:
    """The counts without those of few rows, which count 0.

    >>> hide_small_cells(np.array([[9, 10]])).tolist()
    [[0, 10]]
    """
    return np.where(counts < least, 0, counts)
