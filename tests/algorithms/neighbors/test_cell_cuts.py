from __future__ import annotations

import numpy as np
import pytest
from brute import make_points, squared_distances

from swapmeet.algorithms.neighbors import Rule
from swapmeet.algorithms.neighbors.cell_cuts import at_rank, dimension, needs_of
from swapmeet.base.parallel import Workers


@pytest.mark.parametrize("d", [1, 2, 5])
def test_dimension_is_that_of_the_space(d):
    rng = np.random.default_rng(d)
    squares = squared_distances(make_points(rng, 2000, d, ()))
    far = np.sqrt(np.sort(squares, axis=1)[:, 1:17])
    assert dimension(far) == pytest.approx(d, rel=0.25)


def test_equal_rows_have_no_dimension_and_need_nothing():
    assert dimension(np.zeros((4, 16))) == 1.0
    assert at_rank(np.zeros((4, 16)), 0.1).tolist() == [0.0] * 4


def test_all_rows_tell_their_needs_exactly():
    points = make_points(np.random.default_rng(1), 500, 2, (2,))
    needs = needs_of(points, np.zeros(500, np.int32), np.array([500]), Rule(k=7), 5, Workers(1))
    assert needs == pytest.approx(np.sqrt(np.sort(squared_distances(points), axis=1)[:, 7]))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.02])
def test_a_sample_tells_what_all_rows_need(share):
    rng = np.random.default_rng(1)
    points = make_points(rng, 4000, 2, ())
    exact = np.sqrt(np.sort(squared_distances(points), axis=1)[:, 10])
    rows = np.flatnonzero(rng.random(4000) < share)
    strata = np.zeros(len(rows), np.int32)
    needs = needs_of(points.of(rows), strata, np.array([4000]), Rule(k=10), 4, Workers(1))
    assert np.median(needs / exact[rows]) == pytest.approx(1.0, abs=0.15)


def test_a_ball_needs_its_radius():
    points = make_points(np.random.default_rng(1), 100)
    strata, sizes = np.zeros(100, np.int32), np.array([100])
    assert (needs_of(points, strata, sizes, Rule(eps=0.4), 4, Workers(1)) == 0.4).all()
    assert (needs_of(points, strata, sizes, Rule(k=1, eps=0.4), 4, Workers(1)) >= 0.4).all()
