"""Models of all kinds, held against statsmodels."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.comparison.score import Undefined
from swapmeet.errors import ParameterError, SchemaError, SwapmeetError, TableError
from swapmeet.measures.side_by_side.model import Model, ModelKind
from swapmeet.measures.side_by_side.models import compare_model
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata

RNG = np.random.default_rng(8)
N = 400
PEOPLE = pd.DataFrame(
    {
        "age": RNG.normal(45, 12, N),
        "sex": RNG.choice(["f", "m"], N),
        "town": RNG.choice(["a", "b", "c"], N, p=[0.5, 0.3, 0.2]),
        "w": RNG.uniform(0.5, 4.0, N),
    }
)
PEOPLE.loc[:2, "sex"], PEOPLE.loc[:2, "town"] = ["f", "m", "f"], ["a", "b", "c"]
CHANCE = 1 / (1 + np.exp(2.0 - 0.05 * PEOPLE["age"] + 0.8 * (PEOPLE["sex"] == "m")))
PEOPLE["ill"] = (RNG.random(N) < CHANCE).astype(float)
PEOPLE["visits"] = RNG.poisson(np.exp(0.2 + 0.02 * PEOPLE["age"])).astype(float)
PEOPLE["wage"] = 20 + 0.5 * PEOPLE["age"] + 4 * (PEOPLE["sex"] == "m") + 6 * RNG.standard_t(2, N)
KINDS = {"sex": "nominal", "town": "nominal", "ill_text": "nominal"}


def read(frame, *others):
    columns = [sm.Column(name, KINDS.get(name, "numeric")) for name in frame]
    return Microdata.of_all([Table.of(f) for f in (frame, *others)], columns)


def estimate(text, frame=PEOPLE):
    data = read(frame)[0]
    return Model.parse(text).estimate(data, data)


def assert_same(found, fit, order, rel=1e-6):
    assert found.beta == pytest.approx(np.asarray(fit.params)[order], rel=rel, abs=1e-8)
    assert found.errors == pytest.approx(np.asarray(fit.bse)[order], rel=rel)


def test_logistic_regression_is_that_of_statsmodels():
    import statsmodels.formula.api as smf

    fit = smf.logit("ill ~ C(sex) + age", PEOPLE).fit(disp=0, method="newton", tol=1e-12)
    assert_same(estimate("logistic: ill ~ C(sex) + age"), fit, [0, 1, 2])


def test_poisson_regression_is_that_of_statsmodels():
    import statsmodels.api as api
    import statsmodels.formula.api as smf

    fit = smf.glm("visits ~ C(sex) + age", PEOPLE, family=api.families.Poisson()).fit(tol=1e-12)
    assert_same(estimate("poisson: visits ~ C(sex) + age"), fit, [0, 1, 2])


def test_robust_regression_is_that_of_statsmodels():
    import statsmodels.formula.api as smf

    fit = smf.rlm("wage ~ C(sex) + age", PEOPLE).fit(tol=1e-12, maxiter=500)
    assert_same(estimate("huber: wage ~ C(sex) + age"), fit, [0, 1, 2], rel=1e-5)


def test_a_log_linear_model_is_a_poisson_model_of_the_cells():
    import statsmodels.api as api
    import statsmodels.formula.api as smf

    cells = PEOPLE.groupby(["sex", "town"]).size().rename("n").reset_index()
    fit = smf.glm("n ~ C(sex) + C(town)", cells, family=api.families.Poisson()).fit(tol=1e-12)
    found = estimate("loglinear: sex + town")
    assert found.names == (
        "intercept",
        "sex (category 2)",
        "town (category 2)",
        "town (category 3)",
    )
    assert_same(found, fit, [0, 1, 2, 3])
    assert found.rows == N
    with_pairs = estimate("log-linear: ~ sex*town")
    assert with_pairs.names[-1] == "sex (category 2):town (category 3)"
    table = np.log(cells["n"].to_numpy())
    assert with_pairs.beta[-1] == pytest.approx(table[5] - table[3] - table[2] + table[0])


def test_weighted_least_squares_has_the_sandwich_errors_of_statsmodels():
    import statsmodels.formula.api as smf

    fit = smf.wls("wage ~ C(sex) + age", PEOPLE, weights=PEOPLE["w"]).fit(cov_type="HC2")
    found = estimate("wage ~ C(sex) + age, weight=w")
    assert_same(found, fit, [0, 1, 2])
    assert found.r_squared == pytest.approx(fit.rsquared)


def test_weighted_logistic_regression_has_sandwich_errors():
    """Of the score's covariance, sum of w² (y - p)² x x', by the formula itself."""
    found = estimate("logistic: ill ~ age, weight=w")
    w = (PEOPLE["w"] / PEOPLE["w"].mean()).to_numpy()
    x = np.stack([np.ones(N), PEOPLE["age"]], axis=1)
    p = 1 / (1 + np.exp(-x @ found.beta))
    assert x.T @ (w * (PEOPLE["ill"] - p)) == pytest.approx(0.0, abs=1e-6)
    bread = np.linalg.inv((x * (w * p * (1 - p))[:, None]).T @ x)
    meat = (x * ((w * (PEOPLE["ill"] - p)) ** 2).to_numpy()[:, None]).T @ x
    assert found.errors == pytest.approx(np.sqrt(np.diag(bread @ meat @ bread)), rel=1e-6)


@pytest.mark.parametrize("model", ["wage ~ age", "logistic: ill ~ age", "loglinear: sex + town"])
def test_a_weight_of_two_is_a_row_that_stands_there_twice(model):
    double = PEOPLE.assign(w=np.where(np.arange(N) < 100, 2.0, 1.0))
    twice = pd.concat([PEOPLE, PEOPLE.iloc[:100]], ignore_index=True)
    weighted, plain = estimate(f"{model}, weight=w", double), estimate(model, twice)
    skip = 1 if model.startswith("loglinear") else 0
    assert weighted.beta[skip:] == pytest.approx(plain.beta[skip:], rel=1e-6)


def test_rows_without_a_weight_are_left_out():
    holed = PEOPLE.assign(w=PEOPLE["w"].where(np.arange(N) >= 30).mask(np.arange(N) == 40, 0.0))
    assert estimate("wage ~ age, weight=w", holed).rows == N - 31


def test_a_response_in_words_counts_its_second_category():
    frame = PEOPLE.assign(ill_text=np.where(PEOPLE["ill"] == PEOPLE["ill"].iloc[0], "x", "y"))
    sign = 1.0 if PEOPLE["ill"].iloc[0] == 0.0 else -1.0
    told = estimate("logistic: ill_text ~ age", frame)
    assert told.beta == pytest.approx(sign * estimate("logistic: ill ~ age").beta)


# no estimate


@pytest.mark.parametrize(
    ("text", "change", "reason"),
    [
        ("logistic: ill ~ age", {"ill": (PEOPLE["age"] > 45) * 1.0}, "age grows without bound"),
        ("logistic: ill ~ C(sex)", {"ill": PEOPLE["ill"].mask(PEOPLE["sex"] == "m", 1.0)},
         r"sex \(category 2\) grows without bound"),
        ("logistic: ill ~ age", {"ill": PEOPLE["visits"]}, "ill has .* values; .* needs two"),
        ("loglinear: sex*town", {"town": PEOPLE["town"].mask(PEOPLE["sex"] == "m", "a")},
         "grows without bound: some combination that the model asks for has no rows"),
        ("poisson: visits ~ age", {"visits": -PEOPLE["age"]}, "below 0"),
        ("huber: wage ~ age", {"wage": np.where(np.arange(N) < 300, 3.0, PEOPLE["wage"])},
         "fit exactly"),
        ("logistic: ill ~ age + w", {"w": 2 * PEOPLE["age"]}, "w repeats the others"),
    ],
)  # fmt: skip
def test_where_there_is_no_estimate_the_reason_is_told(text, change, reason):
    with pytest.raises(Undefined, match=reason):
        estimate(text, PEOPLE.assign(**change))


def test_a_release_without_an_estimate_has_a_reason_instead_of_coefficients(compared):
    schema = sm.Schema(tuple(sm.Column(n, KINDS.get(n, "numeric")) for n in PEOPLE))
    blurred = PEOPLE.assign(ill=PEOPLE["ill"] * 0.9)
    found = compare_model(compared(PEOPLE, blurred, schema), Model.parse("logistic: ill ~ age"))
    assert found.coefficients == ()
    assert found.undefined == "in the release, ill has other values than the two of the original"
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "text", ["logistic: ill ~ age", "huber: wage ~ age", "loglinear: sex + town",
             "poisson: visits ~ age, weight=w", "wage ~ age, weight=w"],
)  # fmt: skip
def test_an_unchanged_release_shifts_nothing_and_a_shuffled_one_does(compared, text):
    schema = sm.Schema(tuple(sm.Column(n, KINDS.get(n, "numeric")) for n in PEOPLE))
    model = Model.parse(text)
    same = compare_model(compared(PEOPLE, PEOPLE, schema), model)
    assert [c.shift for c in same.coefficients] == [0.0] * len(same.coefficients)
    assert same.influence is None
    other = PEOPLE.assign(age=PEOPLE["age"].to_numpy()[::-1], sex="f")
    other.loc[:20, "sex"] = "m"
    changed = compare_model(compared(PEOPLE, other, schema), model)
    assert max(abs(c.shift) for c in changed.coefficients) > 2
    json.dumps(changed.to_dict(), allow_nan=False)


# what people write


@pytest.mark.parametrize(
    ("text", "kind", "weight"),
    [
        ("wage ~ age + age:w", ModelKind.LINEAR, None),
        ("linear: wage ~ age:w", ModelKind.LINEAR, None),
        ("Logistic:ill~age", ModelKind.LOGISTIC, None),
        ("wage ~ age, weight = `the weight`", ModelKind.LINEAR, "the weight"),
        ("`a, weight=b` ~ age", ModelKind.LINEAR, None),
    ],
)
def test_kinds_and_weights_are_read(text, kind, weight):
    model = Model.parse(text)
    assert (model.kind, model.weight) == (kind, weight)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("logistc: ill ~ age", "no kind of model 'logistc'; did you mean 'logistic'"),
        ("huber: wage ~ age, weight=w", "takes no weight"),
        ("loglinear: ", "is not understood"),
        ("logistic: ill", "is not understood"),
    ],
)
def test_what_is_not_understood_is_refused(text, message):
    with pytest.raises(ParameterError, match=message):
        Model.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("logistic: ill ~ agee", "no column 'agee'"),
        ("wage ~ age, weight=ww", "no column 'ww'"),
        ("wage ~ age, weight=sex", "weight: 'sex' is nominal"),
        ("huber: sex ~ age", "the response 'sex' is nominal"),
    ],
)
def test_columns_that_cannot_be_used_are_refused(text, message):
    with pytest.raises(SchemaError, match=message):
        Model.parse(text).check(read(PEOPLE)[0])


def test_negative_weights_are_refused():
    with pytest.raises(TableError, match="0 or more"):
        estimate("wage ~ age, weight=w", PEOPLE.assign(w=-1.0))


CELLS = st.one_of(st.none(), st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, 2.0]))


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["f", "m", None])), max_size=30),
    text=st.sampled_from(
        ["logistic: y ~ x", "huber: y ~ x + C(sex)", "poisson: y ~ x", "loglinear: sex + y",
         "y ~ C(sex), weight=x", "loglinear: sex, weight=x", "logistic: sex ~ x, weight=y"]
    ),
)  # fmt: skip
def test_any_table_has_an_estimate_or_a_reason(rows, text):
    frame = pd.DataFrame(rows, columns=["y", "x", "sex"]).astype({"y": float, "x": float})
    frame["sex"] = frame["sex"].astype(object)
    try:
        found = estimate(text, frame)
    except (Undefined, SwapmeetError):
        return
    assert np.isfinite(found.beta).all()
    assert (found.errors >= 0).all()
