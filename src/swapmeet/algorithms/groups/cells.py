"""Groups of equal width or of equal depth, and the privacy of swapping inside them.

Reference: Li and Shen (2010), *Multivariate equi-width data swapping for private data publication*,
definition 1 and lemmas 1 and 2. Their figure is the chance of an intruder who knows the partition
scheme but not which of `q` partitions was used. It falls as ln(q) / q however few rows a group
holds; the honest figure, `exposure`, is that of an intruder who knows the groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.errors import UsageError

EDGE = 1e-9
"""A value this share of a width below an edge counts as on it: 0.3 is in the fourth 0.1."""
NARROWEST = 2.0**-53
"""The least width, as a share of the range: narrower ones cannot be told apart."""
MOST = 1 << 62
"""More intervals than doubles tell apart."""


def places_of(values: Floats, width: float, extent: tuple[float, float] | None = None) -> Ints:
    """The interval of each value, counted from the lowest value; -1 where missing.

    The lower edge of an interval belongs to it; the largest value is in the last interval, even
    where it is its upper edge. `extent` are the lowest and the largest value, unless those given
    are all there are.

    >>> places_of(np.array([0.0, 0.9, 1.0, np.nan, 3.0]), 1.0).tolist()
    [0, 0, 1, -1, 2]
    """
    present = ~np.isnan(values)
    if not present.any():
        return np.full(len(values), -1, np.int64)
    low, high = extent or (values[present].min(), values[present].max())
    last = max(np.ceil((high - low) / width - EDGE) - 1.0, 0.0)
    places = np.minimum(np.floor((values - low) / width + EDGE), last)
    return np.where(present, places, -1.0).astype(np.int64)


def width_of(span: float, bins: int) -> float:
    """The width of an interval if there are `bins` of them; 1 for a column without two values."""
    return span / min(bins, MOST) or 1.0


def cells_of(places: Iterable[Ints], strata: ShortInts) -> Ints:
    """The cell of each row: rows agree in all places and in the stratum; numbered without gaps.

    A missing value is a place of its own. Rows that miss everything are in no cell: -1.

    >>> strata = np.zeros(3, np.int32)
    >>> cells_of([np.array([0, 0, 1]), np.array([5, 5, -1])], strata).tolist()
    [0, 0, 1]
    """
    cells = _number(strata.astype(np.int64))
    present = np.zeros(len(strata), np.bool_)
    for column in places:
        present |= column >= 0
        own = _number(column + 1)
        cells = _number(cells * (own.max(initial=0) + 1) + own)
    cells = np.where(present, cells, -1)
    cells[present] = _number(cells[present])
    return cells


def depths_of(cells: Ints) -> Ints:
    """Count the rows of each cell; cells are numbered without gaps."""
    return np.bincount(cells[cells >= 0])


def _number(codes: Ints) -> Ints:
    """The codes, none of them negative, numbered without gaps in their order."""
    count = int(codes.max(initial=-1)) + 1
    if count > 4 * len(codes) + 1024:
        return np.unique(codes, return_inverse=True)[1].astype(np.int64)
    used = np.zeros(count, np.bool_)
    used[codes] = True
    return (np.cumsum(used) - 1)[codes]


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
