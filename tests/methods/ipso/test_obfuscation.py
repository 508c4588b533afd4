from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.methods.ipso.obfuscation import SPARE, Exact, need_rows, redraw

NOTHING = np.empty((0, 7))


def fit(predictors, responses):
    """Coefficients and residual products of least squares, by numpy."""
    lines = np.vstack([np.ones(responses.shape[1]), predictors])
    weights = np.linalg.lstsq(lines.T, responses.T, rcond=1e-8)[0]
    left = responses - weights.T @ lines
    return weights.T @ lines, left @ left.T


# by hand


def test_without_predictors_noise_is_moved_to_the_mean_and_stretched():
    """Seven values with mean 4 and 28 as sum of squares; the noise has mean 0 and 2."""
    noise = np.array([[1.0, -1.0, 0, 0, 0, 0, 0]])
    found = redraw(NOTHING, np.arange(1.0, 8.0)[np.newaxis], noise, Exact.COVARIANCE)
    assert found.values[0] == pytest.approx(4.0 + 14**0.5 * noise[0])
    assert found.inexact == 0


def test_fitted_values_stay_and_residuals_are_drawn():
    """y = 10 x plus residuals of 1 in pairs; noise that follows x counts for nothing."""
    x = np.array([[-1.0, -1, -1, -1, 1, 1, 1, 1]])
    residuals = np.array([[1.0, -1, 1, -1, 1, -1, 1, -1]])
    noise = np.array([[3.0, -3, 0, 0, 0, 0, 3, -3]])
    found = redraw(x, 10 * x + residuals, noise + 5 * x, Exact.COVARIANCE)
    assert found.values == pytest.approx(10 * x + noise * (8 / 36) ** 0.5)


def test_by_coefficients_residuals_have_the_spread_of_the_fit():
    """Eight rows, two coefficients: 8 / 6 is the variance of the residuals."""
    x = np.array([[-1.0, -1, -1, -1, 1, 1, 1, 1]])
    residuals = np.array([[1.0, -1, 1, -1, 1, -1, 1, -1]])
    noise = np.array([[3.0, -3, 0, 0, 0, 0, 3, -3]])
    found = redraw(x, 10 * x + residuals, noise + 5 * x, Exact.COEFFICIENTS)
    assert found.values == pytest.approx(10 * x + noise * (8 / 6) ** 0.5)
    found = redraw(x, 10 * x + residuals, noise + 5 * x, Exact.NONE)
    assert found.values == pytest.approx(10 * x + (noise + 5 * x) * (8 / 6) ** 0.5)


def test_need_rows_by_hand():
    assert need_rows(0, 1) == 2 + SPARE


# properties


@given(
    rows=st.integers(14, 60), given_=st.integers(0, 3), hidden=st.integers(1, 3),
    odd=st.sampled_from(["plain", "collinear predictors", "collinear responses", "far off"]),
    seed=st.integers(0, 2**32),
)  # fmt: skip
def test_regression_and_residual_products_are_exact(rows, given_, hidden, odd, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(given_, rows))
    y = rng.normal(size=(hidden, given_)) @ x + rng.normal(size=(hidden, rows))
    if odd == "collinear predictors":
        x = np.vstack([x, x.sum(axis=0, keepdims=True), np.full((1, rows), 3.0)])
    if odd == "collinear responses":
        y = np.vstack([y, 2 * y[:1]])
    if odd == "far off":
        y = 1e6 + y
    found = redraw(x, y, rng.normal(size=y.shape), Exact.COVARIANCE)
    (fitted, left), (new_fitted, new_left) = fit(x, y), fit(x, found.values)
    assert np.allclose(new_fitted, fitted, rtol=1e-9, atol=1e-9)
    assert np.allclose(new_left, left, rtol=1e-9, atol=1e-9 * np.abs(y).max())
    assert not found.settled.any()
    assert (np.abs(found.values - y).max(axis=1) > 1e-3).all()


@pytest.mark.parametrize("exact", Exact)
def test_a_column_that_predictors_determine_stays_and_is_told(exact):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1, 40))
    y = np.vstack([3 * x + 1, rng.normal(size=(1, 40)), np.full((1, 40), 0.1)])
    found = redraw(x, y, rng.normal(size=y.shape), exact)
    assert np.array_equal(found.values[[0, 2]], y[[0, 2]])
    assert found.settled.all(axis=1).tolist() == [True, False, True]


def test_rows_with_the_same_holes_keep_their_own_regression():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(1, 90)), rng.normal(size=(2, 90))
    y[0, :30], x[0, 60:] = np.nan, np.nan
    found = redraw(x, y, rng.normal(size=y.shape), Exact.COVARIANCE)
    assert np.array_equal(np.isnan(found.values), np.isnan(y))
    assert found.inexact == 0
    for rows, columns in ((slice(30), [1]), (slice(30, 60), [0, 1])):
        old, new = fit(x[:, rows], y[columns, rows]), fit(x[:, rows], found.values[columns, rows])
        assert np.allclose(old[0], new[0], atol=1e-9)
        assert np.allclose(old[1], new[1], atol=1e-9)
    alone = [fit(np.empty((0, 30)), v[:, 60:])[1] for v in (y, found.values)]
    assert np.allclose(*alone, atol=1e-9)


def test_rows_with_rare_holes_are_drawn_from_the_law_of_all():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1, 4000))
    y = np.vstack([5 * x + 0.1 * rng.normal(size=(1, 4000)), rng.normal(100, 2, size=(1, 4000))])
    y[0, :3], y[1, 3:6], x[0, 6:9] = np.nan, np.nan, np.nan
    found = redraw(x, y, rng.normal(size=y.shape), Exact.COVARIANCE)
    assert found.inexact == 9
    assert np.abs(found.values[0, 3:6] - 5 * x[0, 3:6]).max() < 1.0
    assert np.abs(found.values[1, :3] - 100).max() < 12
    assert not np.isclose(found.values, y).any()


def test_new_residuals_have_nothing_to_do_with_the_old_ones():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(1, 40_000)), rng.exponential(size=(1, 40_000))
    found = redraw(x, y, rng.normal(size=y.shape), Exact.COVARIANCE)
    assert abs(np.corrcoef(y[0], found.values[0])[0, 1]) < 0.02
