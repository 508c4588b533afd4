"""Rows that belong together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.tables.units import Units

NUMBERS = st.lists(st.integers(0, 5), min_size=1, max_size=30)


def number(units: list[int]) -> Units:
    return Units(np.unique(units, return_inverse=True)[1].astype(np.int64))


@given(NUMBERS, st.randoms(use_true_random=False))
def test_donors_of_a_unit_are_rows_of_one_unit(numbers, random):
    units = number(numbers)
    donors = np.array([random.randrange(units.count) for _ in range(units.count)])
    rows = units.spread(donors)
    assert (units.of_row[rows] == donors[units.of_row]).all()


@given(NUMBERS)
def test_units_that_keep_their_own_keep_it_row_by_row(numbers):
    units = number(numbers)
    assert units.spread(np.arange(units.count)).tolist() == list(range(len(numbers)))


@given(NUMBERS)
def test_a_unit_as_large_gives_every_row_once(numbers):
    units = number(numbers + numbers)
    rows = units.spread(np.arange(units.count)[::-1])
    for unit in range(units.count):
        if units.sizes[unit] == units.sizes[units.count - 1 - unit]:
            given_by = rows[units.of_row == unit]
            assert len(set(given_by.tolist())) == len(given_by)


def test_marks_of_suppressed_and_made_values_stay():
    assert Units(np.array([0, 0, 1])).spread(np.array([-1, -2])).tolist() == [-1, -1, -2]


def test_members_are_ordered_by_rank():
    units = Units(np.array([0, 0, 0, 1]), np.array([2, 0, 1, 0]))
    assert units.member.tolist() == [2, 0, 1, 0]
    assert units.first.tolist() == [1, 3]


def test_a_missing_value_is_a_value():
    units = Units(np.array([0, 0, 1, 1]))
    assert units.is_constant(np.array([np.nan, np.nan, 1.0, 1.0]))
    assert units.count_mixed(np.array([np.nan, 2.0, 1.0, 1.0])) == 1
    assert units.count_mixed(np.array([2.0, np.nan, 1.0, 3.0])) == 2


def test_rows_of_units_are_listed_in_order():
    assert Units(np.array([1, 0, 1, 2])).list_rows(np.array([2, 1])).tolist() == [0, 2, 3]
