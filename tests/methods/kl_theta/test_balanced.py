from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kl_theta_checker import broken, partition

from swapmeet.methods.kl_theta.balanced import LARGEST, form_balanced_clusters
from swapmeet.methods.kl_theta.conditions import Conditions, EncodedKeys, number_columns


def clustered(numbers, nominal, sensitive, k, distinct, theta, order=None):
    """The labels, after the independent check of all that is promised."""
    n = len(sensitive)
    keys = EncodedKeys(
        np.ascontiguousarray(numbers, float),
        np.int64(1) << np.asarray(nominal).reshape(n, -1),
        np.ones(numbers.shape[1]),
        np.ones(np.asarray(nominal).reshape(n, -1).shape[1]),
    )
    conditions, values = Conditions(k, distinct, theta), number_columns(sensitive.T)
    told = []
    order = np.arange(n) if order is None else order
    labels = form_balanced_clusters(keys, values, conditions, order, told.append)
    assert not broken(labels, sensitive.T.tolist(), k, distinct, theta)
    sizes = np.bincount(labels[labels >= 0])
    assert sizes.max(initial=0) <= LARGEST * conditions.target(values)
    assert told[-1] == (labels >= 0).sum()
    return labels


def line(places, values, k, distinct, theta):
    numbers = np.array(places, float)[:, np.newaxis]
    nothing = np.empty((len(places), 0), int)
    return clustered(numbers, nothing, np.array(values)[:, np.newaxis], k, distinct, theta)


# by hand


def test_a_cluster_takes_the_nearest_rows_that_it_may():
    """Row 0 (a) may not take row 1 (a), since θK = 1; it takes b, then c, and so does row 1."""
    labels = line([0, 1, 2, 3, 4, 5], list("aabbcc"), k=3, distinct=3, theta=0.34)
    assert partition(labels) == {frozenset({0, 2, 4}), frozenset({1, 3, 5})}


def test_places_are_kept_for_distinct_values():
    """K = 4, L = 3, θ = 0.5: after a, a the next two must be b and c, however far."""
    labels = line([0, 1, 2, 3, 50, 60, 70, 80], list("aaaabcbc"), k=4, distinct=3, theta=0.5)
    assert partition(labels) == {frozenset({0, 1, 4, 5}), frozenset({2, 3, 6, 7})}


def test_rows_too_many_for_a_cluster_join_the_nearest():
    labels = line([0, 1, 2, 10, 11, 12, 13], list("abcabca"), k=3, distinct=2, theta=0.67)
    assert partition(labels) == {frozenset({0, 1, 2}), frozenset({3, 4, 5, 6})}


def test_a_frequent_value_is_shared_out_from_the_beginning():
    """Half of the rows are a, and θ = 0.5: every cluster must have two of them, however far.

    Two clusters of b, b, c, c would be denser, and leave a surplus of a.
    """
    labels = line([0] * 8 + [100] * 8, list("bcbcbcbc" + "aaaaaaaa"), k=4, distinct=2, theta=0.5)
    assert np.bincount(labels).tolist() == [4] * 4


def test_a_rare_value_is_shared_out():
    """Three of twelve rows are c, and each of three clusters needs one."""
    labels = line([5, 5, 5, *range(9)], list("ccc" + "abaababab"), k=4, distinct=3, theta=0.5)
    assert np.bincount(labels).tolist() == [4, 4, 4]


def test_a_cluster_leaves_enough_rare_values_to_later_ones():
    """All three rare rows are nearest to the first one, but each of three clusters needs one."""
    labels = line([0, 1, 2, 3, *range(10, 18)], list("abcd" + "a" * 8), k=4, distinct=2, theta=1.0)
    assert np.bincount(labels).tolist() == [4, 4, 4]


def test_clusters_are_larger_where_the_conditions_ask_for_it():
    """θ = 0.15 of 10 rows is one, but a value has 14 % of the rows: clusters get 14."""
    rng = np.random.default_rng(0)
    values = rng.permutation(np.repeat(np.arange(8), [14, 13, 13, 12, 12, 12, 12, 12]))
    labels = line(rng.random(100), np.tile(values, 1), k=10, distinct=5, theta=0.15)
    assert np.bincount(labels[labels >= 0]).min() >= 14


def test_order_says_which_row_comes_first():
    rng = np.random.default_rng(0)
    table = (rng.random((60, 2)), np.empty((60, 0), int), rng.integers(0, 4, (60, 1)), 5, 2, 0.6)
    one = partition(clustered(*table))
    assert partition(clustered(*table)) == one
    assert partition(clustered(*table, order=np.arange(60)[::-1].copy())) != one


# invariants


@st.composite
def tables(draw):
    n = draw(st.integers(2, 120))
    d, c, m = draw(st.integers(0, 3)), draw(st.integers(0, 2)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    fine = draw(st.sampled_from([1, 3, 1000]))
    values = draw(st.sampled_from([2, 3, 5, 12, 100]))
    skew = draw(st.sampled_from([0.0, 0.5, 1.0, 2.0]))
    chances = 1.0 / np.arange(1, values + 1) ** skew
    sensitive = rng.choice(values, (n, m), p=chances / chances.sum())
    k = draw(st.integers(2, 12))
    theta = draw(st.sampled_from([0.2, 0.3, 0.34, 0.5, 0.75, 1.0]))
    most = max(np.bincount(column).max() for column in sensitive.T) / n
    fewest = min(len(np.unique(column)) for column in sensitive.T)
    assume(k <= n and k * theta >= 1 and most <= theta)
    distinct = draw(st.integers(1, min(fewest, 6)))
    numbers = rng.integers(0, fine, (n, d)) / fine
    return numbers, rng.integers(0, 4, (n, c)), sensitive, k, distinct, theta, rng.permutation(n)


@given(tables())
def test_every_cluster_satisfies_the_conditions(table):
    clustered(*table)


@pytest.mark.parametrize("theta", [0.3, 0.32, 0.4])
def test_one_sensitive_column_is_placed_completely_where_sizes_allow(theta):
    """θ is met exactly or nearly: 30 % of the rows have the same value, in one corner."""
    rng = np.random.default_rng(1)
    n = 2_000
    values = np.repeat(np.arange(6), [600, 400, 400, 300, 200, 100])[:, np.newaxis]
    numbers = values / 6 + rng.normal(0, 0.05, (n, 1))
    labels = clustered(numbers, rng.integers(0, 3, (n, 1)), values, 10, 4, theta)
    assert (labels >= 0).all()


def test_equal_rows_are_clustered_too():
    values = np.tile(np.arange(5), 40)[:, np.newaxis]
    labels = clustered(np.zeros((200, 1)), np.zeros((200, 1), int), values, 10, 5, 0.2)
    assert np.bincount(labels).tolist() == [10] * 20
