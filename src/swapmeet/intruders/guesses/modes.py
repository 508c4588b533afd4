"""The most frequent value among some, within a tolerance, and whether it is the true one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats


@kernel
def share_of_modes(values: Floats, count: int, truth: float, tolerance: float) -> float:
    """The chance that the most frequent of the first `count` values is the true one.

    A value is as frequent as there are values within the tolerance of it; among those that are
    equally frequent one is taken at random. The values are sorted in place.

    >>> float(share_of_modes(np.array([3.0, 1.0, 3.0, 2.0]), 4, 3.0, 0.0))
    1.0
    >>> float(share_of_modes(np.array([3.0, 1.0]), 2, 3.0, 0.0))
    0.5
    """
    if count == 0:
        return 0.0
    values[:count].sort()
    begin, end, most, modes, hits = 0, 0, 0, 0, 0
    for at in range(count):
        while values[begin] < values[at] - tolerance:
            begin += 1
        while end < count and values[end] <= values[at] + tolerance:
            end += 1
        if end - begin > most:
            most, modes, hits = end - begin, 0, 0
        if end - begin == most:
            modes += 1
            hits += abs(values[at] - truth) <= tolerance
    return hits / modes


@kernel
def find_mode(values: Floats, tolerance: float) -> float:
    """The first of the most frequent values; they are sorted in place, and there is at least one.

    >>> float(find_mode(np.array([5.0, 1.0, 1.2, 9.0]), 0.5))
    1.0
    """
    values.sort()
    begin, end, most, mode = 0, 0, 0, values[0]
    for at in range(len(values)):
        while values[begin] < values[at] - tolerance:
            begin += 1
        while end < len(values) and values[end] <= values[at] + tolerance:
            end += 1
        if end - begin > most:
            most, mode = end - begin, values[at]
    return mode


def share_of_blind_guess(cells: Floats, truth: Floats, tolerance: float) -> float:
    """Share of people whose true value is the most frequent released one."""
    present = cells[~np.isnan(cells)]
    if not len(present):
        return 0.0
    guess = find_mode(present, tolerance)
    return float((np.abs(truth - guess) <= tolerance).mean())
