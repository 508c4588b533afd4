from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.comparison.values import buckets_of

CELLS = st.sampled_from([0.0, -0.0, 1.0, 2.5, -3.0, np.nan, np.inf])


@given(st.lists(st.tuples(CELLS, st.integers(-1, 3)), min_size=1), st.integers(1, 9))
def test_rows_with_the_same_values_meet_in_one_heap(rows, count):
    numbers = np.array([number for number, _ in rows])
    codes = np.array([code for _, code in rows], np.int32)
    buckets = buckets_of([numbers, codes], len(rows), count)
    assert buckets.min() >= 0
    assert buckets.max() < count
    seen = {}
    for (number, code), bucket in zip(rows, buckets, strict=True):
        key = ("missing" if np.isnan(number) else number, code)
        assert seen.setdefault(key, bucket) == bucket


def test_heaps_are_of_about_the_same_size():
    codes = np.arange(100_000, dtype=np.int32)
    sizes = np.bincount(buckets_of([codes // 300, codes % 300], len(codes), 10), minlength=10)
    assert sizes.min() > 9_000
