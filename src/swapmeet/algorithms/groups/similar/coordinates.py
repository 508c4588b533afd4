"""Rows of a mixed space as coordinates, for searches that know numbers only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.algorithms.encode.points import Points
    from swapmeet.core.base.arrays import Flags, Floats, ShortInts

OWN_AXES = 32
"""So many levels of a nominal column have an axis of their own, the commonest ones."""
SHARED_AXES = 16
"""All other levels are directions in a space of so many dimensions."""
SPREADER = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose multiples have bits that look random (Fibonacci hashing)."""


def find_coordinates(points: Points) -> Floats:
    """Coordinates (dimensions, n) whose squared distances are those of the points.

    Each level that occurs has an axis, on which its rows stand at the root of its cost: the one-hot
    vectors. Two levels need a single axis. A column with more than `OWN_AXES` levels has axes for
    the commonest ones; each of the others is a vector of random signs on `SHARED_AXES` axes, whose
    length is the root of its cost. Rows of the same rare level are then 0 apart, as they should be,
    and rows of two different ones as far as they should be on average, give or take a quarter.
    """
    columns = list(points.numbers)
    for codes, costs in zip(points.codes, points.costs, strict=True):
        columns.extend(_spread_levels(codes, costs))
    return np.stack(columns) if columns else np.empty((0, points.n))


def _spread_levels(codes: ShortInts, costs: Floats) -> Iterator[Floats]:
    levels, counts = np.unique(codes, return_counts=True)
    levels = levels[np.argsort(-counts, kind="stable")]
    if len(levels) == 2:
        yield np.where(codes == levels[0], np.sqrt(costs[levels].sum()), 0.0)
    elif len(levels) > 2:
        for level in levels[:OWN_AXES]:
            yield np.where(codes == level, np.sqrt(costs[level]), 0.0)
        if len(levels) > OWN_AXES:
            yield from _point_by_signs(codes, costs, np.isin(codes, levels[OWN_AXES:]))


def _point_by_signs(codes: ShortInts, costs: Floats, rare: Flags) -> Iterator[Floats]:
    """Levels as vectors of signs, by a hash of their code; 0 for those that are not rare."""
    lengths = np.where(rare, np.sqrt(costs[codes] / SHARED_AXES), 0.0)
    hashed = ((codes.astype(np.uint64) + np.uint64(1)) * SPREADER) ^ SPREADER
    hashed ^= hashed >> np.uint64(29)
    hashed *= SPREADER
    for axis in range(SHARED_AXES):
        signs = (hashed >> np.uint64(63 - axis)) & np.uint64(1)
        yield np.where(signs == 1, lengths, -lengths)
