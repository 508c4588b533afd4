from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.groups.cells import group_consecutive


def cut(scores, k, strata=None):
    codes = np.zeros(len(scores)) if strata is None else np.array(strata)
    return group_consecutive(np.array(scores, float), codes.astype(np.int32), k).tolist()


@pytest.mark.parametrize(
    ("n", "k", "labels"),
    [
        (6, 3, [0, 0, 0, 1, 1, 1]),
        (7, 3, [0, 0, 0, 1, 1, 1, 1]),
        (5, 3, [0] * 5),
        (2, 3, [0, 0]),
        (0, 3, []),
    ],
)
def test_groups_are_cut_from_the_low_end_and_the_last_takes_the_rest(n, k, labels):
    assert cut(range(n), k) == labels


def test_equal_scores_are_in_the_order_of_rows():
    assert cut([1, 0, 1, 0, 1, 1], 2) == [1, 0, 1, 0, 2, 2]


def test_groups_end_where_a_stratum_does():
    assert cut([5, 1, 2, 9, 3, 7, 8], 2, [0, 3, 0, 3, 0, 3, 3]) == [0, 1, 0, 2, 0, 1, 2]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=50),
    st.integers(2, 6),
)
def test_in_every_stratum_groups_are_intervals_of_k_to_2k_rows(rows, k):
    strata, scores = np.array(rows).T
    labels = np.array(cut(scores, k, strata))
    assert sorted(set(labels)) == list(range(labels.max() + 1))
    for stratum in set(strata):
        own, values = labels[strata == stratum], scores[strata == stratum]
        assert not set(own) & set(labels[strata != stratum])
        sizes = np.unique(own, return_counts=True)[1]
        assert (sizes[:-1] == k).all()
        assert min(k, len(own)) <= sizes[-1] < 2 * k
        assert (np.diff(own[np.argsort(values, kind="stable")]) >= 0).all()
