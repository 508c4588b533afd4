from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import ParameterError, SchemaError, TableError
from swapmeet.measures.side_by_side.model import Model
from swapmeet.measures.side_by_side.models import compare_model, compare_table
from swapmeet.tables.formulas import Formula

RNG = np.random.default_rng(5)
PEOPLE = pd.DataFrame({"age": RNG.normal(40, 9, 300), "sex": RNG.choice(["f", "m"], 300)})
PEOPLE["wage"] = 3.0 * PEOPLE["age"] - 7.0 * (PEOPLE["sex"] == "m") + RNG.normal(0, 5, 300)


def test_coefficients_errors_and_fit_are_those_of_statsmodels(compared):
    import statsmodels.formula.api as smf

    released = PEOPLE.assign(age=np.roll(PEOPLE["age"], 3))
    found = compare_model(compared(PEOPLE, released), Formula.parse("wage ~ age + C(sex)"))
    first = PEOPLE["sex"].iloc[0]
    for table, side in ((PEOPLE, "original"), (released, "released")):
        fit = smf.ols(f"wage ~ C(sex, Treatment('{first}')) + age", table).fit()
        ours = {c.name: c for c in found.coefficients}
        for name, theirs in (("age", "age"), ("intercept", "Intercept")):
            assert getattr(ours[name], side) == pytest.approx(fit.params[theirs], rel=1e-9)
            error = getattr(ours[name], f"{side}_error")
            assert error == pytest.approx(fit.bse[theirs], rel=1e-9)
        sex = next(name for name in fit.params.index if name.startswith("C(sex"))
        assert getattr(ours["sex (category 2)"], side) == pytest.approx(fit.params[sex], rel=1e-9)
        assert getattr(found, f"{side}_r_squared") == pytest.approx(fit.rsquared, rel=1e-9)
    age = found.coefficients[1]
    assert age.shift == pytest.approx((age.released - age.original) / age.original_error)


def test_an_unchanged_release_shifts_nothing(compared):
    found = compare_model(compared(PEOPLE, PEOPLE), Formula.parse("wage ~ age"))
    assert [c.shift for c in found.coefficients] == [0.0, 0.0]


def test_rows_with_missing_values_are_left_out_and_counted(compared):
    holed = PEOPLE.assign(age=PEOPLE["age"].where(np.arange(300) > 9))
    found = compare_model(compared(PEOPLE, holed), Formula.parse("wage ~ age"))
    assert (found.original_rows, found.released_rows) == (300, 290)


def test_terms_that_repeat_others_are_named(compared):
    twice = PEOPLE.assign(years=2 * PEOPLE["age"])
    with pytest.raises(TableError, match="years repeat the others"):
        compare_model(compared(twice, twice), Formula.parse("wage ~ age + years"))


def test_cooks_distances_are_those_of_statsmodels_and_follow_the_owner(compared):
    import statsmodels.formula.api as smf

    outlying = PEOPLE.copy()
    outlying.loc[7, ["age", "wage"]] = [95.0, 2.0]
    released = outlying.assign(wage=np.roll(outlying["wage"], 1))
    found = compare_model(compared(outlying, released), Formula.parse("wage ~ age")).influence
    cook, after = (
        smf.ols("wage ~ age", t).fit().get_influence().cooks_distance[0]
        for t in (outlying, released)
    )
    assert cook.argmax() == 7
    assert found.original == pytest.approx(cook[7], rel=1e-8)
    assert found.released == pytest.approx(after.max(), rel=1e-8)
    assert found.kept == pytest.approx(after[7], rel=1e-8)


def test_golden_cooks_distances_and_coefficients_of_bodyfat(compared, shared):
    import json

    folder = shared / "reference" / "sdcmicro" / "bodyfat"
    frame = pd.read_csv(folder / "input.csv").astype(float)
    golden = pd.read_csv(folder / "ols_siri_influence_measures.csv")
    facts = json.loads((folder / "ols_siri_on_all_measures.json").read_text())
    frame["bmi"] = 703 * frame["weight"] / frame["height"] ** 2
    terms = " + ".join(name for name in frame if name != "siri")
    found = compare_model(compared(frame, frame), Formula.parse(f"siri ~ {terms}"))
    cook = next(name for name in golden if "cook" in name.lower())
    assert found.influence.original == pytest.approx(golden[cook].max(), rel=1e-8)
    assert found.original_r_squared == pytest.approx(facts["r_squared"], rel=1e-8)


def test_most_influential_record_of_the_rwn_paper(compared, shared):
    """Its Cook's distance is 0.3534: of standardised columns, without an intercept."""
    frame = pd.read_csv(shared / "reference" / "rwn" / "bodyfat_clean_241.csv").astype(float)
    frame["bmi"] = 703 * frame["weight"] / frame["height"] ** 2
    frame = (frame - frame.mean()) / frame.std()
    terms = " + ".join(name for name in frame if name != "bodyfat_pct")
    found = compare_model(compared(frame, frame), Formula.parse(f"bodyfat_pct ~ 0 + {terms}"))
    assert found.influence.original == pytest.approx(0.3534, abs=5e-5)
    assert found.original_r_squared == pytest.approx(0.7364, abs=5e-5)


def test_logarithms_squares_and_no_intercept_are_fitted_as_by_statsmodels(compared):
    import statsmodels.formula.api as smf

    people = PEOPLE.assign(wage=np.exp(PEOPLE["wage"] / 100), w=RNG.uniform(1, 3, 300))
    released = people.assign(age=np.roll(people["age"], 3))
    text = "np.log(wage) ~ np.sqrt(age) + I(age**2) - 1"
    found = compare_model(compared(people, released), Formula.parse(text))
    assert [c.name for c in found.coefficients] == ["sqrt(age)", "I(age^2)"]
    for table, side in ((people, "original"), (released, "released")):
        fit = smf.ols(text, table).fit()
        ours = [getattr(c, side) for c in found.coefficients]
        errors = [getattr(c, f"{side}_error") for c in found.coefficients]
        assert ours == pytest.approx(fit.params.to_list(), rel=1e-8)
        assert errors == pytest.approx(fit.bse.to_list(), rel=1e-8)
        assert getattr(found, f"{side}_r_squared") == pytest.approx(fit.rsquared)
    weighted = compare_model(compared(people, released), Model.parse(f"{text}, weight=w"))
    theirs = smf.wls(text, people, weights=people["w"]).fit().params.to_list()
    assert [c.original for c in weighted.coefficients] == pytest.approx(theirs, rel=1e-8)


@pytest.mark.parametrize("terms", ["age - 1", "C(sex) - 1", "age:C(sex) - 1", "age*C(sex)"])
@pytest.mark.parametrize("weight", [None, "w"])
def test_r_squared_is_that_of_statsmodels_with_and_without_a_mean(compared, terms, weight):
    import statsmodels.formula.api as smf

    people = PEOPLE.assign(w=np.random.default_rng(1).uniform(1, 3, 300))
    model = f"wage ~ {terms}" + (", weight=w" if weight else "")
    found = compare_model(compared(people, people), Model.parse(model))
    weights = people["w"] if weight else np.ones(300)
    theirs = smf.wls(f"wage ~ {terms}", people, weights=weights).fit().rsquared
    assert 0.0 <= theirs <= 1.0
    assert found.original_r_squared == pytest.approx(theirs)


def test_the_log_of_a_response_below_zero_is_refused_in_the_original_only(compared):
    people = PEOPLE.assign(wage=np.exp(PEOPLE["wage"] / 100))
    broken = people.assign(wage=people["wage"].where(np.arange(300) > 4, -5.25))
    formula = Formula.parse("log(wage) ~ age")
    found = compare_model(compared(people, broken), formula)
    assert found.undefined.startswith("in the release, log(wage) has no value in 5 of 300 rows")
    assert "5.25" not in found.undefined
    with pytest.raises(TableError, match=r"log\(wage\) has no value in 5 of 300 rows"):
        compare_model(compared(broken, people), formula)


def test_terms_of_logistic_and_poisson_models_may_be_functions(compared):
    people = PEOPLE.assign(kids=RNG.poisson(20, 300))
    formulas = (
        "logistic: sex ~ log(age)",
        "poisson: kids ~ I(age/10) - 1",
        "huber: wage ~ exp(-age)",
    )
    for text in formulas:
        found = compare_model(compared(people, people), Model.parse(text))
        assert not found.undefined
        assert [c.shift for c in found.coefficients] == [0.0] * len(found.coefficients)


@pytest.mark.parametrize("text", ["logistic: log(age) ~ wage", "loglinear: sex*log(age)"])
def test_functions_where_categories_are_needed_are_refused(text):
    with pytest.raises(ParameterError, match="model: "):
        Model.parse(text)


def test_tables_count_what_moved(compared):
    """Cells fa, fb, ma: 2, 1, 1 before and 1, 1, 1 and a new mb after: a quarter misplaced."""
    before = pd.DataFrame({"sex": list("fffm"), "town": list("aaba")})
    after = pd.DataFrame({"sex": list("ffmm"), "town": list("abba")})
    found = compare_table(compared(before, after), ["sex", "town"])
    assert (found.cells, found.misplaced, found.largest) == (4, 0.25, 1)
    assert (found.appeared, found.vanished) == (1, 0)
    assert compare_table(compared(before, before), ["sex"]).misplaced == 0.0


def test_a_table_of_an_unknown_column_is_refused(compared):
    people = pd.DataFrame({"sex": list("fm")})
    with pytest.raises(SchemaError, match="no column 'sexx' in both tables; did you mean 'sex'"):
        compare_table(compared(people, people), ["sexx"])


def test_records_count_by_their_weights(compared):
    """Of a weight of 4, 3 are in f before and 1 after: half of it is misplaced."""
    before = pd.DataFrame({"sex": list("ffm"), "w": [1.0, 2.0, 1.0]})
    after = pd.DataFrame({"sex": list("fmm"), "w": [1.0, 2.0, 1.0]})
    schema = sm.Schema((sm.Column("sex", "nominal"), sm.Column("w", "numeric")))
    found = compare_table(compared(before, after, schema), ["sex", "weight=w"])
    assert (found.columns, found.weight, found.cells) == (("sex",), "w", 2)
    assert found.misplaced == pytest.approx(0.5)
    assert found.largest == pytest.approx(3 * 0.5)
    assert compare_table(compared(before, after, schema), ["sex"]).misplaced == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("names", "message"),
    [(["sex", "weight=ww"], "no column 'ww'"), (["sex", "weight=sex"], "'sex' is nominal"),
     (["weight=w"], "name at least one column")],
)  # fmt: skip
def test_weights_that_cannot_be_used_are_refused(compared, names, message):
    people = pd.DataFrame({"sex": list("fm"), "w": [1.0, 2.0]})
    schema = sm.Schema((sm.Column("sex", "nominal"), sm.Column("w", "numeric")))
    with pytest.raises(SchemaError, match=message):
        compare_table(compared(people, people, schema), names)
