"""Ranks trade in pairs with a random rank of a random bucket; near buckets are more likely."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.jit import kernel
from swapmeet.methods.rank_swap.window import strike_off

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints

LIKELY = 60
"""Buckets farther than this behind the first one are too unlikely to matter."""


@kernel
def trade_by_bucket(
    begins: Ints, ends: Ints, buckets: Ints, choices: Ints, random_bits: Ints
) -> Ints:
    """The place that each place trades with; itself where it trades with none.

    Each range of places is cut into buckets of equal size, give or take one. In order, a place of
    bucket r that has not traded chooses bucket s >= r with a probability in proportion to 2**-s,
    among those in which some place has not traded, and there one such place, all with the same
    probability. `choices` and `random_bits` have 63 bits for each place.
    """
    partners = np.arange(random_bits.shape[0])
    free = np.arange(random_bits.shape[0])
    spots = np.arange(random_bits.shape[0])
    for stratum in range(begins.shape[0]):
        cuts = _cut_range(begins[stratum], ends[stratum], buckets[stratum])
        counts = cuts[1:] - cuts[:-1]
        own = 0
        first = 0
        for place in range(begins[stratum], ends[stratum]):
            while place >= cuts[own + 1]:
                own += 1
            if partners[place] != place:
                continue
            counts[own] = strike_off(free, spots, cuts[own], counts[own], place)
            while first < counts.shape[0] and counts[first] == 0:
                first += 1
            if first == counts.shape[0]:
                break
            chosen = _choose_bucket(counts, first, choices[place])
            other = free[cuts[chosen] + random_bits[place] % counts[chosen]]
            counts[chosen] = strike_off(free, spots, cuts[chosen], counts[chosen], other)
            partners[place] = other
            partners[other] = place
    return partners


@kernel
def _cut_range(begin: int, end: int, buckets: int) -> Ints:
    """Return the beginning of each bucket; the last one ends at `end`."""
    cuts = np.empty(buckets + 1, np.int64)
    for bucket in range(buckets + 1):
        cuts[bucket] = begin + (end - begin) * bucket // buckets
    return cuts


@kernel
def _choose_bucket(counts: Ints, first: int, bits: int) -> int:
    """A bucket with free places, from `first` on: each half as likely as the one before it.

    `first` has free places; empty buckets halve the probability, too.
    """
    last = min(first + LIKELY, counts.shape[0])
    weight = 1.0
    total = 0.0
    for bucket in range(first, last):
        total += weight if counts[bucket] > 0 else 0.0
        weight /= 2.0
    left = bits / 2.0**63 * total
    weight = 1.0
    chosen = first
    for bucket in range(first, last):
        if counts[bucket] > 0:
            chosen = bucket
            left -= weight
            if left < 0.0:
                break
        weight /= 2.0
    return chosen
