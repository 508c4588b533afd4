"""Ranks trade in pairs, each with the free rank nearest to where a jump leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints


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
