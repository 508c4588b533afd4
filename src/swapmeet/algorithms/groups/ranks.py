"""The rows of each stratum in order of their value in one column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.places import places_in
from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.base.arrays import Floats, Ints, ShortInts

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
