"""--recode: steps before masking, on the command line and in the run file."""

from __future__ import annotations

import tomllib

import numpy as np
import pandas as pd
import pytest

STEPS = (
    "--recode",
    "age: top 60",
    "--recode",
    "wage: round 100",
    "--recode",
    "job: suppress rare 40",
)
TEXTS = ["age: top 60", "wage: round 100", "job: suppress rare 40"]
RWN = ("--method", "rwn", "--k", "4", "--weights", "0.1")


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 95, 400),
            "wage": random.integers(0, 1000, 400),
            "job": random.choice(["cook", "nurse", "pilot"], 400, p=[0.5, 0.45, 0.05]),
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def check_recoded(path):
    found = pd.read_csv(path)
    assert found["age"].max() == 60
    assert not (found["wage"] % 100).any()
    assert "pilot" not in set(found["job"])


def test_a_run_file_repeats_the_steps(swapmeet, table, tmp_path):
    first = swapmeet("mask", table, tmp_path / "a.csv", *RWN, *STEPS, "--json")
    assert first.code == 0
    assert [step["column"] for step in first.json["recodes"]] == ["age", "wage", "job"]
    assert all(step["changed"] for step in first.json["recodes"])
    check_recoded(tmp_path / "a.csv")
    told = tomllib.loads((tmp_path / "a.csv.run.toml").read_text())
    assert told["prepare"] == {"recode": TEXTS}
    second = swapmeet(
        "mask", table, tmp_path / "b.csv", "--config", tmp_path / "a.csv.run.toml", "--json"
    )
    assert second.json["recodes"] == first.json["recodes"]
    check_recoded(tmp_path / "b.csv")
    assert (tmp_path / "b.csv.run.toml").read_text() == (tmp_path / "a.csv.run.toml").read_text()


def test_options_replace_the_steps_of_a_run_file(swapmeet, table, tmp_path):
    swapmeet("mask", table, tmp_path / "a.csv", *RWN, *STEPS)
    run = swapmeet("mask", table, tmp_path / "b.csv", "--config", tmp_path / "a.csv.run.toml",
                   "--recode", "age: bottom 30", "--json")  # fmt: skip
    assert [step["column"] for step in run.json["recodes"]] == ["age"]
    assert pd.read_csv(tmp_path / "b.csv")["age"].min() == 30


def test_assess_finds_the_steps_in_the_run_file_or_in_the_record(swapmeet, table, tmp_path):
    swapmeet("mask", table, tmp_path / "a.csv", *RWN, *STEPS, "--audit", tmp_path / "record")
    ask = ("assess", table, tmp_path / "a.csv", "--measure", "dbrl,margins", "--json")
    record = ("--audit", tmp_path / "record")
    first = swapmeet(*ask, *record)
    (tmp_path / "a.csv.run.toml").unlink()
    second = swapmeet(*ask, *record, "--memory", "1GB")
    for run in (first, second):
        assert [step["column"] for step in run.json["recodes"]] == ["age", "wage", "job"]
        assert any("loss against the table as it was" in note for note in run.json["notes"])
    values = [{s["measure"]: s["value"] for s in run.json["scores"]} for run in (first, second)]
    assert values[0] == pytest.approx(values[1])
    assert values[0]["margins"] > 0.1


@pytest.mark.parametrize(
    ("step", "code", "told"),
    [
        ("agee: top 5", 3, "did you mean 'age'"),
        ("job: top 5", 3, "needs numbers"),
        ("age: top 5", 3, "leave one value"),
        ("age: cut 40, 60", 3, "below the first bound"),
        ("age: tpo 5", 2, "did you mean 'top'"),
        ("age top 5", 2, "COLUMN: STEP"),
    ],
)
@pytest.mark.parametrize("way", [(), ("--memory", "1GB")])
def test_bad_steps_are_one_message_and_nothing_is_written(
    swapmeet, table, tmp_path, step, code, told, way
):
    run = swapmeet("mask", table, tmp_path / "a.csv", *RWN, "--recode", step, *way)
    assert (run.code, run.out) == (code, "")
    assert told in run.err
    assert run.err.count("error:") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def test_values_that_are_suppressed_by_name_are_not_told_but_warned_of(swapmeet, table, tmp_path):
    run = swapmeet("mask", table, tmp_path / "a.csv", *RWN, "--recode", "job: suppress pilot")
    assert run.code == 0
    assert "pilot" not in run.said
    assert "those who may know these values" in " ".join(run.out.split())


def test_a_wrong_section_of_a_run_file_is_refused(swapmeet, table, tmp_path):
    (tmp_path / "run.toml").write_text('[prepare]\nrecode = "age: top 60"\n')
    run = swapmeet("mask", table, tmp_path / "a.csv", *RWN, "--config", tmp_path / "run.toml")
    assert run.code == 3
    assert "[prepare]: `recode` must be a list" in run.err


def test_a_step_that_changes_nothing_is_noted(swapmeet, table, tmp_path):
    run = swapmeet("mask", table, tmp_path / "a.csv", *RWN, "--recode", "age: top 200")
    assert run.code == 0
    assert "but no value changed" in " ".join(run.out.split())
