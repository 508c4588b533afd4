"""Diversity of a column's values inside groups, and their closeness to the whole table.

Everything follows from how often each value occurs in each group: no loop over rows or groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats, Ints

DIGITS = 12
"""Behind these, digits are those of rounding: three equally frequent values are 3."""


class GroupCounts(NamedTuple):
    """Pairs of a group and a value that occurs in it, sorted, with how often it does.

    `sizes` are the rows of each group; groups are numbered from 0 up, none is empty.
    """

    groups: Ints
    values: Ints
    counts: Ints
    sizes: Ints

    @property
    def shares(self) -> Floats:
        """The share of the group's rows that has the value, for each pair."""
        return self.counts / self.sizes[self.groups]


def count_in_groups(groups: Ints, values: Ints) -> GroupCounts:
    """Count how often each value, a number from 0 up, occurs in each group."""
    width = int(values.max(initial=0)) + 1
    cells, counts = np.unique(groups * width + values, return_counts=True)
    of_pair = cells // width
    sizes = np.bincount(of_pair, weights=counts).astype(np.int64)
    return GroupCounts(of_pair, cells % width, counts, sizes)


def count_distinct(pairs: GroupCounts) -> Floats:
    """The number of distinct values in each group.

    >>> count_distinct(count_in_groups(np.array([0, 0, 1]), np.array([3, 4, 3])))
    array([2., 1.])
    """
    return np.bincount(pairs.groups).astype(np.float64)


def measure_entropy(pairs: GroupCounts) -> Floats:
    """The number of equally frequent values that would be as uncertain, exp(H), in each group.

    >>> measure_entropy(count_in_groups(np.array([0, 0, 1]), np.array([3, 4, 3])))
    array([2., 1.])
    """
    shares = pairs.shares
    entropy = -np.bincount(pairs.groups, weights=shares * np.log(shares))
    return np.asarray(np.round(np.exp(entropy), DIGITS))


def measure_recursive(pairs: GroupCounts, c: float) -> Floats:
    """The largest l for which the most common value is rarer than c times those from the l-th on.

    0 where there is none; values are ordered by how often they occur.

    >>> measure_recursive(count_in_groups(np.zeros(6, int), np.array([1, 1, 1, 2, 2, 3])), 2.0)
    array([2.])
    """
    order = np.lexsort((-pairs.counts, pairs.groups))
    groups, counts = pairs.groups[order], pairs.counts[order]
    begins = np.flatnonzero(np.diff(groups, prepend=-1))
    before = np.cumsum(counts) - counts
    rest = pairs.sizes[groups] - (before - before[begins][groups])
    holds = c * rest > counts[begins][groups]
    return np.asarray(np.bincount(groups, weights=holds), np.float64)


def measure_equal_distance(pairs: GroupCounts, whole: Floats) -> Floats:
    """Earth mover's distance to the whole if all values are equally far apart.

    `whole` has the share of each value in the table.

    >>> pairs = count_in_groups(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0]))
    >>> measure_equal_distance(pairs, np.array([0.75, 0.25]))
    array([0.25, 0.25])
    """
    more = np.maximum(pairs.shares - whole[pairs.values], 0.0)
    return np.asarray(np.bincount(pairs.groups, weights=more), np.float64)


def measure_ordered_distance(pairs: GroupCounts, whole: Floats) -> Floats:
    """Earth mover's distance to the whole if values are as far apart as their ranks.

    `whole` has the share of each value in the table, in order; the first and the last are 1 apart.
    It is the mean of the absolute difference of two distribution functions. That of a group is
    constant between its values, and that of the table increases, so that each stretch is the sum
    of two parts, found by bisection.

    >>> pairs = count_in_groups(np.zeros(3, int), np.array([0, 1, 2]))
    >>> measure_ordered_distance(pairs, np.full(9, 1 / 9))
    array([0.375])
    """
    last = len(whole)
    if last < 2:
        return np.zeros(len(pairs.sizes))
    below = np.cumsum(whole)
    area = np.concatenate([[0.0], np.cumsum(below)])
    first = np.diff(pairs.groups, prepend=-1) > 0
    begins = np.flatnonzero(first)
    before = np.cumsum(pairs.counts) - pairs.counts
    height = (before + pairs.counts - before[begins][pairs.groups]) / pairs.sizes[pairs.groups]
    begin = pairs.values
    end = np.append(begin[1:], last)
    end[np.append(begins[1:] - 1, len(end) - 1)] = last
    cross = np.clip(np.searchsorted(below, height, side="right"), begin, end)
    stretch = height * (2 * cross - begin - end) - 2 * area[cross] + area[begin] + area[end]
    distances = np.bincount(pairs.groups, weights=stretch) + area[pairs.values[begins]]
    return np.clip(distances / (last - 1), 0.0, 1.0)
