from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from swapmeet.algorithms.groups.by_value import Ranks
from swapmeet.methods.rank_swap.trades import (
    trade_in_window,
    windows_by_correlation,
    windows_by_mean,
)


def trade(begins, ends, reaches, n, seed=1):
    words = np.random.default_rng(seed).integers(0, 2**63 - 1, n)
    return trade_in_window(np.array(begins), np.array(ends), np.array(reaches), words)


def matchings(size, reach, partners=None, place=0):
    """Every result of the algorithm with its probability."""
    partners = partners or tuple(range(size))
    if place == size:
        yield partners, 1.0
        return
    free = [k for k in range(place + 1, min(size, place + reach)) if partners[k] == k]
    if partners[place] != place or not free:
        yield from matchings(size, reach, partners, place + 1)
        return
    for other in free:
        traded = list(partners)
        traded[place], traded[other] = other, place
        for result, probability in matchings(size, reach, tuple(traded), place + 1):
            yield result, probability / len(free)


# by hand


def test_window_of_two_trades_neighbours():
    assert trade([0], [5], [2], 5).tolist() == [1, 0, 3, 2, 4]


@pytest.mark.parametrize("reach", [0, 1])
def test_window_below_two_trades_nothing(reach):
    assert trade([0], [4], [reach], 4).tolist() == [0, 1, 2, 3]


def test_pairs_stay_in_their_range_and_others_stay_where_they_are():
    partners = trade([1, 5], [3, 7], [9, 9], 8)
    assert partners.tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


# chance


@pytest.mark.parametrize(("size", "reach"), [(4, 4), (5, 3), (6, 4), (6, 99)])
def test_every_matching_is_as_frequent_as_the_algorithm_says(size, reach):
    """Against full enumeration, in 40,000 ranges; false alarm 1 in 10,000 each."""
    times = 40_000
    begins = np.arange(times) * size
    partners = trade(begins, begins + size, np.full(times, reach), times * size)
    seen, counts = np.unique(
        (partners - np.repeat(begins, size)).reshape(-1, size), axis=0, return_counts=True
    )
    expected = {}
    for result, probability in matchings(size, reach):
        expected[result] = expected.get(result, 0.0) + probability * times
    found = dict(zip(map(tuple, seen.tolist()), counts, strict=True))
    assert set(found) <= set(expected)
    pairs = [(found.get(result, 0), count) for result, count in expected.items()]
    assert chisquare(*np.array(pairs).T).pvalue > 1e-4


def test_first_place_finds_any_partner_of_a_large_window():
    """20,000 ranges of 50 places; false alarm 1 in 10,000."""
    begins = np.arange(20_000) * 50
    partners = trade(begins, begins + 50, np.full(20_000, 41), 1_000_000)
    jumps = (partners - np.arange(1_000_000))[begins]
    assert jumps.min() == 1
    assert jumps.max() == 40
    assert chisquare(np.bincount(jumps)[1:]).pvalue > 1e-4


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 35)), min_size=1, max_size=5
    ),
    st.integers(0, 999),
)
def test_partners_are_mutual_near_and_missed_by_nobody(shapes, seed):
    begins, ends, at = [], [], 0
    for gap, size, _ in shapes:
        begins.append(at + gap)
        ends.append(at + gap + size)
        at = ends[-1]
    partners = trade(begins, ends, [reach for *_, reach in shapes], at + 2, seed)
    assert np.array_equal(partners[partners], np.arange(at + 2))
    inside = np.zeros(at + 2, bool)
    for begin, end, (*_, reach) in zip(begins, ends, shapes, strict=True):
        inside[begin:end] = True
        for place in range(begin, end):
            assert begin <= partners[place] < end
            assert abs(partners[place] - place) < max(reach, 1)
            if partners[place] == place:
                assert all(partners[place + 1 : min(place + reach, end)] < place)
    assert (partners == np.arange(at + 2))[~inside].all()


def ranks_of(*strata):
    bounds = np.cumsum([0, *map(len, strata)])
    values = np.concatenate(strata).astype(float)
    return Ranks(np.arange(len(values)), values, bounds)


def test_window_that_keeps_a_correlation_by_hand():
    """Of 8, 6, 4, 2 the population variance is 5 and the way from end to end 6."""
    ranks = ranks_of([8, 6, 4, 2])
    window = windows_by_correlation(ranks, ranks.begins, ranks.ends, 0.9)
    assert window == pytest.approx([np.sqrt(2 * 5 * 0.1) / 6])


def test_window_that_keeps_means_by_hand():
    ranks = ranks_of([8, 6, 4, 2])
    window = windows_by_mean(ranks, ranks.begins, ranks.ends, 0.2)
    assert window == pytest.approx([np.sqrt(8 / 3) * 0.2 * 5 / 6])


def test_way_leads_from_the_last_of_the_top_to_the_first_of_the_bottom():
    """Inside: 6 and 4, variance 1; the top ends at 8, the bottom begins at 3."""
    ranks = ranks_of([99, 8, 6, 4, 3, -50])
    begins, ends = np.array([2]), np.array([4])
    assert windows_by_correlation(ranks, begins, ends, 0.5) == pytest.approx([1 / 5])
    assert windows_by_mean(ranks, begins, ends, 0.1) == pytest.approx([np.sqrt(8 / 3) * 0.5 / 5])


def test_every_stratum_has_its_own_window():
    ranks = ranks_of([8, 6, 4, 2], [3, 1])
    windows = windows_by_correlation(ranks, ranks.begins, ranks.ends, 0.9)
    assert windows == pytest.approx([np.sqrt(2 * 5 * 0.1) / 6, np.sqrt(2 * 1 * 0.1) / 2])


def test_window_is_never_more_than_all_rows():
    ranks = ranks_of([8, 6, 4, 2])
    assert windows_by_mean(ranks, ranks.begins, ranks.ends, 50.0).tolist() == [1.0]


@pytest.mark.parametrize("rule", [windows_by_correlation, windows_by_mean])
def test_equal_values_may_trade_without_limit(rule):
    ranks = ranks_of([4, 4, 4], [7])
    assert rule(ranks, ranks.begins, ranks.ends, 0.9).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("scale", [1e-200, 1e150, 1e300])
def test_unit_of_the_values_does_not_matter(scale):
    ranks = ranks_of(np.array([8, 6, 4, 2]) * scale)
    window = windows_by_correlation(ranks, ranks.begins, ranks.ends, 0.9)
    assert window == pytest.approx([np.sqrt(2 * 5 * 0.1) / 6])
