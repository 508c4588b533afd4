from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from swapmeet.algorithms.encode import Points
from swapmeet.methods.matched_swap.similar import (
    OWN_AXES,
    SHARED_AXES,
    find_coordinates,
)


def gaps(columns, pairs):
    return ((columns[:, pairs[:, 0]] - columns[:, pairs[:, 1]]) ** 2).sum(axis=0)


@pytest.mark.parametrize("levels", [(1, 2), (3, 2), (OWN_AXES, 5)])
def test_squared_distances_are_those_of_the_points(levels):
    rng = np.random.default_rng(2)
    codes = np.stack([rng.integers(0, count, 60) for count in levels]).astype(np.int32)
    costs = rng.random((2, max(levels)))
    points = Points(rng.standard_normal((2, 60)), codes, costs, levels)
    pairs = np.array(list(combinations(range(60), 2)))
    exact = points.of(pairs[:, 0]).squared_distances(points.of(pairs[:, 1]))
    assert np.allclose(gaps(find_coordinates(points), pairs), exact)


def test_a_column_of_two_levels_is_one_axis_and_one_level_none(place):
    assert len(find_coordinates(place([], [[0, 1, 0], [1, 1, 1]]))) == 1


def test_a_level_that_does_not_occur_has_no_axis(place):
    assert len(find_coordinates(place([], [[0, 5, 9]]))) == 3


def test_thousands_of_levels_take_few_axes_and_stay_about_as_far_apart(place):
    codes = np.concatenate([np.arange(5000), np.arange(5000)])
    columns = find_coordinates(place([], [codes], 0.5))
    assert len(columns) == OWN_AXES + SHARED_AXES
    same = np.stack([np.arange(5000), np.arange(5000) + 5000], axis=1)
    assert gaps(columns, same).max() == 0.0
    rng = np.random.default_rng(0)
    away = gaps(columns, rng.integers(OWN_AXES, 5000, (20_000, 2)))
    assert away.mean() == pytest.approx(1.0, abs=0.02)
    assert away.std() < 0.27


def test_the_commonest_levels_have_exact_distances(place):
    codes = np.concatenate([np.arange(500), np.repeat([490, 491], 50)])
    columns = find_coordinates(place([], [codes], 0.5))
    assert gaps(columns, np.array([[490, 491]])) == pytest.approx(1.0)


def test_rows_without_columns_have_no_coordinates():
    points = Points(np.empty((0, 3)), np.empty((0, 3), np.int32), np.empty((0, 1)), ())
    assert find_coordinates(points).shape == (0, 3)
