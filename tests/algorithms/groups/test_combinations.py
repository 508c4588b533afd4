from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.groups.by_value import find_smallest, number_combinations

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
