from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.groups.cells import (
    cells_of,
    depths_of,
    equi_depth_privacy,
    equi_width_privacy,
    exposure,
    group_consecutive,
    minimal_depth,
    partition_degree,
    places_of,
    width_of,
)
from swapmeet.errors import UsageError

NAN = np.nan


def span(values):
    present = values[~np.isnan(values)]
    return float(np.ptp(present)) if len(present) else 0.0


def places(values, width):
    return places_of(np.array(values, float), width).tolist()


def cells(columns, strata=None):
    columns = [np.array(column, np.int64) for column in columns]
    strata = np.zeros(len(columns[0])) if strata is None else np.array(strata)
    return cells_of(columns, strata.astype(np.int32)).tolist()


# places


def test_intervals_begin_at_the_lowest_value_and_hold_their_lower_edge():
    assert places([20, 24, 25, 29, 30, 33], 5.0) == [0, 0, 1, 1, 2, 2]


def test_the_largest_value_is_in_the_last_interval_and_not_alone_behind_it():
    assert places([0, 5, 9, 10], 5.0) == [0, 1, 1, 1]
    assert places([0, 5, 9, 10.1], 5.0) == [0, 1, 1, 2]


def test_a_width_beyond_the_range_makes_one_interval():
    assert places([3, 4, 5], 100.0) == [0, 0, 0]


def test_missing_values_have_no_interval():
    assert places([NAN, 1, 3, NAN], 1.0) == [-1, 0, 1, -1]
    assert places([NAN, NAN], 1.0) == [-1, -1]
    assert places([], 1.0) == []


def test_a_constant_has_one_interval():
    assert places([7, 7, NAN, 7], 0.5) == [0, 0, -1, 0]


def test_tenths_are_where_they_are_written():
    """0.3 / 0.1 is 2.9999999999999996, and 1.1 / 0.1 is 11.000000000000002, in doubles."""
    tenths = [i / 10 for i in range(12)]
    assert places(tenths, 0.1) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]


@pytest.mark.parametrize("bins", [1, 2, 3, 7, 10, 49, 1000])
@pytest.mark.parametrize("high", [1.0, 0.7, 1e-3, 12345.678, 1e149])
def test_so_many_bins_are_so_many_intervals(bins, high):
    values = np.linspace(-high / 3, high, 5_001)
    found = places_of(values, width_of(span(values), bins))
    assert np.array_equal(np.unique(found), np.arange(bins))


def test_intervals_of_some_rows_are_those_of_all():
    values = np.array([0.0, 2.5, NAN, 7.0, 10.0])
    some = places_of(values[1:4], 2.5, (0.0, 10.0))
    assert some.tolist() == [1, -1, 2] == places_of(values, 2.5)[1:4].tolist()


def test_a_column_without_two_values_has_some_width():
    assert width_of(0.0, 10) == 1.0


# cells


def test_rows_of_a_cell_agree_in_every_place():
    assert cells([[0, 0, 1, 1, 0], [0, 1, 1, 1, 0]]) == [0, 1, 2, 2, 0]


def test_cells_end_where_a_stratum_does():
    assert cells([[0, 0, 0, 0]], strata=[0, 1, 1, 0]) == [0, 1, 1, 0]


def test_rows_that_miss_the_same_share_a_cell_and_rows_that_miss_all_have_none():
    assert cells([[0, -1, -1, -1, -1], [0, 0, 0, 1, -1]]) == [2, 0, 0, 1, -1]


def test_numbers_have_no_gaps_even_where_places_are_huge():
    assert cells([[0, 10**15, 5, 10**15], [2**53, 0, 0, 0]]) == [0, 2, 1, 2]


def test_depths_count_the_rows_of_each_cell():
    assert depths_of(np.array([0, 2, -1, 2, 1, 2])).tolist() == [1, 1, 3]
    assert depths_of(np.array([-1, -1])).tolist() == []


VALUES = st.one_of(st.none(), st.floats(-100, 100, width=16), st.integers(-5, 5))


@given(
    st.lists(st.tuples(VALUES, VALUES, st.integers(0, 2)), min_size=1, max_size=40),
    st.floats(0.01, 300),
    st.integers(1, 12),
)
def test_a_cell_is_where_pattern_stratum_and_intervals_are_the_same(rows, width, bins):
    one, two, strata = (np.array([NAN if x is None else x for x in c], float) for c in zip(*rows))  # noqa: B905
    spaces = [places_of(one, width), places_of(two, width_of(span(two), bins))]
    labels = cells_of(spaces, strata.astype(np.int32))
    keys = [
        None if np.isnan(a) and np.isnan(b) else (p, q, s)
        for a, b, p, q, s in zip(one, two, *spaces, strata, strict=True)
    ]
    assert [label < 0 for label in labels] == [key is None for key in keys]
    pairs = {(label, key) for label, key in zip(labels.tolist(), keys, strict=True) if key}
    assert len(pairs) == len({label for label, _ in pairs}) == len({key for _, key in pairs})
    assert {label for label, _ in pairs} == set(range(len(pairs)))
    for label, _ in pairs:
        members = labels == label
        for values, limit in ((one, width), (two, width_of(span(two), bins))):
            missing = np.isnan(values[members])
            assert missing.all() or not missing.any()
            assert missing.all() or np.ptp(values[members]) <= limit * (1 + 1e-8)


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


TABLE_1 = {
    (0.2, 10_000, 0.1): 0.3466,
    (0.4, 10_000, 0.1): 0.1973,
    (0.4, 10_000, 0.5): 0.1060,
    (0.4, 10_000, 0.9): 0.0461,
    (0.4, 100_000, 0.1): 0.0359,
    (0.4, 100_000, 0.5): 0.0172,
    (0.4, 100_000, 0.9): 0.0069,
    (0.8, 10_000, 0.1): 0.0443,
    (0.8, 10_000, 0.5): 0.0254,
    (0.8, 10_000, 0.9): 0.0125,
    (0.8, 100_000, 0.1): 0.0066,
    (0.8, 100_000, 0.5): 0.0036,
    (0.8, 100_000, 0.9): 0.0017,
}
"""Largest width, rows, correlation: the figure printed. Five of the 18 cells cannot be read."""


def test_degree_and_depth_are_those_of_the_cells_that_hold_rows():
    depths = np.array([4, 0, 2, 7])
    assert partition_degree(depths) == 3
    assert minimal_depth(depths) == 2
    assert partition_degree(np.array([], int)) == minimal_depth(np.array([], int)) == 0


@pytest.mark.parametrize(
    ("depths", "chance"),
    [([2, 9], 1.0), ([1, 9], 1.0), ([3, 9], 0.5), ([11, 0, 21], 0.1), ([], 0.0), ([0], 0.0)],
)
def test_exposure_is_that_of_the_smallest_group(depths, chance):
    assert exposure(np.array(depths, int)) == chance


def test_lemma_1_by_hand():
    """q = 4: (1 + 1/2 + 4 / 12) / 4; q = 2: (1 + 2 / 8) / 2; q = 1: (1 / 6) / 1."""
    assert equi_depth_privacy(4) == pytest.approx((1.5 + 4 / 12) / 4)
    assert equi_depth_privacy(2) == pytest.approx(0.625)
    assert equi_depth_privacy(1) == pytest.approx(1 / 6)


def test_the_constant_of_lemma_1_is_smaller_than_printed():
    """The paper has c between gamma + 0.2 and 1.2; it is gamma - ln 2 + 1/2, about 0.384."""
    for q in (10, 1_000, 100_000):
        constant = q * equi_depth_privacy(q) - math.log(q)
        assert 0.38 < constant < np.euler_gamma + 0.2
    assert constant == pytest.approx(np.euler_gamma - math.log(2) + 0.5, abs=1e-4)


def test_lemma_2_by_hand_and_its_constant():
    assert equi_width_privacy([2, 3, 5]) == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    q = 10_000
    constant = q * equi_width_privacy(range(2, q + 2)) - math.log(q)
    assert constant == pytest.approx(np.euler_gamma, abs=1e-4)


def test_lemmas_need_something_to_speak_of():
    with pytest.raises(UsageError, match="`partitions` must be"):
        equi_depth_privacy(0)
    for depths in ([], [2, 1]):
        with pytest.raises(UsageError, match="each 2 or more"):
            equi_width_privacy(depths)


@pytest.mark.parametrize(("case", "printed"), TABLE_1.items())
def test_table_1_is_the_logarithm_of_q_over_q_of_one_corner(case, printed):
    """q rows of the normal law, which is not truncated, are expected in the corner of [-2, 2]²."""
    from scipy.stats import multivariate_normal

    width, n, rho = case
    law = multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    q = math.floor(n * law.cdf([2, 2], lower_limit=[2 - width, 2 - width]))
    assert round(math.log(q) / q, 4) == printed
