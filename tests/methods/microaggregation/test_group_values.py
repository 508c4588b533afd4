from __future__ import annotations

import numpy as np

from swapmeet.methods.microaggregation.group_values import average_values, permute_values
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind

NAN = np.nan
GROUPS = np.array([0, 0, 0, 1, 1, 2])


def test_a_mean_is_made_and_a_value_without_company_is_stuck():
    numbers = Variable("x", Kind.NUMERIC, np.array([1.0, 3.0, NAN, 5.0, NAN, 7.0]))
    column = average_values(numbers, GROUPS)
    assert column.donors.tolist() == [-2, -2, 2, 3, 4, 5]
    assert np.array_equal(column.made, [2, 2, NAN, 5, NAN, 7], equal_nan=True)
    assert column.stuck.tolist() == [3, 5]


def test_a_median_and_a_mode_come_from_a_row_of_the_group():
    grades = Variable("g", Kind.ORDINAL, np.array([0.0, 2.0, 1.0, 4.0, 3.0, 0.0]))
    assert average_values(grades, GROUPS).donors.tolist() == [2, 2, 2, 4, 4, 5]
    towns = Variable("t", Kind.NOMINAL, np.array([3, 1, 1, 2, 3, -1], np.int32), 4)
    column = average_values(towns, GROUPS)
    assert column.donors.tolist() == [1, 1, 2, 4, 4, 5]
    assert column.stuck.tolist() == [5]
    assert column.made is None


def test_rows_in_no_group_keep_their_value():
    labels = np.array([0, -1, 0, -1])
    column = permute_values(labels, np.array([5, 6, 7, 8]))
    assert column.donors[[1, 3]].tolist() == [1, 3]
    assert sorted(column.donors[[0, 2]]) == [0, 2]
