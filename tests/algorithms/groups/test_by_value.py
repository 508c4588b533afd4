from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from swapmeet.algorithms.groups.by_value import (
    find_modes,
    find_smallest,
    group_means,
    group_medians,
    means_in,
    number_combinations,
    places_in,
    rank_rows,
    reverse_ties,
)


def words_of(seed):
    rng = np.random.default_rng(seed)
    return lambda n: rng.integers(0, 2**63 - 1, n)


def unheard(n):
    raise AssertionError("no ties, no words")


def one_stratum(values):
    return np.zeros(len(values), np.int32)


# by hand


def test_rows_are_ranked_from_the_largest_value_down():
    values = np.array([2.0, 9.0, -1.0, 4.0])
    ranks = rank_rows(values, one_stratum(values), unheard)
    assert ranks.order.tolist() == [1, 3, 0, 2]
    assert ranks.values.tolist() == [9.0, 4.0, 2.0, -1.0]
    assert ranks.bounds.tolist() == [0, 4]


def test_strata_come_one_after_the_other_without_those_that_have_no_value():
    values = np.array([1.0, np.nan, 5.0, 3.0, np.nan, 2.0])
    strata = np.array([2, 1, 0, 2, 0, 0], np.int32)
    ranks = rank_rows(values, strata, unheard)
    assert ranks.order.tolist() == [2, 5, 3, 0]
    assert ranks.bounds.tolist() == [0, 2, 4]
    assert ranks.sizes.tolist() == [2, 2]


def test_column_without_values_has_no_ranks():
    ranks = rank_rows(np.full(3, np.nan), np.zeros(3, np.int32), unheard)
    assert len(ranks.order) == 0
    assert ranks.bounds.tolist() == [0]
    assert len(means_in(ranks.values, ranks.begins, ranks.ends)) == 0


def test_infinite_values_are_the_first_and_the_last():
    values = np.array([0.0, -np.inf, np.inf])
    assert rank_rows(values, one_stratum(values), unheard).order.tolist() == [2, 0, 1]


@pytest.mark.parametrize("most", [3, 70_000])
def test_many_strata_are_sorted_like_few(most):
    rng = np.random.default_rng(4)
    values, strata = rng.random(5000), rng.integers(0, most, 5000).astype(np.int32)
    strata[0] = most - 1
    ranks = rank_rows(values, strata, unheard)
    assert np.array_equal(ranks.order, np.lexsort((-values, strata)))


def test_inputs_stay_as_they_were_and_may_be_read_only():
    values = np.array([1.0, 1.0, np.nan, 0.0])
    values.flags.writeable = False
    ranks = rank_rows(values, one_stratum(values), words_of(1))
    assert sorted(ranks.order[:2]) == [0, 1]
    assert np.array_equal(values, [1.0, 1.0, np.nan, 0.0], equal_nan=True)


# ties


def test_equal_values_are_in_any_order_with_the_same_probability():
    """In 12,000 strata, rows of value 7, 7, 7 and 3; false alarm 1 in 10,000."""
    strata = np.repeat(np.arange(12_000, dtype=np.int32), 4)
    ranks = rank_rows(np.tile([7.0, 7.0, 3.0, 7.0], 12_000), strata, words_of(2))
    orders = ranks.order.reshape(-1, 4) % 4
    assert (orders[:, 3] == 2).all()
    counts = np.unique(orders[:, :3], axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert chisquare(counts).pvalue > 1e-4


def test_without_random_bits_the_last_row_of_equal_values_is_first_until_runs_are_turned_round():
    values = np.array([7.0, 3.0, 7.0, 7.0, 3.0])
    ranks = rank_rows(values, one_stratum(values))
    assert ranks.order.tolist() == [3, 2, 0, 4, 1]
    inner = reverse_ties(ranks, np.array([1]), np.array([5]))
    assert inner.order.tolist() == [3, 0, 2, 1, 4]
    assert ranks.order.tolist() == [3, 2, 0, 4, 1]


def test_zero_and_minus_zero_are_equal():
    values = np.tile([0.0, -0.0], 500)
    order = rank_rows(values, one_stratum(values), words_of(3)).order
    assert 350 < (order[:500] % 2).sum() * 2 < 650


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, 2.5, np.nan, -np.inf]), st.integers(0, 3)), max_size=40
    ),
    st.integers(0, 99),
)
def test_every_row_with_a_value_has_a_rank_in_its_stratum(cells, seed):
    values = np.array([value for value, _ in cells], float)
    strata = np.array([stratum for _, stratum in cells], np.int32)
    ranks = rank_rows(values, strata, words_of(seed))
    assert sorted(ranks.order) == np.flatnonzero(~np.isnan(values)).tolist()
    assert np.array_equal(ranks.values, values[ranks.order])
    assert ranks.bounds[0] == 0
    assert ranks.bounds[-1] == len(ranks.order)
    for begin, end in zip(ranks.begins, ranks.ends, strict=True):
        assert len(set(strata[ranks.order[begin:end]])) == 1
        assert (ranks.values[begin : end - 1] >= ranks.values[begin + 1 : end]).all()


# ranges


def test_means_of_ranges():
    values = np.array([9.0, 3.0, 1.0, 7.0, 5.0])
    begins, ends = np.array([0, 3]), np.array([2, 5])
    assert places_in(begins, ends).tolist() == [0, 1, 3, 4]
    assert means_in(values, begins, ends).tolist() == [6.0, 6.0]


def test_mean_of_equal_values_is_that_value():
    values = np.full(7, 0.1)
    assert means_in(values, np.array([0, 3]), np.array([3, 7])).tolist() == [0.1, 0.1]


CELLS = st.one_of(
    st.floats(-1e3, 1e3).map(lambda x: round(x, 1)),
    st.sampled_from([np.nan, 0.0, -1.0, 3.0, 1e12]),
)
CODES = st.one_of(st.integers(-1, 5), st.integers(-1, 2**40))


@st.composite
def tables(draw):
    n = draw(st.integers(0, 30))
    kinds = draw(st.lists(st.booleans(), max_size=3))
    columns = []
    for is_float in kinds:
        cells = draw(st.lists(CELLS if is_float else CODES, min_size=n, max_size=n))
        columns.append(np.array(cells, float if is_float else np.int64))
    return columns, n


@given(tables())
def test_rows_have_one_number_exactly_if_they_agree_in_all_columns(table):
    columns, n = table
    labels = number_combinations(columns, n)
    rows = [tuple("?" if c[i] != c[i] else c[i] for c in columns) for i in range(n)]
    assert len(labels) == n
    for i in range(n):
        for j in range(n):
            assert (labels[i] == labels[j]) == (rows[i] == rows[j])


@given(tables())
def test_numbers_have_no_gaps(table):
    columns, n = table
    labels = number_combinations(columns, n)
    assert sorted(set(labels.tolist())) == list(range(len(set(labels.tolist()))))


def test_areas_are_numbered_in_the_order_of_the_larger_ones():
    large, small = np.array([2.0, 1.0, 1.0, 2.0]), np.array([1.0, 9.0, 3.0, 4.0])
    assert number_combinations([large, small], 4).tolist() == [2, 1, 0, 3]


def test_smallest_value_of_each_unit():
    found = find_smallest(np.array([5, 2, 7, 4]), np.array([1, 0, 1, 1]), 2)
    assert found.tolist() == [2, 4]


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
