"""Ranks trade in pairs inside a window that slides along them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints


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
