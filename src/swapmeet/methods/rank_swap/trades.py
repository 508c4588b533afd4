"""Ranks trade in pairs: inside a window, with a random bucket, or by a jump.

The rules for windows with which a column keeps a property (Moore 1996) assume that the values are
evenly spread between the largest and the smallest.
"""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.groups.by_value import Ranks, means_in
from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.jit import kernel
from swapmeet.base.quantiles import places_in


@kernel
def trade_in_window(begins: Ints, ends: Ints, reaches: Ints, random_bits: Ints) -> Ints:
    """The place that each place trades with; itself where it trades with none.

    In each range of places, and in order, a place j that has not traded picks one of the places k
    that have not, j < k < j + reach, all with the same probability. `random_bits` has 63 bits
    for each place.

    Places that have not traded yet are kept in a list: the window only moves on, so that a place
    enters and leaves it once. `spots` says where in the list a place stands.
    """
    partners = np.arange(random_bits.shape[0])
    free = np.empty(random_bits.shape[0], np.int64)
    spots = np.empty(random_bits.shape[0], np.int64)
    for stratum in range(begins.shape[0]):
        count = 0
        upcoming = begins[stratum]
        for place in range(begins[stratum], ends[stratum]):
            while upcoming < min(place + max(reaches[stratum], 1), ends[stratum]):
                free[count] = upcoming
                spots[upcoming] = count
                upcoming += 1
                count += 1
            if partners[place] != place:
                continue
            count = strike_off(free, spots, 0, count, place)
            if count > 0:
                other = free[random_bits[place] % count]
                count = strike_off(free, spots, 0, count, other)
                partners[place] = other
                partners[other] = place
    return partners


@kernel
def strike_off(free: Ints, spots: Ints, begin: int, count: int, place: int) -> int:
    """Strike a place off the list free[begin:begin + count]; return its new length."""
    last = free[begin + count - 1]
    free[spots[place]] = last
    spots[last] = spots[place]
    return count - 1


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


@kernel
def trade_by_jump(begins: Ints, ends: Ints, jumps: Ints) -> Ints:
    """The place that each place trades with; itself where it trades with none.

    In each range of places, and in order, a place that has not traded jumps ahead and trades with
    the nearest place that has not; of two equally near ones, with the farther from itself.
    """
    partners = np.arange(jumps.shape[0])
    later = np.arange(jumps.shape[0] + 1)
    earlier = np.arange(jumps.shape[0])
    for stratum in range(begins.shape[0]):
        end = ends[stratum]
        for place in range(begins[stratum], end):
            if partners[place] != place:
                continue
            _take(later, earlier, place)
            other = _nearest(later, earlier, place, min(place + jumps[place], end - 1), end)
            if other > place:
                _take(later, earlier, other)
                partners[place] = other
                partners[other] = place
    return partners


@kernel
def _take(later: Ints, earlier: Ints, place: int) -> None:
    """Let a place that trades point to its neighbours."""
    later[place] = place + 1
    earlier[place] = place - 1


@kernel
def _nearest(later: Ints, earlier: Ints, place: int, target: int, end: int) -> int:
    """The free place nearest to the target, between `place` and `end`; `place` if there is none.

    A place that is taken points to one nearer to the next free one, in each direction; the way
    there is shortened as it is walked.
    """
    ahead = target
    while later[ahead] != ahead:
        later[ahead] = later[later[ahead]]
        ahead = later[ahead]
    behind = target
    while behind > place and earlier[behind] != behind:
        if earlier[behind] > place:
            earlier[behind] = earlier[earlier[behind]]
        behind = earlier[behind]
    if ahead >= end:
        return max(behind, place)
    if behind <= place or ahead - target <= target - behind:
        return ahead
    return behind


def windows_by_correlation(ranks: Ranks, begins: Ints, ends: Ints, correlation: float) -> Floats:
    """The window of each range, as a share of its rows, that keeps the correlation."""
    distances = _spans(ranks, begins, ends)
    sizes = ends - begins
    centres = np.repeat(means_in(ranks.values, begins, ends), sizes)
    from_centre = ranks.values[places_in(begins, ends)] - centres
    relative = from_centre / np.repeat(distances, sizes)
    spreads = np.add.reduceat(relative**2, np.cumsum(sizes) - sizes) / sizes
    return _within_the_range(np.sqrt(2.0 * spreads * (1.0 - correlation)), distances)


def windows_by_mean(ranks: Ranks, begins: Ints, ends: Ints, factor: float) -> Floats:
    """The window of each range, as a share of its rows, that keeps means of subsets."""
    distances = _spans(ranks, begins, ends)
    relative = np.abs(means_in(ranks.values, begins, ends)) / distances
    return _within_the_range(np.sqrt(8.0 / 3.0) * factor * relative, distances)


def _spans(ranks: Ranks, begins: Ints, ends: Ints) -> Floats:
    """The span between the top and the bottom rows or, without them, between the extremes.

    Infinite where all values are the same.
    """
    highest = ranks.values[np.maximum(begins - 1, ranks.begins)]
    lowest = ranks.values[np.minimum(ends, ranks.ends - 1)]
    return np.where(highest > lowest, highest - lowest, np.inf)


def _within_the_range(windows: Floats, distances: Floats) -> Floats:
    """At most all rows; all where the values are the same."""
    return np.where(np.isinf(distances), 1.0, np.minimum(windows, 1.0))
