from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.groups.average import group_means, group_medians

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
