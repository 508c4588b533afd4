from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import ParameterError, SchemaError
from swapmeet.measures.analyses import find_analysis, fit_analyses, is_analysis
from swapmeet.measures.limits import check_limits, parse_limits
from swapmeet.measures.registry import find, make
from swapmeet.tables.frame import Table
from swapmeet.tuning.study_setup import read_published


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(4)
    n = 300
    age = rng.integers(20, 90, n)
    return pd.DataFrame(
        {
            "age": age,
            "income": 1_000.0 + 50.0 * age + rng.normal(0, 300, n),
            "sex": rng.choice(["f", "m"], n),
            "the degree": rng.choice(["MD", "PhD, LLM", None], n, p=[0.3, 0.1, 0.6]),
            "born": pd.Timestamp("2020-01-01") - pd.to_timedelta(365 * age, unit="D"),
        }
    )


def fitted(text, people):
    table = Table(people)
    schema = sm.Schema.infer(people).in_order(table.names)
    (measure,) = fit_analyses([make(text)], table, read_published(table, schema))
    return measure


def assess(people, released, text):
    measure = fitted(text, people)
    return sm.assess(people, released, measures=[measure], match="rows", limits={})[text]


@pytest.mark.parametrize(
    "text",
    ["model:income ~ age:age", "rare:age > 80", 'rare:`the degree` in ("MD", "PhD, LLM")',
     'rare:sex = "f" and not `the degree` is missing', "rare:born < '1935-01-01'"],
)  # fmt: skip
def test_an_unchanged_release_keeps_coefficients_and_groups(people, text):
    score = assess(people, people.copy(), text)
    assert score.value == (0.0 if text.startswith("model") else 1.0)


def test_a_coefficient_by_hand(people):
    """Incomes are halved: so is the effect of age."""
    score = assess(people, people.assign(income=people["income"] / 2), "model:income ~ age:age")
    assert score.value == pytest.approx(0.5)
    assert "changes by 50.0 % of its size" in score.sentence


def test_an_effect_that_turns_round_counts_as_gone(people):
    turned = people.assign(income=-people["income"])
    assert assess(people, turned, "model:income ~ age:age").value == 1.0


def test_a_group_by_hand(people):
    """All people above 80 but two become 30; one of the others becomes 85."""
    old, ages = np.flatnonzero(people["age"] > 80), people["age"].to_numpy().copy()
    ages[old[2:]] = 30
    ages[np.flatnonzero(people["age"] < 50)[0]] = 85
    score = assess(people, people.assign(age=ages), "rare:age > 80")
    assert score.value == pytest.approx(2 / len(old))
    assert f"of {len(old)} people 2 still meet it" in score.sentence
    assert "1 other released row also does" in score.sentence


def test_categories_are_read_by_their_values_not_by_their_codes(people):
    swapped = people.assign(sex=people["sex"].map({"f": "m", "m": "f"}))
    assert assess(people, swapped, 'rare:sex = "f"').value == 0.0


def test_products_and_categories_may_be_terms(people):
    for text in ("model:income ~ age*sex:age:sex (category 2)",
                 "model:income ~ age + C(sex):C(sex)", "model:income ~ age + sex:sex",
                 "model:income ~ `age`:`age`"):  # fmt: skip
        assert assess(people, people.copy(), text).value == 0.0, text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model:income ~ agee:agee", "no column 'agee'.*did you mean 'age'"),
        ("model:income ~ age:sex", "has no term 'sex'.*It has intercept, age"),
        ("model:sex ~ age:age", "'sex' is nominal"),
        ("rare:agee > 80", "no published column 'agee'.*did you mean 'age'"),
        ("rare:age > 800", "nobody in the table meets"),
        ("rare:age > 'old'", "cannot be compared with text"),
    ],
)
def test_what_does_not_suit_the_table_is_refused_before_any_trial(people, text, message):
    with pytest.raises(SchemaError, match=message):
        fitted(text, people)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model:income ~ age=0.1", "write model:FORMULA:TERM"),
        ("model:=0.1", "write model:FORMULA:TERM"),
        ("rare:age >=0.1", "ends too early, after age >"),
        ("rare:__import__('os')=0.1", "cannot be read"),
        ("model:income ~ age:age=much", "write NAME=NUMBER, such as"),
        ("model:income ~ age:age=2", "lies between 0 and 1; got 2"),
    ],
)
def test_texts_that_are_no_limit_are_refused_with_the_remedy(text, message):
    with pytest.raises(ParameterError, match=message):
        parse_limits([text])


def test_limits_may_have_equals_signs_of_their_own():
    assert parse_limits(["rare:age = 80=0.1", "model:a ~ b:b=0.2"]) == {
        "rare:age = 80": 0.1, "model:a ~ b:b": 0.2,
    }  # fmt: skip
    assert check_limits({"rare:age >= 80": 0.5}) == {"rare:age >= 80": 0.5}


def test_it_travels_to_other_processes_with_what_it_needs(people):
    measure = fitted('rare:sex = "f"', people)
    again = pickle.loads(pickle.dumps(measure))
    assert again.name == measure.name
    assert sm.assess(
        people, people.copy(), measures=[again], match="rows", limits={}
    )[measure.name].value == 1.0  # fmt: skip
    assert "f" not in repr(again).replace(again.name, "").replace("RareGroup", "")


def test_only_texts_of_this_form_are_analyses():
    assert is_analysis("rare:x > 1")
    assert not is_analysis("rarex")
    assert find("rare:x > 1") is find_analysis("rare:x > 1")
