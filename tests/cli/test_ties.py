"""Columns that belong together, derived columns and rules on the command line."""

from __future__ import annotations

import tomllib

import numpy as np
import pandas as pd
import pytest

from swapmeet.tables.derived_columns import check_derivation

RULE = 'age >= 14 or marital = "unwed"'
SURVEY = (
    "--together", "height,weight", "--derive", "bmi = weight / height ** 2",
    "--derive", "group = lookup(age)", "--rule", RULE,
)  # fmt: skip
SHOWN = 'age >= 14 or marital = "…"'
TOTALS = ("home = a + b", "turnover = home + export", "surplus = turnover - costs")
LABELS = np.array(["0-13", "14-29", "30-64", "65+"])


@pytest.fixture
def survey(tmp_path):
    """People with an age group, a body mass index, and nobody married before 14."""
    rng = np.random.default_rng(3)
    n = 1_500
    age = rng.integers(0, 90, n)
    height = rng.normal(1.7, 0.1, n).round(2)
    weight = (height**2 * rng.normal(24, 3, n)).round(1)
    married = (age >= 14) & (rng.random(n) < 0.6)
    path = tmp_path / "survey.csv"
    pd.DataFrame(
        {"age": age, "marital": np.where(married, "married", "unwed"), "height": height,
         "weight": weight, "bmi": (weight / height**2).round(1),
         "group": LABELS[np.digitize(age, [14, 30, 65])]}
    ).to_csv(path, index=False)  # fmt: skip
    return path


@pytest.fixture
def business(tmp_path):
    """Firms whose totals add up."""
    rng = np.random.default_rng(4)
    a, b, export, costs = (rng.lognormal(8, 1, 800).round(2) for _ in range(4))
    home = (a + b).round(2)
    turnover = (home + export).round(2)
    path = tmp_path / "business.csv"
    pd.DataFrame(
        {"a": a, "b": b, "home": home, "export": export, "turnover": turnover, "costs": costs,
         "surplus": (turnover - costs).round(2), "sector": rng.choice(list("ABC"), 800)}
    ).to_csv(path, index=False)  # fmt: skip
    return path


def count_broken(survey):
    """People outside their age group, and those married before 14."""
    outside = (LABELS[np.digitize(survey.age, [14, 30, 65])] != survey.group).sum()
    return int(outside), int(((survey.age < 14) & (survey.marital == "married")).sum())


def test_a_survey_keeps_its_age_groups_and_marriages(swapmeet, survey, out):
    method = ("--method", "sjppds", "--bins", "2")
    plain = swapmeet("mask", survey, out / "plain.csv", *method, "--quiet")
    assert plain.code == 0
    assert min(count_broken(pd.read_csv(out / "plain.csv"))) > 20
    run = swapmeet("mask", survey, out / "o.csv", *method, *SURVEY, "--json")
    assert run.code == 0
    released = pd.read_csv(out / "o.csv")
    assert count_broken(released) == (0, 0)
    assert check_derivation(released, "bmi = weight / height ** 2") == 0
    (rule,) = run.json["rules"]
    assert rule["broken"] == rule["repaired"] + rule["suppressed"] > 20
    assert rule["left"] == 0
    assert rule["rule"] == SHOWN


@pytest.mark.slow
def test_a_business_file_adds_up_to_the_last_digit(swapmeet, business, out):
    derive = [word for text in TOTALS for word in ("--derive", text)]
    for memory in ((), ("--memory", "1GB", "--block-rows", "300")):
        run = swapmeet(
            "mask", business, out / "o.csv", "--method", "matched-swap", "--k", "5", *derive,
            *memory, "--overwrite",
        )  # fmt: skip
        assert run.code == 0
        cents = pd.read_csv(out / "o.csv", dtype=str).drop(columns="sector")
        cents = cents.map(lambda text: round(float(text) * 100))
        assert (cents.home == cents.a + cents.b).all()
        assert (cents.turnover == cents.home + cents.export).all()
        assert (cents.surplus == cents.turnover - cents.costs).all()


def test_a_run_file_repeats_what_was_tied(swapmeet, survey, out):
    asked = ("--seed", "1", "--quiet")
    first = swapmeet("mask", survey, out / "o.csv", "--method", "rwn", *SURVEY, *asked)
    assert first.code == 0
    told = tomllib.loads((out / "o.csv.run.toml").read_text())
    assert told["ties"] == {
        "together": [["height", "weight"]],
        "derive": ["bmi = weight / height ** 2", "group = lookup(age)"],
        "rules": [RULE],
        "unrepaired": "suppress",
    }
    again = swapmeet("mask", survey, out / "again.csv", "--config", out / "o.csv.run.toml", *asked)
    assert again.code == 0
    assert (out / "again.csv").read_bytes() == (out / "o.csv").read_bytes()


def test_assess_counts_what_any_release_breaks(swapmeet, survey, out):
    asked = ("--method", "sjppds", "--bins", "2", "--quiet")
    assert swapmeet("mask", survey, out / "plain.csv", *asked).code == 0
    (out / "plain.csv.run.toml").unlink()
    outside, married = count_broken(pd.read_csv(out / "plain.csv"))
    rules = ("--rule", RULE, "--derive", "group = lookup(age)", "--measure", "margins")
    for memory in ((), ("--memory", "1GB")):
        run = swapmeet("assess", survey, out / "plain.csv", *rules, *memory, "--json")
        assert run.code == 0
        found = {one["text"]: (one["original"], one["released"]) for one in run.json["ties"]}
        assert found == {SHOWN: (0, married), "group = lookup(age)": (0, outside)}


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        (("--rule", "age >= 20"), 3, "the original breaks it in"),
        (("--derive", "bmi = weight / height"), 3, "rows of the original the column is something"),
        (("--derive", "bmi = weight /"), 2, "derive: ends too early, after bmi = weight /"),
        (("--rule", "age >"), 2, "ends too early, after age >"),
        (("--together", "height"), 3, "at least two columns"),
        (("--together", "height,age", "--keep", "age"), 3, "'age' has the role keep"),
        (("--derive", "bmi = age", "--derive", "age = bmi"), 3, "in a circle"),
        (("--rule", RULE, "--unrepaired", "maybe"), 2, "`unrepaired` must be one of"),
        (("--together", "2"), 2, "--together is an option of matched-swap"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    swapmeet, survey, out, asked, code, message
):
    run = swapmeet("mask", survey, out / "o.csv", "--method", "rwn", *asked)
    assert run.code == code
    assert message in run.err
    assert not list(out.iterdir())


def test_a_number_is_the_parameter_of_the_method_that_shares_the_option(swapmeet, survey, out):
    run = swapmeet(
        "mask", survey, out / "o.csv", "--method", "matched-swap", "--together", "2",
        "--together", "height,weight", "--json",
    )  # fmt: skip
    assert run.code == 0
    assert run.json["settings"]["together"] == 2.0
    assert any("height and weight moved as one" in note for note in run.json["notes"])


def test_true_or_false_is_the_parameter_of_kl_theta(swapmeet, survey, out):
    run = swapmeet(
        "mask", survey, out / "o.csv", "--method", "kl-theta", "--together", "false",
        "--sensitive", "weight,height", "--l", "2", "--theta", "0.8", "--json",
    )  # fmt: skip
    assert run.code == 0
    assert run.json["settings"]["together"] is False


@pytest.mark.slow
def test_no_page_names_the_values_that_a_rule_speaks_of(swapmeet, survey, out):
    asked = ("--method", "sjppds", "--bins", "2", *SURVEY, "--audit", out / "a")
    made = swapmeet("mask", survey, out / "o.csv", *asked)
    assert made.code == 0
    assert "unwed" not in made.said
    for audience in ("internal", "public"):
        page = out / f"{audience}.html"
        told = swapmeet(
            "report", page, "--file", survey, "--release", out / "o.csv",
            "--audience", audience, "--measure", "margins,copies",
        )  # fmt: skip
        assert told.code in (0, 4), told.said
        text = page.read_text(encoding="utf-8")
        assert "unwed" not in text
        assert "computed anew from" in text


def test_a_file_has_the_sums_that_a_rest_makes(swapmeet, tmp_path):
    """Not the totals of the donors, as the file of the original spells them."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 900, (2, 200))
    books = pd.DataFrame({"a": a, "b": b, "total": a + b, "staff": rng.integers(1, 50, 200)})
    books.loc[:5, "total"] += 1
    source, target, audit = (tmp_path / name for name in ("books.csv", "release.csv", "r.audit"))
    books.to_csv(source, index=False)
    masked = swapmeet("mask", source, target, "--method", "matched-swap", "--k", "5",
                      "--derive", "total = a + b + rest", "--audit", audit)  # fmt: skip
    assert masked.code == 0, masked.err
    released = pd.read_csv(target)
    assert (released.total - released.a - released.b).value_counts().to_dict() == {0: 194, 1: 6}
    ask = ("--audit", audit, "--measure", "margins")
    assert swapmeet("assess", source, target, *ask).code in {0, 4}
