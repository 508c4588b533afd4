from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.groups.average import find_modes, group_means, group_medians

PAIRS = st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3)), min_size=1, max_size=40)


def test_the_mean_of_equal_values_is_the_value_itself():
    assert group_means(np.full(3, 0.1), np.zeros(3, np.int64)).tolist() == [0.1] * 3


def test_no_values_have_no_means():
    none = np.empty(0, np.int64)
    assert group_means(np.empty(0), none).tolist() == []
    assert group_medians(np.empty(0), none).tolist() == []


@given(PAIRS)
def test_means_and_lower_medians_are_those_of_each_group(pairs):
    values, labels = np.array(pairs, float)[:, 0], np.array(pairs)[:, 1]
    means, middles = group_means(values, labels), group_medians(values, labels)
    for label in set(labels):
        own = values[labels == label]
        assert np.allclose(means[labels == label], own.mean())
        assert (labels[middles[labels == label]] == label).all()
        assert (values[middles[labels == label]] == np.sort(own)[(len(own) - 1) // 2]).all()


def test_a_tie_in_a_group_goes_to_the_level_that_is_common_elsewhere():
    """Group 0 has one 3 and one 8; 8 is the commoner one in the table. Group 2: the lower code."""
    codes, labels = np.array([3, 8, 8, 8, 2, 1]), np.array([0, 0, 1, 1, 2, 2])
    assert codes[find_modes(codes.astype(np.int32), labels)].tolist() == [8, 8, 1]


@given(PAIRS)
def test_no_level_of_a_group_is_commoner_than_its_mode(pairs):
    codes = np.array(pairs)[:, 0].astype(np.int32)
    labels = np.unique(np.array(pairs)[:, 1], return_inverse=True)[1]
    for label, row in enumerate(find_modes(codes, labels)):
        own = codes[labels == label].tolist()
        assert own.count(codes[row]) == max(map(own.count, own))
        assert labels[row] == label
