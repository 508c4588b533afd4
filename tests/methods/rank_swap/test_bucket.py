from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from swapmeet.methods.rank_swap.trades import trade_by_bucket


def trade(begins, ends, buckets, n, seed=1):
    choices, words = np.random.default_rng(seed).integers(0, 2**63 - 1, (2, n))
    return trade_by_bucket(np.array(begins), np.array(ends), np.array(buckets), choices, words)


def bucket_of(place, size, buckets):
    return sum(place >= size * (number + 1) // buckets for number in range(buckets))


def matchings(size, buckets, partners=None, place=0):
    """Every result of the algorithm with its probability."""
    partners = partners or tuple(range(size))
    if place == size:
        yield partners, 1.0
        return
    free = [k for k in range(place + 1, size) if partners[k] == k]
    if partners[place] != place or not free:
        yield from matchings(size, buckets, partners, place + 1)
        return
    own = [bucket_of(k, size, buckets) for k in free]
    total = sum(2.0**-bucket for bucket in set(own))
    for other, bucket in zip(free, own, strict=True):
        chance = 2.0**-bucket / total / own.count(bucket)
        traded = list(partners)
        traded[place], traded[other] = other, place
        for result, probability in matchings(size, buckets, tuple(traded), place + 1):
            yield result, probability * chance


@pytest.mark.parametrize(("size", "buckets"), [(4, 1), (4, 2), (5, 2), (6, 3), (6, 6)])
def test_every_matching_is_as_frequent_as_the_algorithm_says(size, buckets):
    """Against full enumeration, in 40,000 ranges; false alarm 1 in 10,000 each."""
    times = 40_000
    begins = np.arange(times) * size
    partners = trade(begins, begins + size, np.full(times, buckets), times * size)
    seen, counts = np.unique(
        (partners - np.repeat(begins, size)).reshape(-1, size), axis=0, return_counts=True
    )
    expected = {}
    for result, probability in matchings(size, buckets):
        expected[result] = expected.get(result, 0.0) + probability * times
    found = dict(zip(map(tuple, seen.tolist()), counts, strict=True))
    assert set(found) <= set(expected)
    pairs = [(found.get(result, 0), count) for result, count in expected.items()]
    assert chisquare(*np.array(pairs).T).pvalue > 1e-4


def test_first_place_prefers_near_buckets():
    """10 buckets of 5, chosen with probability 1/2, 1/4, ...; false alarm 1 in 10,000."""
    times = 20_000
    begins = np.arange(times) * 50
    partners = trade(begins, begins + 50, np.full(times, 10), times * 50)
    chosen = (partners[begins] - begins) // 5
    expected = 0.5 ** np.arange(10)
    assert chisquare(np.bincount(chosen), expected / expected.sum() * times).pvalue > 1e-4


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=5
    ),
    st.integers(0, 999),
)
def test_partners_are_mutual_and_at_most_one_of_a_range_has_none(shapes, seed):
    begins, ends, at = [], [], 0
    for gap, size, _ in shapes:
        begins.append(at + gap)
        ends.append(at + gap + size)
        at = ends[-1]
    counts = [min(buckets, size) for _, size, buckets in shapes]
    partners = trade(begins, ends, counts, at + 2, seed)
    assert np.array_equal(partners[partners], np.arange(at + 2))
    for begin, end in zip(begins, ends, strict=True):
        inside = partners[begin:end]
        assert ((inside >= begin) & (inside < end)).all()
        assert (inside == np.arange(begin, end)).sum() == (end - begin) % 2
    assert (partners != np.arange(at + 2)).sum() == sum((size // 2) * 2 for _, size, _ in shapes)


def test_many_small_buckets_do_not_take_long():
    """A search over all buckets for each place would need 10**10 steps."""
    n = 200_000
    partners = trade([0], [n], [n // 2], n)
    assert (partners != np.arange(n)).all()
    assert np.median(np.abs(partners - np.arange(n))) < 10
