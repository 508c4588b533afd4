from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.core.tables.frame import Table
from swapmeet.core.tables.microdata import Microdata
from swapmeet.errors import TableError
from swapmeet.measures.comparison import Comparison
from swapmeet.measures.side_by_side.analyses import compare_model, rare_records
from swapmeet.measures.side_by_side.conditions import Condition
from swapmeet.measures.side_by_side.formulas import Formula

RNG = np.random.default_rng(5)
PEOPLE = pd.DataFrame({"age": RNG.normal(40, 9, 300), "sex": RNG.choice(["f", "m"], 300)})
PEOPLE["wage"] = 3.0 * PEOPLE["age"] - 7.0 * (PEOPLE["sex"] == "m") + RNG.normal(0, 5, 300)


def compared(released, original=PEOPLE):
    schema = sm.Schema.infer(original)
    one, other = Microdata.of_both(Table(original), Table(released), schema.columns)
    return Comparison(one, other, schema.masked, schema.masked)


def test_coefficients_errors_and_fit_are_those_of_statsmodels():
    import statsmodels.formula.api as smf

    released = PEOPLE.assign(age=np.roll(PEOPLE["age"], 3))
    found = compare_model(compared(released), Formula.parse("wage ~ age + C(sex)"))
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


def test_an_unchanged_release_shifts_nothing():
    found = compare_model(compared(PEOPLE), Formula.parse("wage ~ age"))
    assert [c.shift for c in found.coefficients] == [0.0, 0.0]


def test_rows_with_missing_values_are_left_out_and_counted():
    holed = PEOPLE.assign(age=PEOPLE["age"].where(np.arange(300) > 9))
    found = compare_model(compared(holed), Formula.parse("wage ~ age"))
    assert (found.original_rows, found.released_rows) == (300, 290)


def test_terms_that_repeat_others_are_named():
    twice = PEOPLE.assign(years=2 * PEOPLE["age"])
    with pytest.raises(TableError, match="years repeat the others"):
        compare_model(compared(twice, twice), Formula.parse("wage ~ age + years"))


@pytest.mark.parametrize("known", [True, False])
def test_rare_records_and_what_became_of_their_owners(known):
    before = pd.DataFrame({"sex": ["f", "f", "m", "m"], "age": [25, 30, 25, 60]})
    after = pd.DataFrame({"sex": ["f", "m", "f", "m"], "age": [25, 30, 25, 60]})
    order = np.array([3, 0, 2, 1])
    shuffled = after.iloc[order].reset_index(drop=True)
    found = rare_records(
        Table(before), Table(shuffled), Condition('sex = "f" and age < 31'),
        np.argsort(order), owners_known=known,
    )  # fmt: skip
    assert (found.original, found.released) == (2, 2)
    assert (found.stayed, found.strangers) == ((1, 1) if known else (None, None))
    assert "2 people meet the condition" in found.sentence


def test_cooks_distances_are_those_of_statsmodels_and_follow_the_owner():
    import statsmodels.formula.api as smf

    outlying = PEOPLE.copy()
    outlying.loc[7, ["age", "wage"]] = [95.0, 2.0]
    released = outlying.assign(wage=np.roll(outlying["wage"], 1))
    found = compare_model(compared(released, outlying), Formula.parse("wage ~ age")).influence
    cook, after = (
        smf.ols("wage ~ age", t).fit().get_influence().cooks_distance[0]
        for t in (outlying, released)
    )
    assert cook.argmax() == 7
    assert found.original == pytest.approx(cook[7], rel=1e-8)
    assert found.released == pytest.approx(after.max(), rel=1e-8)
    assert found.kept == pytest.approx(after[7], rel=1e-8)


def test_golden_cooks_distances_and_coefficients_of_bodyfat(shared):
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


def test_components_shares_and_agreement():
    from swapmeet.measures.side_by_side.analyses import compare_pca

    same = compare_pca(compared(PEOPLE), ["age", "wage"]).components
    assert [c.agreement for c in same] == pytest.approx([1.0, 1.0])
    r = np.corrcoef(PEOPLE["age"], PEOPLE["wage"])[0, 1]
    assert [c.original_share for c in same] == pytest.approx([(1 + r) / 2, (1 - r) / 2])
    turned = PEOPLE.assign(wage=-PEOPLE["wage"])
    found = compare_pca(compared(turned), ["age", "wage"]).components
    assert found[0].released_share == pytest.approx(same[0].original_share)
    assert found[0].agreement == pytest.approx(0.0, abs=1e-9)


def test_tables_count_what_moved():
    """Cells fa, fb, ma: 2, 1, 1 before and 1, 1, 1 and a new mb after: a quarter misplaced."""
    from swapmeet.measures.side_by_side.analyses import compare_table

    before = pd.DataFrame({"sex": list("fffm"), "town": list("aaba")})
    after = pd.DataFrame({"sex": list("ffmm"), "town": list("abba")})
    found = compare_table(compared(after, before), ["sex", "town"])
    assert (found.cells, found.misplaced, found.largest) == (4, 0.25, 1)
    assert (found.appeared, found.vanished) == (1, 0)
    assert compare_table(compared(before, before), ["sex"]).misplaced == 0.0


def test_analyses_of_unknown_or_unfit_columns_are_refused():
    from swapmeet.errors import SchemaError
    from swapmeet.measures.side_by_side.analyses import compare_pca, compare_table

    with pytest.raises(SchemaError, match="no column 'agee'"):
        compare_table(compared(PEOPLE), ["agee"])
    with pytest.raises(SchemaError, match="not sex"):
        compare_pca(compared(PEOPLE), ["age", "sex"])
    with pytest.raises(SchemaError, match="got 1"):
        compare_pca(compared(PEOPLE), ["age"])
    flat = PEOPLE.assign(wage=1.0)
    with pytest.raises(TableError, match="wage do not vary"):
        compare_pca(compared(flat, flat), ["age", "wage"])


def test_most_influential_record_of_the_rwn_paper(shared):
    """Its Cook's distance is 0.3534: of standardised columns, without an intercept."""
    frame = pd.read_csv(shared / "reference" / "rwn" / "bodyfat_clean_241.csv").astype(float)
    frame["bmi"] = 703 * frame["weight"] / frame["height"] ** 2
    frame = (frame - frame.mean()) / frame.std()
    terms = " + ".join(name for name in frame if name != "bodyfat_pct")
    found = compare_model(compared(frame, frame), Formula.parse(f"bodyfat_pct ~ 0 + {terms}"))
    assert found.influence.original == pytest.approx(0.3534, abs=5e-5)
    assert found.original_r_squared == pytest.approx(0.7364, abs=5e-5)
