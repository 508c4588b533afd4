"""Groups of consecutive rows in the order of a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints, ShortInts


def group_consecutive(scores: Floats, strata: ShortInts, k: int) -> Ints:
    """The group of each row: k after k from the lowest score up, in each stratum by itself.

    The last group of a stratum takes what is left over, so it has k to 2k - 1 rows; a stratum with
    fewer than 2k is one group. Equal scores are in the order of rows.

    >>> group_consecutive(np.array([5.0, 1.0, 4.0, 2.0, 3.0]), np.zeros(5, np.int32), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    order = np.lexsort((scores, strata))
    sizes = np.bincount(strata)
    groups = np.maximum(sizes // k, np.minimum(sizes, 1))
    ranks = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    within = np.minimum(ranks // k, np.repeat(groups, sizes) - 1)
    labels = np.empty(len(order), np.int64)
    labels[order] = np.repeat(np.cumsum(groups) - groups, sizes) + within
    return labels
