from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.groups.unit_rows import UnitRows

UNITS = UnitRows(np.array([1, 0, 1, 1, 0, 2]))


def test_without_units_each_row_is_its_own():
    rows = UnitRows.number(None, 3)
    assert rows.are_rows
    assert rows.count == 3
    assert rows.spread(np.array([1, 0, 2])).tolist() == [1, 0, 2]


def test_first_rows_and_sizes():
    assert UNITS.count == 3
    assert UNITS.sizes.tolist() == [2, 3, 1]
    assert UNITS.first.tolist() == [1, 0, 5]


def test_units_whose_rows_differ_are_counted():
    assert UNITS.count_mixed(np.array([7, 8, 7, 7, 8, 9])) == 0
    assert UNITS.count_mixed(np.array([7, 8, 7, 6, 9, 9])) == 2
    nan = np.nan
    assert UNITS.count_mixed(np.array([nan, 8.0, nan, nan, nan, 1.0])) == 1


def test_rows_receive_from_the_row_of_the_same_place_in_the_other_unit():
    donors = UNITS.spread(np.array([1, 0, 2]))
    assert donors.tolist() == [1, 0, 4, 1, 2, 5]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.randoms())
def test_every_row_receives_from_the_unit_that_gives_to_its_own(units, random):
    of = np.unique(units, return_inverse=True)[1].astype(np.int64)
    rows = UnitRows(of)
    givers = np.array(random.sample(range(rows.count), rows.count))
    assert (of[rows.spread(givers)] == givers[of]).all()
