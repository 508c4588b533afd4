"""swapmeet plan and mask --dry-run: what would run, and nothing is touched."""

from __future__ import annotations

import json
import tomllib

import pytest

ASK = ("--method", "rwn", "--k", "4", "--drop", "name", "--publish", "weight", "--keep", "region")


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_dry_run_prints_the_plan_that_then_runs_and_touches_nothing(swapmeet, people, out):
    dry = swapmeet("mask", people, out / "o.csv", *ASK, "--dry-run")
    assert dry.code == 0, dry.err
    assert files_in(out) == []
    (out / "run.toml").write_text(dry.out)
    assert tomllib.loads(dry.out)["method"]["k"] == 4
    assert swapmeet("mask", "--config", out / "run.toml", "--seed", "3").code == 0
    assert swapmeet("mask", people, out / "p.csv", *ASK, "--seed", "3").code == 0
    assert (out / "o.csv").read_bytes() == (out / "p.csv").read_bytes()
    first, second = ((out / f"{name}.csv.run.toml").read_text() for name in "op")
    assert first == second


def test_a_dry_run_says_why_a_table_would_be_refused(swapmeet, people, out):
    dry = swapmeet("mask", people, out / "o.csv", "--method", "rwn", "--dry-run", "--json")
    assert dry.code == 3
    assert "looks like a direct identifier" in dry.err
    assert "looks like a direct identifier" in json.loads(dry.out)["refusal"]
    real = swapmeet("mask", people, out / "o.csv", "--method", "rwn")
    assert (real.code, real.err) == (dry.code, dry.err)
    assert files_in(out) == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--k", "0"), 2, "`k` must be"),
        (("--drop", "nmae"), 3, "did you mean 'name'?"),
        (("--derive", "age = "), 2, "derive"),
        (("--strata", "age", "--numeric", "sex"), 3, "sex"),
        (("--memory", "1GB", "--labels", "text"), 2, "--labels"),
        (("--memory", "1GB", "--household", "age"), 3, "in memory"),
    ],
)
def test_a_dry_run_ends_with_the_code_of_the_refusal(swapmeet, people, out, words, code, said):
    dry = swapmeet("mask", people, out / "o.csv", *ASK, *words, "--dry-run")
    assert dry.code == code
    assert said in dry.err
    real = swapmeet("mask", people, out / "o.csv", *ASK, *words)
    assert (real.code, real.err) == (dry.code, dry.err)


def test_a_run_file_is_checked_alone_and_with_a_table(swapmeet, people, out):
    assert swapmeet("mask", people, out / "o.csv", *ASK).code == 0
    run = out / "o.csv.run.toml"
    assert swapmeet("plan", run).code == 0
    done = swapmeet("plan", run, people)
    assert done.code == 0, done.err
    assert "Nothing would be refused" in done.out
    run.write_text(run.read_text().replace("k = 4", "k = 0"))
    assert swapmeet("plan", run).code == 2
    assert swapmeet("plan").code == 2


def test_the_json_schema_is_json(swapmeet):
    schema = json.loads(swapmeet("plan", "--schema").out)
    assert schema["properties"]["output"]["properties"]["keep_order"]["type"] == "boolean"


def test_what_is_missing_is_named(swapmeet, out):
    (out / "run.toml").write_text('[method]\nname = "rwn"\n')
    assert "Missing argument 'FILE'" in swapmeet("mask", "--config", out / "run.toml").err
    assert (
        "Missing argument 'OUT...'" in swapmeet("mask", "x.csv", "--config", out / "run.toml").err
    )


def test_what_a_run_file_asks_is_asked(swapmeet, people, out):
    assert swapmeet("mask", people, out / "o.csv", *ASK, "--audit", out / "o.audit").code == 0
    run = out / "o.csv.run.toml"
    run.write_text(run.read_text() + '[question]\nlimits = {dbrl = 0.0}\nmeasures = ["margins"]\n')
    words = ("assess", people, out / "o.csv", "--audit", out / "o.audit", "--json")
    card = swapmeet(*words)
    assert card.code == 4
    assert card.json["limits"] == {"dbrl": 0.0}
    assert {score["measure"] for score in card.json["scores"]} == {"dbrl", "margins"}
    other = swapmeet(*words, "--limit", "dbrl=1")
    assert (other.code, other.json["limits"]) == (0, {"dbrl": 1.0})


def test_a_dry_run_of_a_file_masked_piece_by_piece_touches_nothing(swapmeet, people, out):
    dry = swapmeet("mask", people, out / "o.csv", *ASK, "--memory", "1GB", "--dry-run")
    assert dry.code == 0, dry.err
    assert files_in(out) == []
    assert files_in(people.parent) == [people.name]
