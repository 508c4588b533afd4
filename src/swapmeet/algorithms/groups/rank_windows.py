"""How wide a window of ranks may be for what a column is to keep (Moore 1996).

Both rules take ranks for places on the way from the largest value to the smallest, as if values
were evenly spread between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.ranks import means_in, places_in

if TYPE_CHECKING:
    from swapmeet.algorithms.groups.ranks import Ranks
    from swapmeet.core.base.jit import Floats, Ints


def windows_by_correlation(ranks: Ranks, begins: Ints, ends: Ints, correlation: float) -> Floats:
    """The window of each range, as a share of its rows, that keeps the correlation."""
    distances = _ways(ranks, begins, ends)
    sizes = ends - begins
    centres = np.repeat(means_in(ranks.values, begins, ends), sizes)
    from_centre = ranks.values[places_in(begins, ends)] - centres
    relative = from_centre / np.repeat(distances, sizes)
    spreads = np.add.reduceat(relative**2, np.cumsum(sizes) - sizes) / sizes
    return _within_the_range(np.sqrt(2.0 * spreads * (1.0 - correlation)), distances)


def windows_by_mean(ranks: Ranks, begins: Ints, ends: Ints, factor: float) -> Floats:
    """The window of each range, as a share of its rows, that keeps means of subsets."""
    distances = _ways(ranks, begins, ends)
    relative = np.abs(means_in(ranks.values, begins, ends)) / distances
    return _within_the_range(np.sqrt(8.0 / 3.0) * factor * relative, distances)


def _ways(ranks: Ranks, begins: Ints, ends: Ints) -> Floats:
    """From the lowest of the top rows to the highest of the bottom ones; or between extremes.

    Infinite where all values are the same.
    """
    highest = ranks.values[np.maximum(begins - 1, ranks.begins)]
    lowest = ranks.values[np.minimum(ends, ranks.ends - 1)]
    return np.where(highest > lowest, highest - lowest, np.inf)


def _within_the_range(windows: Floats, distances: Floats) -> Floats:
    """At most all rows; all where the values are the same."""
    return np.where(np.isinf(distances), 1.0, np.minimum(windows, 1.0))
