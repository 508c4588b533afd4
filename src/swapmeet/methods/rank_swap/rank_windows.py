"""Widths of windows of ranks with which a column keeps a property (Moore 1996).

Both rules assume that the values are evenly spread between the largest and the smallest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.by_value import means_in
from swapmeet.base.ranks import places_in

if TYPE_CHECKING:
    from swapmeet.algorithms.groups.by_value import Ranks
    from swapmeet.base.arrays import Floats, Ints


def windows_by_correlation(ranks: Ranks, begins: Ints, ends: Ints, correlation: float) -> Floats:
    """The window of each range, as a share of its rows, that keeps the correlation."""
    distances = _spans(ranks, begins, ends)
    sizes = ends - begins
    centres = np.repeat(means_in(ranks.values, begins, ends), sizes)
    from_centre = ranks.values[places_in(begins, ends)] - centres
    relative = from_centre / np.repeat(distances, sizes)
    spreads = np.add.reduceat(relative**2, np.cumsum(sizes) - sizes) / sizes
    return _within_the_range(np.sqrt(2.0 * spreads * (1.0 - correlation)), distances)


def windows_by_mean(ranks: Ranks, begins: Ints, ends: Ints, factor: float) -> Floats:
    """The window of each range, as a share of its rows, that keeps means of subsets."""
    distances = _spans(ranks, begins, ends)
    relative = np.abs(means_in(ranks.values, begins, ends)) / distances
    return _within_the_range(np.sqrt(8.0 / 3.0) * factor * relative, distances)


def _spans(ranks: Ranks, begins: Ints, ends: Ints) -> Floats:
    """The span between the top and the bottom rows or, without them, between the extremes.

    Infinite where all values are the same.
    """
    highest = ranks.values[np.maximum(begins - 1, ranks.begins)]
    lowest = ranks.values[np.minimum(ends, ranks.ends - 1)]
    return np.where(highest > lowest, highest - lowest, np.inf)


def _within_the_range(windows: Floats, distances: Floats) -> Floats:
    """At most all rows; all where the values are the same."""
    return np.where(np.isinf(distances), 1.0, np.minimum(windows, 1.0))
