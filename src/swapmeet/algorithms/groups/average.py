"""What stands for the values of a group: their mean, or the row in their middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.core.base.jit import Floats, Ints


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
