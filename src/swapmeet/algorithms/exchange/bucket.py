"""Ranks trade in pairs with a random rank of a random bucket, near ones more often."""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.exchange.window import strike_off
from swapmeet.core.base.jit import Ints, kernel

LIKELY = 60
"""Buckets farther than this behind the first one are chosen too seldom to count."""


@kernel
def trade_by_bucket(begins: Ints, ends: Ints, buckets: Ints, choices: Ints, words: Ints) -> Ints:
    """The place that each place trades with; itself where it trades with none.

    Each range of places is cut into buckets of equal size, give or take one. In order, a place of
    bucket r that has not traded chooses bucket s >= r with a probability in proportion to 2**-s,
    among those in which some place has not traded, and there one such place, each with the same
    probability. `choices` and `words` are 63 random bits for each place.
    """
    partners = np.arange(words.shape[0])
    free = np.arange(words.shape[0])
    spots = np.arange(words.shape[0])
    for stratum in range(begins.shape[0]):
        cuts = _cuts(begins[stratum], ends[stratum], buckets[stratum])
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
            chosen = _chosen(counts, first, choices[place])
            other = free[cuts[chosen] + words[place] % counts[chosen]]
            counts[chosen] = strike_off(free, spots, cuts[chosen], counts[chosen], other)
            partners[place] = other
            partners[other] = place
    return partners


@kernel
def _cuts(begin: int, end: int, buckets: int) -> Ints:
    """Where each bucket begins; the last one ends at `end`."""
    cuts = np.empty(buckets + 1, np.int64)
    for bucket in range(buckets + 1):
        cuts[bucket] = begin + (end - begin) * bucket // buckets
    return cuts


@kernel
def _chosen(counts: Ints, first: int, word: int) -> int:
    """A bucket that is not empty, from `first`, which is not, on: each half as likely as the last.

    Empty buckets count as steps.
    """
    last = min(first + LIKELY, counts.shape[0])
    weight = 1.0
    total = 0.0
    for bucket in range(first, last):
        total += weight if counts[bucket] > 0 else 0.0
        weight /= 2.0
    left = word / 2.0**63 * total
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
