"""Privacy of swapping inside groups: the paper's figures and the honest one.

Reference: Li and Shen (2010), *Multivariate equi-width data swapping for private data publication*,
definition 1 and lemmas 1 and 2. Their figure is the chance of an intruder who knows the partition
scheme but not which of `q` partitions was used. It falls as ln(q) / q however few rows a group
holds; the honest figure, `exposure`, is that of an intruder who knows the groups.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Ints


def partition_degree(depths: Ints) -> int:
    """The number of groups that hold a row (definition 1)."""
    return int(np.count_nonzero(depths))


def minimal_depth(depths: Ints) -> int:
    """The number of rows in the smallest group that holds one, N*; 0 if none does."""
    held = depths[depths > 0]
    return int(held.min()) if len(held) else 0


def exposure(depths: Ints) -> float:
    """The largest chance that an intruder who knows the groups names a row's partner.

    It is 1 / (N - 1) in a group of N rows. A row alone in its group trades with nobody: it is
    exposed, 1.

    >>> exposure(np.array([5, 3, 8]))
    0.5
    """
    return 1.0 / max(minimal_depth(depths) - 1, 1) if depths.any() else 0.0


def equi_depth_privacy(partitions: int) -> float:
    """Lemma 1: the figure of MEDS, from the number q of possible partitions.

    >>> round(equi_depth_privacy(4), 4)
    0.4583
    """
    if partitions < 1:
        raise UsageError("equi_depth_privacy: `partitions` must be a whole number, 1 or more.")
    harmonic = math.fsum(1.0 / i for i in range(1, partitions // 2 + 1))
    return (harmonic + partitions / (2.0 * (partitions + 2.0))) / partitions


def equi_width_privacy(minimal_depths: Sequence[int]) -> float:
    """Lemma 2: the figure of MEWS, from the minimal depth N* of each possible partition.

    >>> equi_width_privacy([2, 3])
    0.75
    """
    if not minimal_depths or min(minimal_depths) < 2:
        raise UsageError("equi_width_privacy: give minimal depths, each 2 or more.")
    return math.fsum(1.0 / (depth - 1) for depth in minimal_depths) / len(minimal_depths)
