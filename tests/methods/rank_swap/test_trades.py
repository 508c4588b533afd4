from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from swapmeet.methods.rank_swap.trades import trade_in_window


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
