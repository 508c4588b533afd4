from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.groups.cells import cells_of, depths_of, places_of, width_of

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
