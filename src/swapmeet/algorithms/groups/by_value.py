"""Rows by their values: in the order of one column, or numbered by what they hold in several."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.base.quantiles import places_in

SMALL = 1 << 16
"""Strata below this number are sorted by counting."""


@dataclass(frozen=True, repr=False)
class Ranks:
    """Rows that have a value, stratum by stratum, from the largest value down.

    The row at a place is `order[place]`, its value `values[place]`; stratum s has the places from
    `bounds[s]` to `bounds[s + 1]`. Strata without a value are left out.
    """

    order: Ints
    values: Floats
    bounds: Ints

    @property
    def begins(self) -> Ints:
        """The first place of each stratum."""
        return self.bounds[:-1]

    @property
    def ends(self) -> Ints:
        """The place behind the last one of each stratum."""
        return self.bounds[1:]

    @property
    def sizes(self) -> Ints:
        """Count the rows of each stratum that have a value."""
        return np.diff(self.bounds)


def rank_rows(
    values: Floats, strata: ShortInts, random_bits: Callable[[int], Ints] | None = None
) -> Ranks:
    """Rank the rows; equal values are in random order, so that ranks do not tell rows apart.

    `random_bits(n)` gives n numbers of 63 random bits; it is called only where there are ties.
    Without it, equal values are in the order of their rows, the last row first.
    """
    present = len(values) - int(np.isnan(values).sum())
    order = np.argsort(values, kind="stable")[:present][::-1]
    order = _by_stratum(order, strata[order])
    sizes = np.bincount(strata[order])
    bounds = np.concatenate(([0], np.cumsum(sizes[sizes > 0])))
    ordered = values[order]
    if random_bits is not None and (ordered[1:] == ordered[:-1]).any():
        _shuffle_ties(order, ordered, bounds, random_bits(present))
    return Ranks(order, ordered, bounds)


def reverse_ties(ranks: Ranks, begins: Ints, ends: Ints) -> Ranks:
    """The ranks with the rows of each run of equal values turned round, inside each range."""
    order = ranks.order.copy()
    _reverse_runs(order, ranks.values, begins, ends)
    return replace(ranks, order=order)


def means_in(values: Floats, begins: Ints, ends: Ints) -> Floats:
    """The mean of the values in each range, none of which is empty; exact where all are equal."""
    sizes = ends - begins
    above = values[places_in(begins, ends)] - np.repeat(values[begins], sizes)
    return values[begins] + np.add.reduceat(above, np.cumsum(sizes) - sizes) / sizes


def _by_stratum(order: Ints, strata: ShortInts) -> Ints:
    """The rows of each stratum together, in the same order."""
    last = strata.max(initial=0)
    if last == 0:
        return np.ascontiguousarray(order)
    codes = strata.astype(np.uint16) if last < SMALL else strata
    return order[np.argsort(codes, kind="stable")]


@kernel
def _shuffle_ties(order: Ints, values: Floats, bounds: Ints, random_bits: Ints) -> None:
    """Put the rows of each run of equal values into a uniformly random order."""
    for stratum in range(bounds.shape[0] - 1):
        first = bounds[stratum]
        for place in range(bounds[stratum] + 1, bounds[stratum + 1]):
            if values[place] != values[first]:
                first = place
            other = first + random_bits[place] % (place - first + 1)
            order[place], order[other] = order[other], order[place]


@kernel
def _reverse_runs(order: Ints, values: Floats, begins: Ints, ends: Ints) -> None:
    """Turn the rows of each run of equal values round, where it lies inside a range."""
    for part in range(begins.shape[0]):
        first = begins[part]
        while first < ends[part]:
            last = first
            while last + 1 < ends[part] and values[last + 1] == values[first]:
                last += 1
            order[first : last + 1] = order[first : last + 1][::-1].copy()
            first = last + 1


ROOM = 8
"""Numbers are counted in a table, rather than sorted, if it has at most so many places per row."""


def number_combinations(columns: Iterable[npt.NDArray[Any]], n: int) -> Ints:
    """The number of each row's combination of values, from 0 up, without gaps.

    A missing value, a negative code or NaN, is a value.

    >>> number_combinations([np.array([5.0, 7.0, np.nan, 5.0]), np.array([0, 0, 1, 0])], 4).tolist()
    [1, 2, 0, 1]
    """
    labels, count = np.zeros(n, np.int64), 1
    for values in columns:
        codes, width = _number_values(values)
        if not width:
            continue
        labels, count = _close_gaps(labels * width + codes, count * width)
    return labels


def _number_values(values: npt.NDArray[Any]) -> tuple[Ints, int]:
    """The number of each value, and how many numbers there may be."""
    if not len(values):
        return values.astype(np.int64), 0
    if values.dtype.kind != "f":
        low = int(values.min())
        return _close_gaps(values.astype(np.int64) - low, int(values.max()) - low + 1)
    missing = np.isnan(values)
    known = values[~missing] if missing.any() else values
    least, most = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    if not most - least < ROOM * len(values) or not (known == np.floor(known)).all():
        return _sort_out(values)
    codes = np.where(missing, least - 1.0, values) - (least - 1.0)
    return _close_gaps(codes.astype(np.int64), int(most - least) + 2)


def _close_gaps(codes: Ints, width: int) -> tuple[Ints, int]:
    """Codes below `width`, numbered anew in their order."""
    if width > ROOM * max(len(codes), 1):
        return _sort_out(codes)
    present = np.bincount(codes, minlength=width) > 0
    numbers = np.cumsum(present) - 1
    return numbers[codes], int(numbers[-1]) + 1


def _sort_out(values: npt.NDArray[Any]) -> tuple[Ints, int]:
    levels, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64), len(levels)


@kernel
def find_smallest(values: Ints, units: Ints, count: int) -> Ints:
    """The smallest value of the rows of each of `count` units."""
    smallest = np.full(count, np.iinfo(np.int64).max)
    for row in range(values.shape[0]):
        unit = units[row]
        smallest[unit] = min(smallest[unit], values[row])
    return smallest


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
