from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError
from swapmeet.intruders.evidence import Evidence
from swapmeet.methods.ipso import SPARE, Exact, need_rows, redraw
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

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


EXAMPLES = [
    sm.IPSO(),
    sm.IPSO(predictors=["age"], exact="coefficients"),
    sm.IPSO(exact="none", whole="ignore"),
]
"""For the contract of all methods."""

PEOPLE = sm.datasets.load("diabetes").astype(float)
SCHEMA = sm.Schema(tuple(sm.Column(name, "numeric") for name in PEOPLE))


def regress(frame, on):
    """Coefficients and residual covariance of all other columns."""
    lines = np.column_stack([np.ones(len(frame)), frame[on]])
    others = frame.drop(columns=on)
    weights = np.linalg.lstsq(lines, others, rcond=None)[0]
    return weights, np.cov((others - lines @ weights).T)


# anchors


@pytest.mark.parametrize("on", [[], ["age", "bmi"]])
def test_regressions_means_and_covariances_are_exact(masked, on):
    release = masked(PEOPLE, sm.IPSO(predictors=on or None, whole="ignore"), schema=SCHEMA, seed=1)
    scale = PEOPLE.std()
    assert (abs(release.data.mean() - PEOPLE.mean()) / scale).max() < 1e-9
    moved = (release.data.cov() - PEOPLE.cov()) / np.outer(scale, scale)
    assert abs(moved).max(axis=None) < 1e-9
    for old, new in zip(regress(PEOPLE, on), regress(release.data, on), strict=True):
        assert np.allclose(new, old, rtol=1e-9, atol=1e-9)
    made = [name for name in PEOPLE if name not in on]
    assert (release.data[made] != PEOPLE[made]).to_numpy().all()
    assert release.data[on].equals(PEOPLE[on])


def test_by_coefficients_only_coefficients_are_exact(masked):
    method = sm.IPSO(predictors=["age"], exact="coefficients", whole="ignore")
    release = masked(PEOPLE, method, schema=SCHEMA, seed=1)
    (weights, left), (new_weights, new_left) = (
        regress(frame, ["age"]) for frame in (PEOPLE, release.data)
    )
    assert np.allclose(new_weights, weights, rtol=1e-9)
    assert not np.allclose(new_left, left, rtol=1e-3)
    assert np.allclose(np.diag(new_left), np.diag(left), rtol=0.4)


def test_blocks_and_strata_leave_the_whole_table_exact(masked):
    """Sums of products add up: what is exact in every part is exact in all."""
    schema = SCHEMA.assign(strata=["sex"])
    release = masked(
        PEOPLE, sm.IPSO(predictors=["age"], whole="ignore"), schema=schema, seed=1,
        engine=sm.Local(block_rows=150),
    )  # fmt: skip
    scale = PEOPLE.std()
    moved = (release.data.cov() - PEOPLE.cov()) / np.outer(scale, scale)
    assert abs(moved).max(axis=None) < 1e-9
    for sex in (1.0, 2.0):
        one, two = (
            frame[frame["sex"] == sex].drop(columns="sex") for frame in (PEOPLE, release.data)
        )
        assert np.allclose(one.cov(), two.cov(), rtol=1e-9)


def test_a_kept_column_predicts(masked):
    schema = SCHEMA.assign(keep=["bmi"])
    release = masked(PEOPLE, sm.IPSO(predictors=["bmi"], whole="ignore"), schema=schema, seed=1)
    assert np.allclose(PEOPLE.cov(), release.data.cov(), rtol=1e-9)
    other = masked(PEOPLE, sm.IPSO(whole="ignore"), schema=schema, seed=1)
    assert not np.allclose(PEOPLE.cov()["bmi"], other.data.cov()["bmi"], rtol=1e-2)


# details


def test_whole_numbers_stay_whole_and_are_nearly_exact(masked):
    release = masked(PEOPLE, sm.IPSO(), schema=SCHEMA, seed=1)
    assert (release.data["s1"] == release.data["s1"].round()).all()
    assert abs(release.data["s1"].mean() - PEOPLE["s1"].mean()) < 0.1
    assert any("rounded to whole numbers: age" in fact for fact in release.notes)


def test_values_out_of_range_are_counted(masked):
    frame = pd.DataFrame({"x": np.random.default_rng(1).exponential(size=500)})
    release = masked(frame, sm.IPSO(), schema=sm.Schema.infer(frame), seed=1)
    outside = ((release.data < frame.min()) | (release.data > frame.max()))["x"].sum()
    assert outside > 0
    assert f"new values outside the original's range: x {outside}." in release.notes


def test_what_predictors_determine_stays_and_is_told(masked):
    frame = PEOPLE[["age", "bmi"]].assign(double=2 * PEOPLE["age"], one=1.0)
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))
    release = masked(frame, sm.IPSO(predictors=["age"]), schema=schema, seed=1)
    assert release.data[["double", "one"]].equals(frame[["double", "one"]])
    assert (release.audit.map.made.sum(axis=0) == [0, 442, 0, 0]).all()
    assert any(
        "follow exactly from the predictors: double 442, one 442." in n for n in release.notes
    )


def test_missing_values_stay_and_rare_rows_are_counted(masked):
    frame = PEOPLE[["age", "bmi", "bp"]].copy()
    frame.loc[:99, "bmi"] = np.nan
    frame.loc[98:102, "bp"] = np.nan
    release = masked(frame, sm.IPSO(whole="ignore"), schema=sm.Schema.infer(frame), seed=1)
    assert release.data.isna().equals(frame.isna())
    complete = frame.dropna()
    assert np.allclose(release.data.dropna().cov(), complete.cov(), rtol=1e-9)
    assert any(
        "drawn from the normal distribution that fits all: 5 of 442." in n for n in release.notes
    )


# attack


def test_who_knows_the_method_expects_what_predictors_say(masked):
    """Rows around the fit of their people; without known predictors there is nothing to expect."""
    frame = PEOPLE[["s1", "s2", "bmi"]]
    method = sm.IPSO(predictors=["s1"], whole="ignore")
    schema = sm.Schema.infer(frame)
    released = masked(frame, method, schema=schema, seed=1).data
    seen = Evidence(*(Microdata.of(Table(one), schema) for one in (frame, released)))
    (piece,) = method.attack(seen)
    assert piece.columns == ("s2", "bmi")
    own = -2 * np.diag(piece.of_people(np.arange(len(frame))))
    assert own.mean() == pytest.approx(2.0, rel=0.02)
    assert method.attack(seen.select(["s2", "bmi"])) == ()
    assert sm.IPSO().attack(seen) == ()


# bad input


def test_nominal_columns_are_refused_and_as_predictors_become_strata():
    frame = PEOPLE[["age", "bmi"]].assign(town=np.where(PEOPLE["sex"] > 1, "x", "y"))
    with pytest.raises(SchemaError, match="ipso cannot mask 'town', a nominal column"):
        sm.mask(frame, sm.IPSO())
    with pytest.raises(SchemaError, match=r"'town' is a nominal column.* Make it a stratum"):
        sm.mask(frame, sm.IPSO(predictors=["town"]))


def test_unknown_predictors_and_predictors_only_are_refused():
    with pytest.raises(SchemaError, match="no column 'bmj'; did you mean 'bmi'"):
        sm.mask(PEOPLE, sm.IPSO(predictors=["bmj"]))
    with pytest.raises(SchemaError, match="none is left to draw anew"):
        sm.mask(PEOPLE[["age", "bmi"]], sm.IPSO(predictors=["age", "bmi"]))
    with pytest.raises(SchemaError, match="'bmi' is neither masked nor kept"):
        sm.mask(PEOPLE, sm.IPSO(predictors=["bmi"]), schema=SCHEMA.assign(drop=["bmi"]))


def test_too_few_rows_are_refused():
    few = PEOPLE[["age", "bmi"]].head(7)
    with pytest.raises(TableError, match=r"the table has 7 rows; .* need at least 8"):
        sm.mask(few, sm.IPSO())
    strata = PEOPLE[["age", "bmi"]].assign(place=np.arange(442) // 6)
    schema = sm.Schema.infer(strata).assign(strata=["place"])
    with pytest.raises(TableError, match="74 of 74 strata have 4 rows or little more"):
        sm.mask(strata, sm.IPSO(), schema=schema)
