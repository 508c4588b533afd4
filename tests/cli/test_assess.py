from __future__ import annotations

import re

import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import TableError
from swapmeet.measures.registry import MEASURES
from swapmeet.measures.risk.linkage import Linkage

FAST = ("--measure", "pscr,dcr,uniqueness")


@pytest.fixture
def published(swapmeet, people, out):
    """A release, its run file and its audit record."""
    run = swapmeet(
        "mask", people, out / "r.csv", "--method", "rwn", "--k", "5", "--weights", "0.1",
        "--drop", "name", "--keep", "weight", "--audit", out / "a.audit",
    )  # fmt: skip
    assert run.code == 0, run.err
    return out / "r.csv"


def test_card_has_figures_ranges_and_sentences(swapmeet, people, published, out):
    run = swapmeet("assess", people, published, "--audit", out / "a.audit", *FAST)
    assert run.code == 0, run.err
    assert re.search(r"pscr  0\.\d+  \[0\.\d+, 0\.\d+\]  lower is better, from 0 to 1", run.out)
    assert "An intruder who knows age, sex, income and region" in " ".join(run.out.split())
    assert "owners by the audit record" in run.out
    assert max(len(line) for line in run.out.splitlines() if "better" not in line) <= 80


@pytest.mark.slow
def test_measures_take_parameters(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit", "--json")
    run = swapmeet(*ask, "--measure", "queries:target=sex:conditions=1, dcr:scale=raw")
    assert run.code == 0, run.err
    scores = {score["measure"]: score for score in run.json["scores"]}
    assert scores["queries"]["details"]["target"] == "sex"
    assert "in units of the columns" in scores["dcr"]["sentence"]
    assert "`conditions` must be" in swapmeet(*ask, "--measure", "queries:conditions=0").err
    assert "no parameter 'targt'" in swapmeet(*ask, "--measure", "queries:targt=sex").err
    assert "name=value" in swapmeet(*ask, "--measure", "queries:sex").err
    assert "conditions: columns that a query selects by" in swapmeet("measures", "queries").out


def test_roles_come_from_the_run_file_beside_the_release(swapmeet, people, published, out):
    run = swapmeet("assess", people, published, "--audit", out / "a.audit", "--json", *FAST)
    assert run.json["known"] == ["age", "sex", "income", "region"]
    assert run.json["notes"][0].startswith("weight: published unmasked")


def test_limit_that_is_not_met_ends_with_code_4(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit", *FAST)
    run = swapmeet(*ask, "--limit", "pscr=0")
    assert run.code == 4
    assert run.out.startswith("Not safe to publish under your limits: pscr is 0.")
    assert re.search(r"pscr +0\.\d+ +\[0\.\d+, 0\.\d+\] +0 +NOT MET", run.out)
    assert run.err == "error: the limit on pscr is not met; see above.\n"
    kept = swapmeet(*ask, "--limit", "pscr=1")
    assert (kept.code, kept.err) == (0, "")
    assert kept.out.startswith("Safe to publish under your limits: pscr is 0.")
    told = swapmeet(*ask, "--limit", "pscr=0,dcr=99", "--json")
    assert (told.code, told.json["not met"]) == (4, ["pscr", "dcr"])


def test_without_owners_a_limit_on_them_is_not_met(swapmeet, people, published):
    run = swapmeet("assess", people, published, *FAST, "--limit", "pscr=1")
    assert run.code == 4
    assert run.out.startswith("Not decided under your limits: pscr has no figure, because it is")
    assert "Give the audit record (--audit)" in " ".join(run.out.split())
    assert "Not defined here: it is not known which released row" in " ".join(run.out.split())


def test_models_and_rare_records_are_shown_without_values(swapmeet, people, published, out):
    run = swapmeet(
        "assess", people, published, "--audit", out / "a.audit", "--measure", "dcr",
        "--model", "income ~ age + C(sex)", "--rare", 'sex = "female" and age < 40',
        "--pca", "age,income", "--table", "sex,region",
    )  # fmt: skip
    assert run.code == 0, run.err
    assert "sex (category 2)" in run.out
    assert "people meet the condition" in run.out
    assert "Principal components of age, income" in run.out
    assert "of the records stand in another cell" in run.out
    assert "north-4711" not in run.said
    assert "person-" not in run.said


@pytest.mark.slow
def test_the_error_of_queries_is_shown_by_how_much_they_select(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit", "--measure", "dcr")
    run = swapmeet(*ask, "--selectivity", "sex:age")
    assert run.code == 0, run.err
    assert "Queries that count sex and select by age" in run.out
    assert "100 %" in run.out
    by_all = swapmeet(*ask, "--selectivity", "sex:age:region=2|income=500")
    assert by_all.code == 0, by_all.err
    told = swapmeet(*ask, "--selectivity", "sex:age, region:sex", "--json").json
    assert [(one["target"], one["column"]) for one in told["selectivity"]] == [
        ("sex", "age"), ("region", "sex"),
    ]  # fmt: skip
    assert told["profile"] is None
    assert "north-4711" not in run.said


def test_queries_of_ones_own_are_counted_in_both_files(swapmeet, people, published, out):
    asked = out / "queries.txt"
    asked.write_text('# women\nsex = "female"\nage < 40 and sex = "female"\n')
    ask = ("assess", people, published, "--limit", "none", "--measure", "margins")
    run = swapmeet(*ask, "--queries", asked, "--baseline", people)
    assert run.code == 0, run.err
    assert "Your queries" in run.out
    assert "other release" in run.out
    assert "age, sex" in run.out
    told = swapmeet(*ask, "--queries", asked, "--json").json["queries"]
    assert len(told["answers"]) == 2
    assert told["relative error"] is None
    asked.write_text("sexx = 1\n")
    wrong = swapmeet(*ask, "--queries", asked)
    assert (wrong.code, "did you mean 'sex'?" in wrong.err) == (3, True)
    alone = swapmeet(*ask, "--baseline", people)
    assert (alone.code, "is for `queries`" in alone.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--selectivity", "sex:age:region"), 2, "or with others to select by"),
        (("--selectivity", "sex"), 2, "write COUNTED:SELECTED"),
        (("--selectivity", "sex:agee"), 3, "did you mean 'age'?"),
        (("--limit", "dbrk=0.2"), 2, "did you mean 'dbrl'?"),
        (("--limit", "dbrl"), 2, "limit: write NAME=NUMBER"),
        (("--limit", "dbrl=low"), 2, "limit: write NAME=NUMBER"),
        (("--limit", "score=0.2"), 2, "Limit the measures themselves"),
        (("--limit", "none", "--limit", "dbrl=0.2"), 2, "limit: write NAME=NUMBER"),
        (("--intruder", "everyone"), 2, "must be one of target, keys, everything"),
        (("--measure", "dbrk"), 2, "did you mean 'dbrl'?"),
        (("--known", "agee"), 3, "did you mean 'age'?"),
        (("--match", "nobody"), 2, "has no column 'nobody'"),
        (("--model", "income = age"), 2, "is not understood"),
        (("--model", "income ~ agee"), 3, "no column 'agee'"),
        (("--rare", "age <"), 2, "ends too early, after age <"),
        (("--rare", "__import__('os').system('true')"), 2, "cannot be read, after __import__"),
        (("--rare", "agee < 3"), 3, "no column 'agee'"),
        (("--audit", "nowhere.audit"), 3, "this file does not exist"),
    ],
)
def test_bad_requests_are_refused(swapmeet, people, published, options, code, message):
    run = swapmeet("assess", people, published, *FAST, *options)
    assert (run.code, run.out) == (code, "")
    assert message in run.err


def test_files_that_do_not_belong_together_are_refused(swapmeet, people, published, out):
    lines = published.read_text().splitlines(keepends=True)
    (out / "short.csv").write_text("".join(lines[:-3]))
    run = swapmeet("assess", people, out / "short.csv", *FAST)
    assert run.code == 3
    assert "the original has 60 rows and the release 57" in run.err


def test_measures_are_listed_and_explained(swapmeet):
    listed = swapmeet("measures")
    assert listed.code == 0
    assert all(name in listed.out for name in MEASURES)
    assert max(map(len, listed.out.splitlines())) <= 80
    one = swapmeet("measures", "pscr")
    assert "nearest released record is their own" in " ".join(one.out.split())
    told = swapmeet("measures", "--json").json["measures"]
    assert [measure["name"] for measure in told] == list(MEASURES)
    assert swapmeet("measures", "pscrr").code == 2


def test_a_limit_is_never_met_by_another_measure(swapmeet, people, out):
    mask = ("mask", people, out / "r.csv", "--method", "cart", "--drop", "name", "--keep", "weight")
    assert swapmeet(*mask, "--audit", out / "a.audit").code == 0
    ask = ("assess", people, out / "r.csv", "--audit", out / "a.audit", "--known", "age,income")
    assert swapmeet(*ask, "--measure", "dbrl", "--limit", "dbrl-sorted=1").code == 0
    run = swapmeet(*ask, "--measure", "dbrl,dbrl-sorted", "--limit", "dbrl=1")
    assert run.code == 4
    assert run.out.startswith("Not decided under your limits: dbrl has no figure, because")


def test_without_limits_the_default_ones_count(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit")
    run = swapmeet(*ask, "--measure", "linkage,copies,inference")
    assert run.code == 4
    assert run.out.startswith("Not safe to publish under the default limits: ")
    assert "Default limits" in run.out
    told = swapmeet(*ask, "--measure", "linkage,copies,inference", "--json").json
    assert told["verdict"]["default_limits"] is True
    assert told["limits"] == {"linkage": 0.2, "copies": 0.01, "inference": 0.1}
    assert set(told["not met"]) <= set(told["limits"])


def test_measures_that_leave_out_the_default_limits_are_figures_without_a_verdict(
    swapmeet, people, published, out
):
    run = swapmeet("assess", people, published, "--audit", out / "a.audit", *FAST)
    assert (run.code, run.err) == (0, "")
    assert " ".join(run.out.split()).startswith(
        "Not decided under the default limits: linkage, copies and inference were not measured."
    )


def test_no_verdict_is_given_where_none_is_asked_for(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit", *FAST)
    run = swapmeet(*ask, "--limit", "none")
    assert run.code == 0
    assert run.out.startswith("No verdict: no limit was set.")
    told = swapmeet(*ask, "--limit", "none", "--json").json
    assert (told["verdict"]["safe"], told["verdict"]["reasons"], told["limits"]) == (False, [], {})


@pytest.mark.parametrize("level", ["target", "keys", "everything"])
def test_the_intruder_of_the_verdict_can_be_chosen(swapmeet, people, published, out, level):
    ask = ("assess", people, published, "--audit", out / "a.audit", *FAST, "--limit", "none")
    told = swapmeet(*ask, "--intruder", level, "--sensitive", "sex,income,region", "--json").json[
        "intruder"
    ]
    assert told == {"level": level, "keys": ["age"]}


@pytest.mark.slow
def test_measures_that_nobody_named_are_folded_into_a_table(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit", "--limit", "pscr=1")
    folded = swapmeet(*ask, "--full")
    assert folded.code == 0, folded.err
    assert "More measures of risk" in folded.out
    assert re.search(r"\ndbrl +0\.\d+ +\[.*\] +lower +from 0 to 1\n", folded.out)
    full = swapmeet(*ask, "--measure", "all")
    assert "More measures" not in full.out
    assert all(re.search(rf"^{name}  ", full.out, re.M) for name in ("dbrl", "margins"))
    assert len(full.out) > 2 * len(folded.out)


def test_the_card_opens_with_the_verdict_and_about_ten_lines(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit", "--limit", "pscr=0,dcr=0")
    short = swapmeet(*ask)
    assert short.code == 4
    assert short.out.startswith("Not safe to publish under your limits: pscr is 0.")
    until_notes = short.out.partition("\nNotes\n")[0]
    assert len(until_notes.splitlines()) <= 20
    assert re.search(r"\d\d more measures were not taken: --full takes all", short.out)
    assert "dbrl" not in until_notes


def test_what_was_asked_for_by_name_is_in_the_short_card(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit", "--limit", "pscr=1")
    run = swapmeet(*ask, "--measure", "dcr,margins,correlations", "--table", "sex,region")
    assert "The nearest released record is" in run.out
    assert "of the records stand in another cell" in run.out
    assert "weight: published unmasked" in run.out
    assert "--full" not in run.out


def test_models_of_all_kinds_are_shown_or_have_a_reason(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit", "--measure", "spread")
    run = swapmeet(
        *ask, "--model", "logistic: sex ~ age", "--model", "huber: income ~ age",
        "--model", "loglinear: sex*region", "--model", "income ~ age, weight=age",
        "--model", "logistic: age ~ income", "--table", "sex,region,weight=age",
    )  # fmt: skip
    assert run.code == 0, run.err
    told = " ".join(run.out.split())
    assert "logistic: sex ~ age term original se release se shift in se" in told
    assert "Not defined: in the original, age has" in told
    assert "Table of sex, region, weighted by age" in told
    assert "Cook" not in run.out
    wrong = swapmeet(*ask, "--model", "huber: sex ~ age")
    assert (wrong.code, "the response 'sex' is nominal" in wrong.err) == (3, True)


MODEL = "income ~ age + C(sex)"


@pytest.mark.parametrize("known_by", ["run file", "audit record"])
def test_coverage_of_intervals_is_found_with_the_method_of_the_release(
    swapmeet, people, published, out, known_by
):
    record = ("--audit", out / "a.audit") if known_by == "audit record" else ()
    if record:
        (out / "r.csv.run.toml").unlink()
    ask = ("assess", people, published, *record, "--drop", "name", "--keep", "weight",
           "--measure", "spread", "--coverage", MODEL, "--replicates", "20")  # fmt: skip
    run = swapmeet(*ask)
    assert run.code == 0, run.err
    told = " ".join(run.out.split())
    assert f"Intervals of {MODEL}" in told
    assert "of the 95 % intervals that are computed from such a release" in told
    assert "From 20 further releases." in told
    found = swapmeet(*ask, "--json").json["coverage"][0]
    assert [term["name"] for term in found["terms"]] == ["intercept", "age", "sex (category 2)"]
    assert all(0 <= term["coverage"] <= 1 for term in found["terms"])


def test_coverage_without_the_method_says_what_to_give(swapmeet, people, published, out):
    (out / "r.csv.run.toml").unlink()
    run = swapmeet("assess", people, published, *FAST, "--coverage", MODEL)
    assert run.code == 2
    assert "it must be known how the release was made" in run.err
    few = swapmeet("assess", people, published, *FAST, "--coverage", MODEL, "--replicates", "5")
    assert "`replicates` must be a whole number, 20 or more" in few.err


@pytest.fixture
def in_pieces(swapmeet, table, out):
    """Ask for the card of Parquet files, with a limit of memory."""
    table.to_parquet(out / "people.parquet")
    run = swapmeet(
        "mask", out / "people.parquet", out / "r.parquet", "--method", "rwn", "--k", "5",
        "--drop", "name", "--keep", "weight", "--audit", out / "a.audit",
    )  # fmt: skip
    assert run.code == 0, run.err
    ask = ("assess", out / "people.parquet", out / "r.parquet", "--audit", out / "a.audit", *FAST)
    return lambda *more: swapmeet(*ask, *more)


def test_files_are_assessed_piece_by_piece_on_demand(in_pieces, out):
    whole, pieces = in_pieces("--json"), in_pieces("--json", "--memory", "1GB")
    assert pieces.code == 0, pieces.err
    values = [[score["value"] for score in run.json["scores"]] for run in (whole, pieces)]
    assert values[1] == pytest.approx(values[0])
    assert pieces.json["known"] == whole.json["known"] == ["age", "sex", "income", "region"]
    assert pieces.json["scores"][0]["details"]["how"] == "all rows"
    assert in_pieces("--memory", "1GB", "--limit", "pscr=0").code == 4


@pytest.fixture
def broken_attack(monkeypatch):
    """The attack of somebody who knows how rwn masks breaks down with an error of ours."""

    def break_down(*_):
        raise TableError("stratum 4 of 12 has 3 rows, `k` = 5 needs at least 6.")

    monkeypatch.setattr(sm.RWN, "attack", break_down)


def require_open(swapmeet, *ask):
    """Text, JSON and exit code say the same."""
    told = swapmeet(*ask, "--json")
    assert told.code == 4
    verdict = told.json["verdict"]
    assert (verdict["safe"], verdict["decided"], verdict["verdict"]) == (
        False, False, "not decided",
    )  # fmt: skip
    assert verdict["reasons"][0]["met"] is False
    shown = swapmeet(*ask)
    assert shown.code == 4
    assert shown.out.startswith("Not decided under your limits: linkage meets its limit, but ")
    assert "NOT DECIDED" in shown.out
    return " ".join(shown.out.split())


def test_an_attack_that_breaks_down_leaves_the_verdict_open(
    swapmeet, people, published, out, broken_attack
):
    ask = ("--audit", out / "a.audit", "--measure", "linkage", "--limit", "linkage=1")
    said = require_open(swapmeet, "assess", people, published, *ask)
    assert "stratum 4 of 12 has 3 rows" in said
    assert "north-4711" not in said
    missed = swapmeet("assess", people, published, *ask[:-1], "linkage=0", "--json")
    assert (missed.code, missed.json["verdict"]["verdict"]) == (4, "not safe")
    assert "stratum 4 of 12" in missed.json["scores"][0]["hidden"]


def test_a_limit_met_in_a_sample_that_hides_risk_leaves_the_verdict_open(
    swapmeet, in_pieces, monkeypatch, out
):
    monkeypatch.setattr("swapmeet.measures.scoring.SAMPLE", 50)
    monkeypatch.setattr(Linkage, "sample_rows", 50)
    ask = ("--memory", "1GB", "--measure", "linkage", "--limit", "linkage=1")
    said = require_open(lambda *more: in_pieces(*more), *ask)
    assert "it was measured in a sample of the rows or columns, which hides a part" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--memory", "1GB", "--model", "income ~ age"), "--model: needs both tables in memory"),
        (("--memory", "1GB", "--delimiter", ";"), "does not apply to Parquet files"),
        (("--memory", "10MB"), "Raise the memory."),
    ],
)
def test_what_pieces_cannot_do_is_refused(in_pieces, options, message):
    run = in_pieces(*options)
    assert run.code == 2
    assert message in " ".join(run.err.split())


def test_pieces_of_a_text_have_the_scores_of_the_whole(swapmeet, people, published, out):
    ask = ("assess", people, published, "--audit", out / "a.audit", *FAST, "--json")
    whole, pieces = swapmeet(*ask), swapmeet(*ask, "--memory", "1GB")
    assert pieces.code == 0, pieces.err
    values = [[score["value"] for score in run.json["scores"]] for run in (whole, pieces)]
    assert values[1] == pytest.approx(values[0])


def test_pieces_of_other_formats_are_refused(swapmeet, people, out):
    run = swapmeet("assess", people, out / "o.sav", "--memory", "1GB")
    assert (run.code, "cannot be assessed piece by piece" in " ".join(run.err.split())) == (2, True)


def test_people_who_are_not_in_the_file_come_from_a_file(swapmeet, people, published, out):
    import pandas as pd

    strangers = pd.read_csv(people).sample(frac=0.5, random_state=1)
    strangers["income"] = strangers["income"] + 0.5
    strangers.to_csv(out / "strangers.csv", index=False)
    ask = ("assess", people, published, "--measure", "membership", "--limit", "none")
    alone = swapmeet(*ask)
    assert "people who are not in the file" in " ".join(alone.out.split())
    run = swapmeet(*ask, "--control", out / "strangers.csv", "--json")
    assert run.code == 0, run.err
    (score,) = run.json["scores"]
    assert score["details"]["people without the file"].startswith(f"{len(strangers):,} people")
    refused = swapmeet(*ask, "--control", out / "strangers.csv", "--memory", "1GB")
    assert refused.code == 2
    assert "--control: needs both tables in memory" in refused.err
    strangers.drop(columns="age").to_csv(out / "fewer.csv", index=False)
    assert "control: no column 'age'" in swapmeet(*ask, "--control", out / "fewer.csv").err


@pytest.mark.slow
def test_one_neighbour_that_dbrl_calls_safe_ends_with_code_4(swapmeet, shared, tmp_path):
    """RWN with one neighbour on census: dbrl 0.005, and most whole records are published."""
    people, release, record = (tmp_path / n for n in ("people.csv", "release.csv", "run.audit"))
    census = pd.read_csv(shared / "data" / "census.csv").iloc[:, 1:]
    census.to_csv(people, index=False)
    how = ("--method", "rwn", "--k", "1", "--q", "0.99", "--audit", record)
    assert swapmeet("mask", people, release, *how).code == 0
    ask = ("assess", people, release, "--audit", record)
    assert swapmeet(*ask, "--measure", "dbrl", "--limit", "dbrl=0.2").code == 0
    run = swapmeet(*ask)
    assert run.code == 4
    assert run.out.startswith("Not safe to publish under the default limits")
