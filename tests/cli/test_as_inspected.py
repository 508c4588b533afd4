"""What inspect proposes runs, and --as-inspected does the same in one command."""

from __future__ import annotations

import shlex
import tomllib

import numpy as np
import pandas as pd
import pytest
from odd_tables import TABLES

from swapmeet import Study

EVERYDAY = ("tiny", "constants", "codes", "copied_names", "moved_homes", "panel")
NOTHING = {"one_column", "all_the_same", "one_row"}
NOT_READ = {"headless"}


def follow(swapmeet, file, *options):
    """The words of the command that inspect ends with; none where there is nothing to mask."""
    run = swapmeet("inspect", file, *options)
    assert run.code == 0, run.err
    *_, last = run.out.strip().splitlines()
    program, *words = shlex.split(last)
    return words if program == "swapmeet" else []


def read_run_file(path):
    return tomllib.loads(path.with_name(f"{path.name}.run.toml").read_text())


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", [
    name if name in EVERYDAY else pytest.param(name, marks=pytest.mark.slow)
    for name in TABLES if name not in NOT_READ
])  # fmt: skip
def test_the_proposed_command_runs_and_so_does_its_short_form(swapmeet, desk, name):
    file = TABLES[name](desk)
    words = follow(swapmeet, file)
    assert (not words) == (name in NOTHING)
    if not words or "#" in words[2]:
        assert not words or swapmeet(*words).code == 0
        return
    run = swapmeet(*words)
    assert run.code == 0, run.err
    few = words[words.index("--k") :][:2] if "--k" in words else []
    short = swapmeet("mask", file, f"short_{words[2]}", "--method", "matched-swap",
                     "--as-inspected", *few)  # fmt: skip
    assert short.code == 0, short.err
    assert read_run_file(desk / f"short_{words[2]}") == read_run_file(desk / words[2])
    again = swapmeet("mask", file, f"again_{words[2]}", "--config", f"short_{words[2]}.run.toml")
    assert again.code == 0, again.err


def test_options_of_inspect_stand_in_what_it_proposes(swapmeet, desk):
    file = TABLES["headless"](desk)
    assert swapmeet("inspect", file).code == 3
    words = follow(swapmeet, file, "--no-header", "--sensitive", "column_1", "--encoding", "cp1252")
    assert {"--no-header", "--sensitive", "column_1", "cp1252"} <= {*words}
    run = swapmeet(*words, "--json")
    assert run.code == 0
    roles = {column["name"]: column["role"] for column in run.json["columns"]}
    assert roles["column_1"] == "sensitive"


def test_options_win_over_what_was_inspected(swapmeet, desk):
    file = TABLES["moved_homes"](desk)
    command = ("mask", file, "out.csv", "--method", "matched-swap", "--as-inspected")
    run = swapmeet(
        *command,
        "--keep",
        "hhid",
        "--publish",
        "hhid",
        "--key",
        "wage",
        "--missing",
        "region:8,9",
        "--json",
    )
    columns = {column["name"]: column["role"] for column in run.json["columns"]}
    assert (columns["hhid"], columns["wage"]) == ("keep", "key")
    assert read_run_file(desk / "out.csv")["columns"]["region"]["missing"] == [8, 9]
    assert not [note for note in run.json["notes"] if note.startswith("--household")]
    assert [note for note in run.json["notes"] if note.startswith("--together area,area_class")]


def test_words_among_numbers_are_read_as_missing(swapmeet, desk):
    file = TABLES["codes"](desk)
    run = swapmeet("mask", file, "out.csv", "--method", "matched-swap", "--as-inspected", "--json")
    kinds = {column["name"]: column["kind"] for column in run.json["columns"]}
    assert kinds["income"] == "numeric"
    before, after = (pd.read_csv(one, keep_default_na=False) for one in (file, "out.csv"))
    assert (after["income"] == "n/a").sum() == (before["income"] == "n/a").sum() > 0


@pytest.mark.parametrize("options", [("--memory", "1GB"), ("--engine", "spark")])
def test_a_table_that_is_not_at_hand_is_refused_at_once(swapmeet, desk, options):
    run = swapmeet("mask", "no.csv", "out.csv", "--method", "rwn", "--as-inspected", *options)
    assert run.code == 2
    assert "--config" in run.err


def test_a_study_has_settled_what_was_inspected(swapmeet, desk):
    run = swapmeet("mask", "no.csv", "out.csv", "--from", "no.jsonl", "--as-inspected")
    assert run.code == 2
    assert "--as-inspected" in run.err


@pytest.mark.slow
@pytest.mark.parametrize("name", ["relatives", "exceptions", "places"])
def test_a_search_tries_what_was_inspected_and_nothing_fails(swapmeet, desk, name):
    file = TABLES[name](desk)
    methods = ("--methods", "matched-swap:k=5|10|25,rwn:k=5", "--limit", "none")
    run = swapmeet("tune", file, "--as-inspected", *methods, "--repeats", "1", "--json")
    assert run.code == 0, run.err
    assert [note for note in run.json["notes"] if "as inspected" in note]
    assert ", 0 failed" in repr(Study.load(run.json["journal"]))


def test_a_word_among_numbers_hides_no_sum(swapmeet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    parts = pd.DataFrame(rng.integers(100, 9_000, (200, 2)), columns=["energy", "material"])
    frame = parts.assign(inputs=parts.sum(axis=1)).astype(object)
    frame.loc[[3, 9, 40], "energy"] = "n/a"
    frame.to_csv("books.csv", index=False)
    words = follow(swapmeet, "books.csv")
    assert words[-4:] == ["--derive", "inputs = energy + material", "--missing", "energy:n/a"]
    for ask in (
        words,
        ["mask", "books.csv", "b.csv", "--method", "matched-swap", "--as-inspected"],
    ):
        run = swapmeet(*ask)
        assert run.code == 0, run.err
        assert "inputs was computed anew" in run.out
        assert "seems to follow" not in run.out


def test_codes_of_all_columns_and_words_that_are_found_go_together(swapmeet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ages, pays = [20 + n % 19 for n in range(60)], [str(100 * (n % 23)) for n in range(60)]
    table = pd.DataFrame({"age": [*ages, -9], "pay": [*pays, "n/a"]})
    table.to_csv("people.csv", index=False)
    run = swapmeet("mask", "people.csv", "b.csv", "--method", "matched-swap", "--missing", "-9",
                   "--as-inspected")  # fmt: skip
    assert run.code == 0, run.err
    assert pd.read_csv("b.csv", na_values=["n/a", "-9"]).isna().sum().to_list() == [1, 1]
