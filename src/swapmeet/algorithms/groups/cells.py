"""Multivariate equi-width cells: the grid of equally wide intervals of several columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.base.arrays import Floats, Ints, ShortInts

EDGE = 1e-9
"""A value this share of a width below an edge counts as on it: 0.3 is in the fourth 0.1."""
NARROWEST = 2.0**-53
"""The least width, as a share of the range: narrower ones cannot be told apart."""
MOST = 1 << 62
"""More intervals than doubles tell apart."""


def places_of(values: Floats, width: float, extent: tuple[float, float] | None = None) -> Ints:
    """The interval of each value, counted from the lowest value; -1 where missing.

    The lower edge of an interval belongs to it; the largest value is in the last interval, even
    where it is its upper edge. `extent` are the lowest and the largest value, unless those given
    are all there are.

    >>> places_of(np.array([0.0, 0.9, 1.0, np.nan, 3.0]), 1.0).tolist()
    [0, 0, 1, -1, 2]
    """
    present = ~np.isnan(values)
    if not present.any():
        return np.full(len(values), -1, np.int64)
    low, high = extent or (values[present].min(), values[present].max())
    last = max(np.ceil((high - low) / width - EDGE) - 1.0, 0.0)
    places = np.minimum(np.floor((values - low) / width + EDGE), last)
    return np.where(present, places, -1.0).astype(np.int64)


def width_of(span: float, bins: int) -> float:
    """The width of an interval if there are `bins` of them; 1 for a column without two values."""
    return span / min(bins, MOST) or 1.0


def cells_of(places: Iterable[Ints], strata: ShortInts) -> Ints:
    """The cell of each row: rows agree in all places and in the stratum; numbered without gaps.

    A missing value is a place of its own. Rows that miss everything are in no cell: -1.

    >>> strata = np.zeros(3, np.int32)
    >>> cells_of([np.array([0, 0, 1]), np.array([5, 5, -1])], strata).tolist()
    [0, 0, 1]
    """
    cells = _number(strata.astype(np.int64))
    present = np.zeros(len(strata), np.bool_)
    for column in places:
        present |= column >= 0
        own = _number(column + 1)
        cells = _number(cells * (own.max(initial=0) + 1) + own)
    cells = np.where(present, cells, -1)
    cells[present] = _number(cells[present])
    return cells


def depths_of(cells: Ints) -> Ints:
    """Count the rows of each cell; cells are numbered without gaps."""
    return np.bincount(cells[cells >= 0])


def _number(codes: Ints) -> Ints:
    """The codes, none of them negative, numbered without gaps in their order."""
    count = int(codes.max(initial=-1)) + 1
    if count > 4 * len(codes) + 1024:
        return np.unique(codes, return_inverse=True)[1].astype(np.int64)
    used = np.zeros(count, np.bool_)
    used[codes] = True
    return (np.cumsum(used) - 1)[codes]
