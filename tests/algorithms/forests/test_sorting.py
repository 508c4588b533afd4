from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from swapmeet.algorithms.forests.sorting import _sort_by_heap, sort_rows

FEW = st.integers(-3, 3).map(float)
ANY = st.floats(allow_nan=False, allow_infinity=False, width=32)
VALUES = arrays(np.float32, st.integers(0, 80), elements=FEW | ANY)


@given(VALUES, st.integers(0, 5))
def test_values_are_sorted_and_rows_stay_with_them(values, begin):
    for sort in (sort_rows, _sort_by_heap):
        sorted_values, rows = values.copy(), np.arange(len(values))
        begin = min(begin, len(values))
        sort(sorted_values, rows, begin, len(values) - begin)
        np.testing.assert_array_equal(sorted_values[begin:], np.sort(values[begin:]))
        np.testing.assert_array_equal(values[rows], sorted_values)
        assert sorted(rows.tolist()) == list(range(len(values)))
        np.testing.assert_array_equal(rows[:begin], np.arange(begin))
