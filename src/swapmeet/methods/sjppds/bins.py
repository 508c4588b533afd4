"""Equal-width bins of one column, as R's `cut` makes them."""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel


def edges_of(low: float, high: float, bins: int) -> Floats:
    """The edges between the bins: equally spaced from the least to the largest value, if any."""
    return np.linspace(low, high, bins + 1) if low <= high else np.zeros(bins + 1)


@kernel
def bins_of(values: Floats, edges: Floats) -> Ints:
    """The bin of each value: above its lower edge, up to its upper one; -1 where missing.

    The least value is in the first bin and the largest in the last.
    """
    count = edges.shape[0] - 1
    width = (edges[count] - edges[0]) / count
    labels = np.empty(values.shape[0], np.int64)
    for row in range(values.shape[0]):
        value = values[row]
        if np.isnan(value):
            labels[row] = -1
            continue
        place = 0
        if width > 0.0:
            place = min(max(int((value - edges[0]) / width), 0), count - 1)
        while place > 0 and value <= edges[place]:
            place -= 1
        while place < count - 1 and value > edges[place + 1]:
            place += 1
        labels[row] = place
    return labels


@kernel
def merge_small_bins(labels: Ints, count: int, least: int) -> int:
    """Merge neighbouring bins, in place, until each holds at least `least` rows.

    Returns the number of bins left, which are numbered without gaps; too few rows make one bin.
    """
    sizes = np.zeros(count, np.int64)
    for row in range(labels.shape[0]):
        if labels[row] >= 0:
            sizes[labels[row]] += 1
    number = np.empty(count, np.int64)
    current = 0
    held = 0
    for place in range(count):
        if held >= least:
            current += 1
            held = 0
        number[place] = current
        held += sizes[place]
    last = current
    if held < least and current > 0:
        last = current - 1
    for row in range(labels.shape[0]):
        if labels[row] >= 0:
            labels[row] = min(number[labels[row]], last)
    return last + 1
