from __future__ import annotations

import numpy as np
import pytest

from swapmeet.methods.matched_swap.similar import SAMPLE, MixedRows, cut_cells


def cut(points, k, most, begin=0, end=None):
    rows = MixedRows(points.numbers.T.copy(), points.codes.T.copy(), points.costs)
    order, begins = np.arange(points.n), np.zeros(points.n, np.bool_)
    bounds = np.array([begin, points.n if end is None else end])
    cut_cells(rows, order, bounds, k, most, begins)
    return order, np.flatnonzero(begins)


def test_cells_are_cut_until_they_are_small_enough(place):
    order, begins = cut(place([[5, 0, 4, 1, 3, 2]]), 1, 3)
    assert begins.tolist() == [0, 3]
    assert sorted(order[:3]) == [1, 3, 5]


def test_rows_outside_of_the_range_stay_where_they_are(place):
    order, begins = cut(place([[9, 8, 7, 6, 5, 4]]), 1, 1, 1, 4)
    assert order.tolist() == [0, 3, 2, 1, 4, 5]
    assert begins.tolist() == [1, 2, 3]


@pytest.mark.parametrize("n", [SAMPLE - 1, SAMPLE, SAMPLE + 1, 5 * SAMPLE + 3])
def test_the_cut_of_one_column_is_at_its_middle_whatever_the_sample(place, n):
    values = np.random.default_rng(n).permutation(n)
    order, begins = cut(place([values]), 1, n - 1)
    assert begins.tolist() == [0, n // 2]
    assert values[order[: n // 2]].max() == n // 2 - 1


def test_cells_have_a_multiple_of_k_rows_but_the_last(mixed_points):
    _, begins = cut(mixed_points(1000), 7, 100)
    sizes = np.diff([*begins, 1000])
    assert not (sizes[:-1] % 7).any()
    assert sizes[-1] % 7 == 1000 % 7


def test_what_one_cell_knows_of_levels_is_gone_in_the_next(place):
    """The upper half is cut as if alone; sizes and costs are such that no sum is rounded."""
    rng = np.random.default_rng(3)
    points = place([np.repeat([0.0, 64.0], 256)], [rng.integers(0, 90, 512)], 1.0)
    order, begins = cut(points, 4, 7)
    alone, others = cut(points.of(np.arange(256, 512)), 4, 7)
    assert np.array_equal(begins[begins >= 256] - 256, others)
    together = np.sort(order[256:].reshape(-1, 4), axis=1) - 256
    assert np.array_equal(together, np.sort(alone.reshape(-1, 4), axis=1))
