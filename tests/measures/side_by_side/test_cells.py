from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.measures.side_by_side.bins import choose_bins, count_cells, hide_small_cells

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
