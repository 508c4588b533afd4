"""Ranks of values, and places in ranges of an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Floats, Ints


def rank_by_middle(values: npt.NDArray[Any]) -> Floats:
    """Ranks from 1; equal values have the rank in their middle. None may be missing.

    >>> rank_by_middle(np.array([30, 10, 30, 20])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    order = np.argsort(values)
    ordered = values[order]
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, len(values))
    starts = np.append(0, ends[:-1])
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(0.5 * (starts + ends + 1), ends - starts)
    return ranks


def places_in(begins: Ints, ends: Ints) -> Ints:
    """The places of all ranges, one range after the other.

    >>> places_in(np.array([0, 5]), np.array([2, 8])).tolist()
    [0, 1, 5, 6, 7]
    """
    sizes = ends - begins
    before = np.cumsum(sizes) - sizes
    return np.repeat(begins - before, sizes) + np.arange(sizes.sum())
