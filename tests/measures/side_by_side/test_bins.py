from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.measures.side_by_side.bins import (
    DIGITS,
    FARTHEST,
    LEAST,
    MOST,
    calendar_edges,
    choose_bins,
    count_cells,
    count_in_bins,
    even_edges,
    even_ratios,
    hide_small_cells,
    is_skewed,
    is_small,
    join_small_bins,
    write_moment,
)

COUNTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=30).map(
    lambda rows: np.array(rows, np.int64)
)
NUMBERS = st.lists(
    st.floats(-1e12, 1e12) | st.integers(-50, 50).map(float), min_size=1, max_size=80
).map(np.array)


def test_counts_up_to_nine_are_small_and_none_is_not():
    assert [is_small(np.array([n])) for n in (0, 1, 9, 10)] == [False, True, True, False]


@given(COUNTS)
def test_joined_bins_have_no_small_count_unless_one_is_left(counts):
    starts = join_small_bins(counts)
    together = np.add.reduceat(counts, starts)
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert together.sum(axis=0).tolist() == counts.sum(axis=0).tolist()
    assert len(together) == 1 or not is_small(together)


def test_bins_without_small_counts_stay_apart():
    assert join_small_bins(np.array([[10, 0], [0, 0], [12, 30]])) == [0, 1, 2]


def test_a_small_bin_joins_the_neighbour_with_fewer_rows():
    assert join_small_bins(np.array([[50, 50], [3, 20], [20, 20]])) == [0, 1]
    assert join_small_bins(np.array([[20, 20], [3, 20], [50, 50]])) == [0, 2]


@given(NUMBERS)
def test_edges_are_few_and_round_and_lie_inside(values):
    edges = even_edges(values)
    assert len(edges) <= MOST
    assert edges == sorted(set(edges))
    assert all(edge == float(f"{edge:.{DIGITS}g}") for edge in edges)
    assert all(values.min() < edge <= values.max() for edge in edges)


@pytest.mark.parametrize("values", [[0.0, -1e-5], [0.0, 5e-324], [-1e-323, 0.0], [0.1, 0.3]])
def test_rounding_moves_no_edge_outside(values):
    assert all(min(values) < edge <= max(values) for edge in even_edges(np.array(values)))


def test_edges_of_tiny_numbers_are_found():
    assert even_edges(np.array([0.0, -1e-5])) == pytest.approx(np.arange(-9, 1) * 1e-6)


def test_edges_of_whole_numbers_are_whole():
    assert even_edges(np.repeat(np.arange(1.0, 6.0), 20)) == [2.0, 3.0, 4.0, 5.0]


def test_a_giant_does_not_stretch_the_bins():
    edges = even_edges(np.append(np.arange(1000.0), 1e9))
    assert edges[-1] < 1000.0


def test_infinite_values_are_counted_at_the_ends():
    values = np.array([-np.inf, *np.arange(50.0), np.inf])
    edges = even_edges(values)
    assert count_in_bins(values, edges).sum() == 52
    assert max(edges) < 50.0


@pytest.mark.parametrize("values", [[3.0, 3.0], [], [1e9, 1e9 + 1], [np.inf, np.inf]])
def test_no_edges_where_none_is_round_or_nothing_varies(values):
    assert even_edges(np.array(values)) == []


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=60).map(np.array))
def test_ratios_are_round_and_lie_inside(values):
    edges = even_ratios(values)
    assert len(edges) <= MOST
    assert all(f"{edge:e}"[0] in "125" and float(f"{edge:.0e}") == edge for edge in edges)
    assert all(values[values > 0].min() < edge <= values.max() for edge in edges)


def test_values_next_to_nothing_have_no_ratios():
    assert even_ratios(np.array([5e-324, 1e-310])) == []
    assert even_ratios(np.array([5e-324, 0.004, 0.03])) == [0.005, 0.01, 0.02]


def test_counts_are_those_of_each_bin():
    values = np.array([0.0, 1.0, 1.5, 2.0, 9.0])
    assert count_in_bins(values, [1.0, 2.0]).tolist() == [1, 2, 2]
    assert count_in_bins(values, []).tolist() == [5]
    assert LEAST == 10


@pytest.mark.parametrize("far", [np.inf, 1.7e308])
def test_values_beyond_arithmetic_do_not_decide_whether_a_column_is_skewed(far):
    values = np.append(np.geomspace(1.0, 1e6, 50), [far] * 20)
    assert is_skewed(values)


DAY = 86_400.0
SECONDS = st.floats(-6e10, 1e11).map(round)


@given(first=SECONDS, span=st.integers(1, 10**11), unit=st.sampled_from([DAY, 1.0, 1e-3, 1e-9]))
def test_edges_lie_inside_are_few_and_rise(first, span, unit):
    values = np.linspace(first, first + span, 200) / unit
    edges = calendar_edges(values, unit)
    assert len(edges) <= MOST
    assert all(values.min() < edge <= values.max() for edge in edges)
    assert edges == sorted(set(edges))


@given(first=st.integers(-50_000, 20_000), days=st.integers(2, 30_000))
def test_whole_days_are_cut_between_days(first, days):
    edges = calendar_edges(np.arange(first, first + days, dtype=np.float64), DAY)
    assert edges
    assert all(edge == round(edge) for edge in edges)
    assert not any(":" in write_moment(edge, DAY) for edge in edges)


def test_decades_of_dates_are_cut_at_years():
    edges = calendar_edges(np.arange(0.0, 20_000.0), DAY)
    assert [write_moment(edge, DAY) for edge in edges[:2]] == ["1975", "1980"]


def test_weeks_inside_one_month_are_cut_at_days():
    edges = calendar_edges(np.arange(0.0, 22.0), DAY)
    assert [write_moment(edge, DAY) for edge in edges[:2]] == ["1970-01-03", "1970-01-05"]


def test_one_moment_and_moments_beyond_the_calendar_have_no_edges():
    assert calendar_edges(np.full(9, 5.0), DAY) == []
    assert calendar_edges(np.array([0.0, 10 * FARTHEST]), 1.0) == []
    assert calendar_edges(np.array([]), 1.0) == []


VALUES = st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=60)


@given(VALUES, st.sets(st.integers(-9, 9), max_size=5), st.sets(st.integers(-9, 9), max_size=5))
def test_each_row_is_in_one_cell(rows, across, up):
    one, other = np.array(rows).T
    counts = count_cells(one, other, sorted(across), sorted(up))
    assert counts.shape == (len(across) + 1, len(up) + 1)
    assert counts.sum() == len(rows)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=20), st.integers(1, 15))
def test_small_cells_count_nothing_and_others_stay(counts, least):
    shown = hide_small_cells(np.array(counts), least)
    assert not ((shown > 0) & (shown < least)).any()
    assert (shown[shown > 0] == np.array(counts)[shown > 0]).all()


def test_more_rows_have_more_bins():
    assert [choose_bins(rows) for rows in (1, 100, 10_000, 10**7)] == [1, 4, 20, 20]
