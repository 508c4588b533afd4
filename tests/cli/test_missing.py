"""Codes and words that stand for a missing value, as users meet and declare them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

N = 300


def make_answers():
    """Numbers with words among them, a code far from all others, and a 9 that is a category."""
    rng = np.random.default_rng(5)
    score = rng.integers(0, 200, N).astype(object)
    score[[7, 9, 50]] = "n/a", "n/a", "refused"
    bound = rng.integers(20, 60, N).astype(object)
    bound[[3, 4]] = "over 60"
    seen = pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 9_000, N), "D")
    return pd.DataFrame({
        "age": rng.integers(18, 90, N),
        "income": np.where(rng.random(N) < 0.1, -9, rng.integers(800, 9_000, N)),
        "walls": rng.choice([2, 3, 9], N),
        "score": score,
        "bound": bound,
        "seen": seen.strftime("%m/%d/%Y"),
    })  # fmt: skip


@pytest.fixture
def answers(tmp_path):
    make_answers().to_csv(tmp_path / "answers.csv", index=False)
    return tmp_path / "answers.csv"


def test_inspect_proposes_what_stands_for_a_missing_value_and_nothing_else(swapmeet, answers):
    found = swapmeet("inspect", answers, "--json").json["findings"]
    told = {one["columns"][0]: one for one in found}
    assert told["income"]["options"] == ["--missing", "income:-9"]
    assert told["score"]["options"] == ["--missing", "score:n/a,refused"]
    assert told["score"]["rows"] == 3
    assert "read as categories" in told["score"]["reason"]
    assert "walls" not in told
    assert told["bound"]["about"] == "numbers, and words in 2 rows, read as text"
    assert told["bound"]["options"] == []
    assert told["seen"]["about"] == "dates (month/day/year), read as text"


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")])
def test_words_declared_missing_leave_a_column_of_numbers_and_come_out_again(
    swapmeet, answers, tmp_path, memory
):
    out = tmp_path / "out.csv"
    done = swapmeet("mask", answers, out, "--method", "rank-swap", "--window", ".2",
                    "--json", *memory, "--keep", "walls,seen,bound",
                    "--missing", "score:n/a,refused")  # fmt: skip
    assert {one["name"]: one for one in done.json["columns"]}["score"]["kind"] == "numeric"
    assert not any("missing:" in note for note in done.json["notes"])
    words = pd.read_csv(out, keep_default_na=False).score.value_counts()
    assert (words["n/a"], words["refused"]) == (2, 1)
    again = swapmeet("mask", answers, tmp_path / "b.csv", "--config", f"{out}.run.toml", "--json")
    assert {one["name"]: one for one in again.json["columns"]}["score"]["kind"] == "numeric"


def test_a_column_and_its_code_joined_by_an_equals_sign_are_refused(swapmeet, answers, tmp_path):
    run = swapmeet("mask", answers, tmp_path / "b.csv", "--method", "rwn",
                   "--missing", "income=-9")  # fmt: skip
    assert run.code == 3
    assert "write income:-9." in " ".join(run.err.split())
    assert swapmeet("inspect", answers, "--missing", "income=-9").code == 3


@pytest.mark.parametrize("memory", [(), ("--memory", "1GB")])
def test_a_code_that_never_occurs_is_told(swapmeet, answers, tmp_path, memory):
    run = swapmeet("mask", answers, tmp_path / "b.csv", "--method", "rwn", "--json", *memory,
                   "--missing", "income:-9,-7", "--missing", "age:-9")  # fmt: skip
    said = [note for note in run.json["notes"] if note.startswith("missing:")]
    assert said == [
        f"missing: the code {code} occurs in no row of column '{name}'. Check it, or leave it out."
        for name, code in (("age", -9), ("income", -7))
    ]


def test_a_code_of_all_columns_is_told_only_if_none_has_it(swapmeet, answers):
    notes = swapmeet("inspect", answers, "--missing", "-9,-77", "--json").json["notes"]
    (told,) = [note for note in notes if note.startswith("missing:")]
    assert "the code -77 occurs in no row of any column" in told
