"""People whose group has one value only, so that a swap inside it hides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats, Ints


def share_in_uniform_groups(
    givers: Ints, places: Ints, values: Floats, tolerance: float
) -> float | None:
    """The share of people who traded only with people of their own value; None if nobody traded.

    `givers` and `places` name, for each released row, who gave the cell and in whose place it is;
    `values` are the true ones of the people. A group are all who are joined by trades.

    >>> share_in_uniform_groups(
    ...     np.array([1, 0, 3, 2]), np.arange(4), np.array([7.0, 7.0, 8.0, 9.0]), 0.0)
    0.5
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(values)
    traded = (givers >= 0) & (places >= 0) & (givers != places)
    if not traded.any():
        return None
    pairs = (givers[traded], places[traded])
    joined = coo_array((np.ones(traded.sum(), np.int8), pairs), shape=(n, n))
    many, groups = connected_components(joined, directed=False)
    low, high = np.full(many, np.inf), np.full(many, -np.inf)
    there = ~np.isnan(values)
    np.minimum.at(low, groups[there], values[there])
    np.maximum.at(high, groups[there], values[there])
    uniform = (high - low <= tolerance) & (np.bincount(groups, minlength=many) > 1)
    return float(uniform[groups].mean())
