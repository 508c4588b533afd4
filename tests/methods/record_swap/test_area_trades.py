from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from swapmeet.methods.record_swap.area_trades import (
    Areas,
    Trades,
    UnitProfiles,
    sort_by_class,
    trade_between_areas,
)


def trade(areas, must, classes, *, quota=None, likely=None, order=None):
    areas = np.array(areas)
    n = len(areas)
    quota = np.zeros(areas.max() + 1, np.int64) if quota is None else np.array(quota)
    likely = np.arange(n, 0, -1.0) if likely is None else np.array(likely, float)
    order = np.arange(n) if order is None else np.array(order)
    trades = Trades.none(n)
    done = trade_between_areas(
        Areas.in_order(areas, order, quota),
        np.array(must, bool),
        UnitProfiles.of([np.array(one) for one in classes], likely),
        trades,
    )
    return trades, done


def test_units_are_sorted_by_class_and_keep_their_order_inside():
    members, starts = sort_by_class(np.array([1, 0, 1, 2]), np.array([3, 2, 1, 0]), 3)
    assert members.tolist() == [1, 2, 0, 3]
    assert starts.tolist() == [0, 1, 3, 4]


def test_the_likeliest_similar_unit_of_another_area_is_the_partner():
    """Unit 0 must leave area 0; 1 is in its area, 2 is not similar, 4 is likelier than 3."""
    trades, done = trade(
        [0, 0, 1, 1, 1], [1, 0, 0, 0, 0], [[0, 0, 1, 0, 0]], likely=[5, 9, 8, 1, 2]
    )
    assert trades.partner.tolist() == [4, -1, -1, -1, 0]
    assert trades.successes.tolist() == [True, False, False, False, False]
    assert done == 1


def test_the_next_profile_counts_where_nobody_agrees_in_the_first():
    trades, _ = trade([0, 1, 1], [1, 0, 0], [[0, 1, 2], [0, 1, 0]])
    assert trades.partner.tolist() == [2, -1, 0]


def test_who_finds_nobody_is_told_and_stays():
    trades, done = trade([0, 0, 1], [1, 0, 0], [[0, 0, 1]])
    assert trades.failures.tolist() == [True, False, False]
    assert (trades.partner == -1).all()
    assert done == 0


def test_the_quota_counts_those_who_must_and_takes_others_in_order():
    areas, classes = [0] * 4 + [1] * 4, [[0] * 8]
    trades, done = trade(areas, [0, 0, 1, 0] + [0] * 4, classes, quota=[3, 0], order=[*range(8)])
    assert done == 3
    assert np.flatnonzero(trades.successes).tolist() == [0, 1, 2]


def test_nobody_trades_twice_though_all_must():
    trades, _ = trade([0, 1, 0, 1, 2], [1] * 5, [[0] * 5])
    assert Counter(trades.partner.tolist())[-1] == 1


@st.composite
def settings(draw):
    n = draw(st.integers(1, 40))
    small = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    areas = np.unique(draw(small), return_inverse=True)[1]
    classes = draw(st.lists(small, min_size=1, max_size=3))
    must = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    quota = [draw(st.integers(0, n)) for _ in range(areas.max() + 1)]
    order = draw(st.permutations(range(n)))
    likely = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    return areas, must, classes, quota, likely, order


@given(settings())
def test_partners_trade_with_each_other_elsewhere_and_are_similar(given_settings):
    areas, must, classes, quota, likely, order = given_settings
    trades, done = trade(areas, must, classes, quota=quota, likely=likely, order=order)
    traded = np.flatnonzero(trades.partner >= 0)
    partner = trades.partner[traded]
    assert (trades.partner[partner] == traded).all()
    assert (areas[traded] != areas[partner]).all()
    assert 2 * done == len(traded) == 2 * trades.successes.sum()
    alike = [np.array(one)[traded] == np.array(one)[partner] for one in classes]
    assert np.logical_or.reduce(alike).all()


@given(settings())
def test_whoever_must_leave_trades_or_has_nobody_left(given_settings):
    areas, must, classes, quota, likely, order = given_settings
    trades, _ = trade(areas, must, classes, quota=quota, likely=likely, order=order)
    alone = np.flatnonzero(np.array(must) & (trades.partner < 0))
    assert trades.failures[alone].all()
    free = np.flatnonzero(trades.partner < 0)
    for unit in alone:
        for one in classes:
            similar = free[np.array(one)[free] == one[unit]]
            assert (areas[similar] == areas[unit]).all()


@given(settings())
def test_the_best_partner_is_taken_as_a_slow_search_would(given_settings):
    areas, must, classes, quota, likely, order = given_settings
    trades, _ = trade(areas, must, classes, quota=quota, likely=likely, order=order)
    expected = _search_slowly(areas, must, classes, quota, likely, order)
    assert trades.partner.tolist() == expected


def _search_slowly(areas, must, classes, quota, likely, order):
    n = len(areas)
    partner, failed = [-1] * n, [False] * n
    for area in range(max(areas) + 1):
        own = [u for u in order if areas[u] == area and partner[u] < 0 and not failed[u]]
        chosen = [u for u in own if must[u]]
        chosen += [u for u in own if not must[u]][: max(quota[area] - len(chosen), 0)]
        for unit in chosen:
            for one in classes:
                able = [u for u in range(n) if partner[u] < 0 and areas[u] != area]
                able = [u for u in able if one[u] == one[unit]]
                if able:
                    best = min(able, key=lambda u: (-likely[u], u))
                    partner[unit], partner[best] = best, unit
                    break
            failed[unit] = partner[unit] < 0
    return partner


def test_every_possible_partner_is_as_likely_as_another_of_the_same_risk():
    """One must leave, eight could be its partner: chi-squared, at an error rate of 1e-4."""
    stream = np.random.default_rng(3)
    found = Counter(
        int(trade([0, *[1] * 8], [1, *[0] * 8], [[0] * 9], likely=stream.random(9))[0].partner[0])
        for _ in range(4000)
    )
    assert chisquare([found[unit] for unit in range(1, 9)]).pvalue > 1e-4
