from __future__ import annotations

import numpy as np

from swapmeet.algorithms.encode import Points


def make():
    return Points(
        np.array([[0.0, 1.0, 2.0]]),
        np.array([[0, 1, 2], [0, 0, 1]], np.int32),
        np.array([[0.5, 1.0, 2.0], [3.0, 4.0, 0.0]]),
        (3, 2),
    )


def test_least_and_most_look_only_at_levels_that_exist():
    points = make()
    assert points.least.tolist() == [0.5, 3.0]
    assert points.most.tolist() == [2.0, 4.0]


def test_points_without_columns_have_rows_all_the_same():
    points = Points(np.empty((0, 3)), np.empty((0, 3), np.int32), np.zeros((0, 1)), ())
    assert points.n == 3
    assert points.least.shape == points.most.shape == (0,)


def test_walls_are_infinitely_high_and_change_nothing_else():
    points = make()
    walled = points.separate_groups(np.array([0, 1, 1], np.int32))
    assert walled.codes[-1].tolist() == [0, 1, 1]
    assert np.isinf(walled.costs[-1, :2]).all()
    assert np.array_equal(walled.codes[:-1], points.codes)
    assert np.array_equal(walled.costs[:-1, :3], points.costs)
    assert walled.levels == (3, 2, 2)
    assert len(points.codes) == 2


def test_more_walls_than_levels_fit():
    walled = make().separate_groups(np.array([0, 7, 3], np.int32))
    assert walled.levels == (3, 2, 8)
    assert walled.costs.shape == (3, 8)
    assert walled.least.tolist() == [0.5, 3.0, np.inf]


def test_repr_hides_the_values():
    assert repr(make()) == "<Points: 3 rows, 1 numeric, 2 nominal>"
