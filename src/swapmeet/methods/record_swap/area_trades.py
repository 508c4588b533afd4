"""Units that must leave their area, or are drawn to, trade with a similar unit of another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.jit import kernel


class Trades(NamedTuple):
    """Of each unit, the one that it trades with, or -1.

    Of those who set out to trade: the `successes`, who have a partner, and the `failures`.
    """

    partner: Ints
    successes: Flags
    failures: Flags

    @classmethod
    def none(cls, count: int) -> Trades:
        """Nobody has traded yet."""
        return cls(np.full(count, -1), np.zeros(count, np.bool_), np.zeros(count, np.bool_))


class UnitProfiles(NamedTuple):
    """Similarity profiles: for each, in order of preference, the class of each unit.

    `members` has the units of a profile class by class, the likeliest partner first, and `starts`
    where each class begins.
    """

    classes: Ints
    members: Ints
    starts: Ints

    @classmethod
    def of(cls, classes: Sequence[Ints], likely: Floats) -> UnitProfiles:
        """From the classes, and how likely each unit is to be taken before the others."""
        order = np.argsort(-likely, kind="stable")
        width = max(int(one.max(initial=-1)) for one in classes) + 1
        sorted_out = [sort_by_class(one, order, width) for one in classes]
        members, starts = zip(*sorted_out, strict=True)
        return cls(np.stack(classes), np.stack(members), np.stack(starts))


class Areas(NamedTuple):
    """The area of each unit, and how many of each area shall set out at least.

    `queue` has the units area by area, those first who set out first; `starts` where each begins.
    """

    of: Ints
    queue: Ints
    starts: Ints
    quota: Ints

    @classmethod
    def in_order(cls, areas: Ints, order: Ints, quota: Ints) -> Areas:
        """Areas take their turn by their number, units inside them by `order`."""
        return cls(areas, *sort_by_class(areas, order, len(quota)), quota)


def trade_between_areas(areas: Areas, must: Flags, profiles: UnitProfiles, trades: Trades) -> int:
    """Let those set out who must, and others up to the quota; the number of trades.

    A unit that traded does not trade again; one that found nobody does not set out again, but may
    be another's partner. `trades` is added to.
    """
    return int(_trade(*areas, must, *profiles, *trades))


@kernel
def sort_by_class(classes: Ints, order: Ints, count: int) -> tuple[Ints, Ints]:
    """The units class by class, in the given order inside each; and where each class begins."""
    starts = np.zeros(count + 1, np.int64)
    for one in classes:
        starts[one + 1] += 1
    for one in range(count):
        starts[one + 1] += starts[one]
    places = starts[:-1].copy()
    members = np.empty(order.shape[0], np.int64)
    for unit in order:
        members[places[classes[unit]]] = unit
        places[classes[unit]] += 1
    return members, starts


@kernel
def _trade(
    areas: Ints, queue: Ints, begins: Ints, quota: Ints, must: Flags,
    classes: Ints, members: Ints, starts: Ints, partner: Ints, successes: Flags, failures: Flags,
) -> int:  # fmt: skip
    count, n = classes.shape
    skip = np.empty((count, n + 1), np.int64)
    for profile in range(count):
        for place in range(n + 1):
            skip[profile, place] = place
    cursor = np.zeros((count, starts.shape[1]), np.int64)
    stamp = np.full((count, starts.shape[1]), -1)
    setting_out = np.empty(n, np.int64)
    done = 0
    for area in range(quota.shape[0]):
        chosen = _choose(queue, begins[area], begins[area + 1], quota[area], must,
                         partner, failures, setting_out)  # fmt: skip
        for turn in range(chosen):
            unit = setting_out[turn]
            if partner[unit] >= 0:
                continue
            for profile in range(count):
                one = classes[profile, unit]
                if stamp[profile, one] != area:
                    stamp[profile, one] = area
                    cursor[profile, one] = starts[profile, one]
                place = _find_free(
                    cursor[profile, one], starts[profile, one + 1], area, areas,
                    members[profile], skip[profile], partner,
                )  # fmt: skip
                cursor[profile, one] = place
                if place < starts[profile, one + 1]:
                    other = members[profile, place]
                    partner[unit], partner[other] = other, unit
                    successes[unit] = True
                    done += 1
                    break
            failures[unit] = partner[unit] < 0
    return done


@kernel
def _choose(
    queue: Ints, begin: int, end: int, quota: int, must: Flags,
    partner: Ints, failed: Flags, chosen: Ints,
) -> int:  # fmt: skip
    """Choose the units of an area that must set out, and the first others up to the quota."""
    count = 0
    for place in range(begin, end):
        unit = queue[place]
        if must[unit] and partner[unit] < 0 and not failed[unit]:
            chosen[count] = unit
            count += 1
    for place in range(begin, end):
        if count >= quota:
            break
        unit = queue[place]
        if not must[unit] and partner[unit] < 0 and not failed[unit]:
            chosen[count] = unit
            count += 1
    return count


@kernel
def _find_free(
    place: int, end: int, area: int, areas: Ints, members: Ints, skip: Ints, partner: Ints
) -> int:
    """The first place from here on of a unit of another area that has not traded, or the end.

    `skip` leads past those who have.
    """
    while True:
        while skip[place] != place:
            skip[place] = skip[skip[place]]
            place = skip[place]
        if place >= end:
            return end
        unit = members[place]
        if partner[unit] >= 0:
            skip[place] = place + 1
        elif areas[unit] != area:
            return place
        place += 1
