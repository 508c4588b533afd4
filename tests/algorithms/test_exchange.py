from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from swapmeet.algorithms.exchange import (
    find_lone_rows,
    members_of,
    pair_within_groups,
    permute_within_groups,
    sizes_of,
)

LABELS = st.lists(st.integers(-1, 5), max_size=40).map(lambda found: np.array(found, np.int64))


def words(n, seed):
    return np.random.default_rng(seed).integers(0, 2**63 - 1, n)


@given(LABELS, st.integers(0, 9))
def test_donors_are_a_permutation_inside_the_groups(labels, seed):
    donors = permute_within_groups(labels, words(len(labels), seed))
    assert sorted(donors) == list(range(len(labels)))
    assert (labels[donors] == labels).all()
    outside = np.flatnonzero(labels < 0)
    assert (donors[outside] == outside).all()


@given(LABELS, st.integers(0, 9))
def test_pairs_trade_and_at_most_one_of_a_group_stays(labels, seed):
    donors = pair_within_groups(labels, words(len(labels), seed))
    assert (donors[donors] == np.arange(len(labels))).all()
    assert (labels[donors] == labels).all()
    for group in set(labels.tolist()) - {-1}:
        members = np.flatnonzero(labels == group)
        assert (donors[members] == members).sum() == len(members) % 2


def test_all_orders_of_a_group_are_equally_likely():
    """Chi-square over 24 orders; error rate 1e-4."""
    labels = np.array([0, 7, 0, -1, 0, 0])
    seen = Counter(
        tuple(permute_within_groups(labels, words(6, seed))[[0, 2, 4, 5]]) for seed in range(4800)
    )
    assert len(seen) == 24
    assert chisquare(list(seen.values())).pvalue > 1e-4


def test_all_pairings_are_equally_likely_and_so_is_the_odd_one():
    """Five rows have 15 pairings with one left over; error rate 1e-4."""
    labels = np.zeros(5, np.int64)
    seen = Counter(tuple(pair_within_groups(labels, words(5, seed))) for seed in range(4500))
    assert len(seen) == 15
    assert chisquare(list(seen.values())).pvalue > 1e-4


def test_members_stand_group_by_group():
    labels = np.array([2, 0, -1, 2, 0, 3])
    assert sizes_of(labels).tolist() == [2, 0, 2, 1]
    assert members_of(labels, sizes_of(labels)).tolist() == [1, 4, 0, 3, 5]
    assert find_lone_rows(labels).tolist() == [5]


def test_no_rows_are_no_problem():
    nothing = np.empty(0, np.int64)
    assert (
        len(permute_within_groups(nothing, nothing))
        == len(pair_within_groups(nothing, nothing))
        == 0
    )
