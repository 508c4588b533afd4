"""Averages of the values of a group: their mean, the row in their middle, or the mode."""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Floats, Ints, ShortInts


def group_means(values: Floats, labels: Ints) -> Floats:
    """For each value the mean of its group; exact where all values of a group are equal.

    >>> group_means(np.array([1.0, 5.0, 3.0, 4.0]), np.array([0, 1, 0, 1])).tolist()
    [2.0, 4.5, 2.0, 4.5]
    """
    origin = np.zeros(labels.max(initial=-1) + 1)
    origin[labels] = values
    above = np.bincount(labels, values - origin[labels])
    means = origin + above / np.maximum(np.bincount(labels), 1)
    return means[labels]


def group_medians(values: Floats, labels: Ints) -> Ints:
    """For each value the row that has the lower median of its group.

    >>> group_medians(np.array([1.0, 5.0, 3.0, 4.0]), np.array([0, 1, 0, 1])).tolist()
    [0, 3, 0, 3]
    """
    sizes = np.bincount(labels)
    order = np.lexsort((values, labels))
    middles = order[np.minimum(np.cumsum(sizes) - sizes + (sizes - 1) // 2, len(order) - 1)]
    return middles[labels]


def find_modes(codes: ShortInts, labels: Ints) -> Ints:
    """For each group, numbered without gaps, a row that has its commonest code.

    Among codes that are equally common in the group it is the one that is most common in all
    groups together, so that the rarer one vanishes; among those, the lowest.

    >>> find_modes(np.array([7, 5, 7, 5, 7], np.int32), np.array([0, 0, 1, 1, 1])).tolist()
    [0, 2]
    """
    present, own = np.unique(codes, return_inverse=True)
    cells = labels * len(present) + own
    cells, rows, counts = np.unique(cells, return_index=True, return_counts=True)
    overall = np.bincount(own)[own[rows]]
    order = np.lexsort((cells, -overall, -counts, labels[rows]))
    first = np.diff(labels[rows][order], prepend=-1) != 0
    return rows[order[first]]
