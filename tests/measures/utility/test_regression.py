from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.utility.regression import Coefficients, Fit, RSquared, overlaps

TARGET = Coefficients(target="bodyfat_pct")


@pytest.mark.parametrize(("k", "row"), [(2, 0), (3, 1), (5, 3)])
def test_figure_14_of_the_rwn_paper_for_mdav(score, shared, bodyfat, with_bmi, aggregated, k, row):
    curve = pd.read_csv(shared / "reference" / "rwn" / "bodyfat_mdav_curves.csv")
    assert curve["k"][row] == k
    release = with_bmi(aggregated(bodyfat, "mdav", k))
    found = score(TARGET, with_bmi(bodyfat), release)
    assert found.value == pytest.approx(curve["IL3"][row], rel=1e-8)
    assert found.details["R² after"] == pytest.approx(curve["R2"][row], rel=1e-9)
    assert found.details["R² before"] == pytest.approx(0.7364, abs=5e-5)


def test_coefficients_and_errors_are_those_of_statsmodels():
    import statsmodels.api as sma

    from swapmeet.running.assessing import assess

    frame = sm.datasets.load("diabetes")
    schema = sm.datasets.schema("diabetes")
    card = assess(frame, frame, schema=schema, match="rows", measures=[Coefficients()])
    details = card["coefficients"].details
    scores = (frame - frame.mean()) / frame.std()
    fit = sma.OLS(scores["target"], sma.add_constant(scores.drop(columns="target"))).fit()
    terms = [name.split(" (")[0] for name in details["terms"]]
    expected = fit.params[terms].to_numpy()
    assert np.abs(details["coefficients before"]) == pytest.approx(np.abs(expected), rel=1e-9)
    assert details["standard errors before"] == pytest.approx(fit.bse[terms].to_numpy(), rel=1e-9)
    assert details["R² before"] == pytest.approx(fit.rsquared, rel=1e-12)


def test_one_coefficient_by_hand(score):
    """With one term the coefficient is the correlation: 1 before, -1/2 after."""
    original = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})
    released = original.assign(y=[3.0, 4.0, 1.0, 2.0])
    found = score(Coefficients(), original, released)
    assert found.details["coefficients before"] == pytest.approx([1.0])
    assert found.details["coefficients after"] == pytest.approx([-0.6])
    assert found.value == pytest.approx(1.6)
    assert found.details["target"] == "y"


def test_overlap_of_intervals_by_hand():
    """[-1, 1] and [0, 4] share [0, 1]: half of the first and a quarter of the second."""
    from scipy.stats import t

    reach = t.ppf(0.975, 98)
    one = Fit(np.array([0.0]), np.array([1.0 / reach]), 0.5, 100)
    other = Fit(np.array([2.0]), np.array([2.0 / reach]), 0.5, 100)
    assert overlaps(one, other) == pytest.approx([(0.5 + 0.25) / 2])
    assert overlaps(one, one) == pytest.approx([1.0])
    far = Fit(np.array([50.0]), np.array([1.0 / reach]), 0.5, 100)
    assert overlaps(one, far).tolist() == [0.0]


def test_collinear_terms_are_dropped_and_those_lost_in_the_release_count_as_0(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=list("ab"))
    frame["c"] = frame["a"] + frame["b"]
    frame["y"] = frame["a"] + rng.normal(size=60)
    release = frame.assign(b=1.0)
    found = score(Coefficients(), frame, release)
    assert found.details["terms"] == ["a", "b"]
    assert found.details["terms dropped"] == 1
    assert found.details["terms lost in the release"] == 1
    assert found.details["coefficients after"][1] == 0.0
    assert found.details["standard errors after"][1] == 0.0


def test_nominal_columns_have_a_term_for_each_level_but_the_most_frequent(score):
    rng = np.random.default_rng(0)
    people = pd.DataFrame({"t": rng.choice(list("aaabbc"), 200), "y": rng.normal(size=200)})
    people["y"] += (people["t"] == "b") * 3.0
    found = score(Coefficients(), people, people, schema=sm.Schema.infer(people))
    is_b, is_c = ((people["t"] == level).to_numpy() * 1.0 for level in "bc")
    terms = np.stack([(v - v.mean()) / v.std(ddof=1) for v in (is_b, is_c)], axis=1)
    y = ((people["y"] - people["y"].mean()) / people["y"].std()).to_numpy()
    expected = np.linalg.lstsq(terms, y, rcond=None)[0]
    assert found.details["terms"] == ["t (level 2)", "t (level 3)"]
    assert found.details["coefficients before"] == pytest.approx(expected, rel=1e-9)


def test_rows_with_missing_values_are_left_out(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100, 3)), columns=list("aby"))
    holed = frame.copy()
    holed.loc[:9, "a"], holed.loc[5:19, "y"] = np.nan, np.nan
    found = score(Coefficients(), frame, holed)
    assert (found.details["rows before"], found.details["rows after"]) == (100, 80)
    complete = score(Coefficients(), frame.iloc[20:], holed.iloc[20:])
    assert found.details["coefficients after"] == pytest.approx(
        complete.details["coefficients after"], rel=1e-9
    )


def test_a_column_that_is_mostly_missing_is_no_term(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100, 3)), columns=list("aby"))
    frame.loc[:59, "b"] = np.nan
    found = score(Coefficients(), frame, frame)
    assert found.details["terms"] == ["a"]
    assert found.details["rows before"] == 100


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("z", "no common column 'z'"),
        ("t", "'t' is nominal"),
        ("c", "'c' does not vary"),
    ],
)
def test_a_target_that_cannot_be_explained_is_refused(score, target, reason):
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0, 8.0], "t": list("abab"), "c": 1.0})
    schema = sm.Schema.infer(frame).assign(numeric=["x", "c"])
    assert reason in score(Coefficients(target=target), frame, frame, schema=schema).undefined


def test_too_few_rows_for_the_terms(score):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(4, 4)), columns=list("abcy"))
    assert "too few" in score(Coefficients(), frame, frame).undefined


@pytest.mark.slow
@pytest.mark.parametrize(
    ("eps", "il1", "il3", "r_squared"),
    [
        (0.25, 0.058, 0.256, 0.624),
        (0.55, 0.145, 0.313, 0.381),
        (0.80, 0.351, 0.430, 0.167),
        (0.95, 0.440, 0.428, 0.102),
    ],
)
def test_figures_11_and_14_of_the_rwn_paper_for_rwn(
    masked, bodyfat, with_bmi, eps, il1, il3, r_squared
):
    """Means over 30 releases, against figures of 100 or more: four standard errors and rounding."""
    from swapmeet.measures.utility.correlations import Correlations
    from swapmeet.running.assessing import assess

    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in bodyfat))
    bigger = sm.Schema(tuple(sm.Column(name, "numeric") for name in with_bmi(bodyfat)))
    found = []
    for seed in range(30):
        release = masked(bodyfat, sm.RWN(k=5, eps=eps), schema=schema, seed=seed).data
        one = assess(bodyfat, release, schema=schema, match="rows", measures=[Correlations()])
        two = assess(
            with_bmi(bodyfat), with_bmi(release), schema=bigger, match="rows", measures=[TARGET]
        )
        details = two["coefficients"].details
        found.append((one["correlations"].value, two["coefficients"].value, details["R² after"]))
    means, errors = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(30)
    for mean, error, printed in zip(means, errors, (il1, il3, r_squared), strict=True):
        assert abs(mean - printed) < 4.0 * error * np.sqrt(1.3) + 0.001


def test_one_term_by_hand(score):
    """The square of the correlation: 1 before, 0.36 after."""
    original = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]})
    found = score(RSquared(), original, original.assign(y=[3.0, 4.0, 1.0, 2.0]))
    assert found.value == pytest.approx(0.64)
    assert found.details["R² after"] == pytest.approx(0.36)
    assert found.details["adjusted R² after"] == pytest.approx(1 - 0.64 * 3 / 2)


def test_aggregation_raises_it_and_a_blind_release_loses_it(score, bodyfat, aggregated, blind):
    measure = RSquared(target="bodyfat_pct")
    coarse = score(measure, bodyfat, aggregated(bodyfat, "mdav", 10))
    shuffled = score(measure, bodyfat, blind(bodyfat))
    assert coarse.details["R² before"] == pytest.approx(0.7302, abs=5e-5)
    assert coarse.details["R² after"] > 0.9
    assert shuffled.details["adjusted R² after"] == pytest.approx(0.0, abs=0.1)


def test_a_target_without_variation_in_the_release_is_explained_by_nothing(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=list("xy"))
    found = score(RSquared(), frame, frame.assign(y=0.0))
    assert found.details["R² after"] == 0.0


def test_the_fits_are_shared_with_coefficients(bodyfat, monkeypatch):
    import swapmeet as sm
    from swapmeet.measures.utility import regression
    from swapmeet.measures.utility.regression import Coefficients
    from swapmeet.running.assessing import assess

    fits = []
    plain = regression._fit
    monkeypatch.setattr(regression, "_fit", lambda *given: fits.append(1) or plain(*given))
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in bodyfat))
    measures = [Coefficients(target="age"), RSquared(target="age")]
    assess(bodyfat, bodyfat, schema=schema, match="rows", measures=measures)
    assert len(fits) == 2
