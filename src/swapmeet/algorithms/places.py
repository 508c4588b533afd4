"""Places in ranges of an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints


def places_in(begins: Ints, ends: Ints) -> Ints:
    """The places of all ranges, one range after the other.

    >>> places_in(np.array([0, 5]), np.array([2, 8])).tolist()
    [0, 1, 5, 6, 7]
    """
    sizes = ends - begins
    before = np.cumsum(sizes) - sizes
    return np.repeat(begins - before, sizes) + np.arange(sizes.sum())
