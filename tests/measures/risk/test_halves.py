from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from swapmeet.comparison.score import Undefined
from swapmeet.measures.risk.robust import Shape, best_exchange, best_half, moments, size_of_half


def names(p):
    return tuple(f"c{j}" for j in range(p))


def half(values, seed=0):
    return best_half(values, names(values.shape[1]), np.random.default_rng(seed))


def log_determinant(values):
    return np.linalg.slogdet(np.atleast_2d(np.cov(values.T)))[1]


@pytest.mark.slow_beyond(5)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("p", [1, 2, 3])
def test_no_half_is_better(seed, p):
    values = np.random.default_rng(seed).standard_t(2, size=(12, p))
    h = size_of_half(values)
    least = min(log_determinant(values[list(rows)]) for rows in combinations(range(12), h))
    found = half(values)
    assert found.sum() == h
    assert log_determinant(values[found]) == pytest.approx(least, abs=1e-9)


def test_outliers_are_left_out():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 4))
    values[:100] = rng.normal(size=(100, 4)) * 0.01 + 30.0
    assert not half(values)[:100].any()


@pytest.mark.slow_beyond(1)
@pytest.mark.parametrize("n", [400, 3000])
def test_the_order_of_the_rows_plays_no_part(n):
    rng = np.random.default_rng(0)
    values = rng.standard_t(3, size=(n, 3))
    order = rng.permutation(n)
    assert (half(values)[order] == half(values[order])).all()


def test_of_many_rows_a_sample_shows_the_way():
    """The half of 6,000 rows found from a sample, against that found from the known centre."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(6000, 3)) * [1.0, 5.0, 0.1]
    values[:1500] += 40.0
    found = half(values)
    rows = np.flatnonzero(np.arange(6000) >= 1500)
    for _ in range(60):
        shape = Shape.of(*moments(values[rows]))
        rows = np.argsort(shape.squared_distances(values))[: size_of_half(values)]
    assert log_determinant(values[found]) <= log_determinant(values[rows]) + 1e-6
    assert not found[:1500].any()


def test_the_ratio_of_an_exchange_is_that_of_the_determinants():
    rng = np.random.default_rng(3)
    values = rng.standard_t(2, size=(40, 3))
    inside = np.arange(40) < 22
    shape = Shape.of(*moments(values[inside]))
    leaving, entering, ratio = best_exchange(values, inside, shape)
    before = log_determinant(values[inside])
    found = {}
    for i in np.flatnonzero(inside):
        for j in np.flatnonzero(~inside):
            other = inside.copy()
            other[i], other[j] = False, True
            found[i, j] = np.exp(log_determinant(values[other]) - before)
    assert min(found, key=found.get) == (leaving, entering)
    assert ratio == pytest.approx(found[leaving, entering])


@pytest.mark.parametrize("n", [300, 3000])
def test_half_of_the_rows_on_a_plane_are_named(n):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, 4))
    on = np.arange(n) % 10 < 7
    values[on, 2] = 3.0 * values[on, 0] - values[on, 3] + 1.0
    with pytest.raises(Undefined) as told:
        half(values)
    assert str(told.value).startswith(f"{on.sum()} of {n} records lie on one plane")
    assert "where c0, c2, c3 depend on each other; leave one of them out" in str(told.value)


def test_a_plane_of_fewer_is_none():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 4))
    values[:100, 2] = 3.0 * values[:100, 0] - values[:100, 3] + 1.0
    assert half(values).sum() == 152


def test_a_value_that_half_of_the_rows_have_is_named():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100, 3))
    values[:60, 1] = 4.0
    with pytest.raises(Undefined, match="60 of 100 records have the same c1, so that half"):
        half(values)


def test_collinear_columns_are_named():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(100, 3))
    values[:, 2] = values[:, 0] - values[:, 1]
    with pytest.raises(Undefined, match="100 of 100 records lie on one plane, where c0, c1, c2"):
        half(values)


@pytest.mark.slow
def test_one_far_outlier_is_not_taken_for_a_plane():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 3))
    values[0] = 1e9
    assert not half((values - values.mean(0)) / values.std(0))[0]


def test_rows_that_occur_many_times():
    rng = np.random.default_rng(0)
    values = np.repeat(rng.normal(size=(30, 2)), 10, axis=0)
    assert half(values).sum() == size_of_half(values)
