from __future__ import annotations

import shlex

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def town(tmp_path):
    """Six people. By sex and town: two alone (m A, f B), four in one pair each."""
    path = tmp_path / "town.csv"
    path.write_text("sex,town\nf,A\nf,A\nm,A\nf,B\nm,B\nm,B\n")
    return path


def test_uniqueness_by_hand(swapmeet, town):
    told = swapmeet("inspect", town, "--json").json
    assert told["rows"] == 6
    assert told["all_keys"] == {"columns": ["sex", "town"], "unique": 2, "small": 6}
    by_columns = {tuple(one["columns"]): one for one in told["risky"]}
    assert by_columns["sex",] == {"columns": ["sex"], "unique": 0, "small": 6}
    assert by_columns["sex", "town"]["unique"] == 2
    assert told["looked_at"] == told["combinations"] == 3
    text = " ".join(swapmeet("inspect", town).out.split())
    assert "All 2 keys together single out 2 rows (33.3 %)." in text
    assert "All 3 combinations of up to 3 keys were examined." in text


def test_only_keys_count(swapmeet, town):
    told = swapmeet("inspect", town, "--json", "--sensitive", "town").json
    assert told["all_keys"] == {"columns": ["sex"], "unique": 0, "small": 6}
    text = " ".join(swapmeet("inspect", town, "--sensitive", "town").out.split())
    assert "The only key singles out 0 rows (0 %)" in text
    told = swapmeet("inspect", town, "--json", "--keep", "town,sex").json
    assert told["all_keys"] is None
    assert "stands out" not in swapmeet("inspect", town, "--keep", "town,sex").out


def test_text_shows_kinds_and_counts_but_no_values(swapmeet, people, table):
    run = swapmeet("inspect", people)
    assert (run.code, run.err) == (0, "")
    for name in table:
        assert name in run.out
        if table[name].astype(str).str.len().min() > 5:
            assert not any(str(value) in run.out for value in table[name])
    assert "60 rows, 6 columns" in run.out
    assert max(map(len, run.out.splitlines()[:-1])) <= 80


def test_counts_of_missing_and_distinct_values(swapmeet, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,x\n2,\n2,y\n,x\n" * 3)
    columns = {c["name"]: c for c in swapmeet("inspect", path, "--json").json["columns"]}
    assert (columns["a"]["missing"], columns["a"]["distinct"]) == (3, 2)
    assert (columns["b"]["missing"], columns["b"]["distinct"]) == (3, 2)


def test_unused_categories_are_not_counted(swapmeet, tmp_path):
    path = tmp_path / "t.parquet"
    values = pd.Categorical(["a", "b"] * 5, categories=list("abcdef"))
    pd.DataFrame({"c": values}).to_parquet(path)
    assert swapmeet("inspect", path, "--json").json["columns"][0]["distinct"] == 2


def test_the_next_command_leaves_identifiers_out_and_works(swapmeet, people, tmp_path, monkeypatch):
    run = swapmeet("inspect", people)
    command = shlex.split(run.out.splitlines()[-1])
    assert command[command.index("--method") + 1] == "matched-swap"
    assert command[:3] == ["swapmeet", "mask", str(people)]
    assert command[command.index("--drop") + 1] == "name"
    monkeypatch.chdir(tmp_path)
    assert swapmeet(*command[1:]).code == 0


def test_what_looks_identifying_is_told(swapmeet, people):
    text = " ".join(swapmeet("inspect", people).out.split())
    assert "name: looks like a direct identifier" in text


def test_dropped_columns_are_counted_too(swapmeet, people):
    columns = swapmeet("inspect", people, "--drop", "name", "--json").json["columns"]
    assert columns[0]["distinct"] == 60


def test_values_that_do_not_compare_are_shown_without_a_count(swapmeet, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"age": [1, 2, 3], "visits": [[1], [2], None]}), path)
    for options in ((), ("--keep", "visits"), ("--drop", "visits")):
        run = swapmeet("inspect", path, "--json", *options)
        assert run.code == 0, run.err
        assert run.json["columns"][1]["distinct"] is None
        assert run.json["columns"][1]["missing"] == 1
        assert run.json["all_keys"]["columns"] == ["age"]
        assert "–" in swapmeet("inspect", path, *options).out


def test_a_table_without_rows_is_shown(swapmeet, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n")
    run = swapmeet("inspect", path)
    assert run.code == 0, run.err
    assert "0 rows, 2 columns" in run.out
    assert swapmeet("inspect", path, "--json").json["risky"] == []


def test_a_guessed_encoding_is_told(swapmeet, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("name,age\nJosé,3\nAna,4\n".encode("cp1252"))
    assert "read as cp1252" in " ".join(swapmeet("inspect", path).out.split())
    assert any("cp1252" in note for note in swapmeet("inspect", path, "--json").json["notes"])


@pytest.mark.slow
def test_hundreds_of_columns_are_bounded_work(swapmeet, tmp_path):
    path = tmp_path / "wide.parquet"
    rng = np.random.default_rng(0)
    pd.DataFrame({f"c{n:03d}": rng.integers(0, 4, 500) for n in range(400)}).to_parquet(path)
    told = swapmeet("inspect", path, "--json").json
    assert told["looked_at"] == 2_000
    assert told["combinations"] == 10_667_000
    assert told["all_keys"]["unique"] == 500
    text = " ".join(swapmeet("inspect", path).out.split())
    assert "2,000 of 10,667,000 combinations" in text


def test_long_and_odd_names_keep_the_table_whole(swapmeet, tmp_path):
    path = tmp_path / "t.parquet"
    names = ["n" * 200, "[red]x[/red]", "two\nlines", "", ":smile:", "\x1b[31mred"]
    pq.write_table(pa.table([list(range(20))] * len(names), names=names), path)
    run = swapmeet("inspect", path)
    assert run.code == 0
    read = [line for line in run.out.splitlines()[:-1] if not line.startswith("  --")]
    assert max(map(len, read)) <= 80
    assert "[red]x[/red]" in run.out
    assert "two\\nlines" in run.out
    assert ":smile:" in run.out
    assert "\x1b" not in run.out


def test_quiet_inspect_only_checks(swapmeet, people):
    assert swapmeet("inspect", people, "--quiet").said == ""


def test_json_tells_how_the_file_was_read_and_what_it_says_of_columns(swapmeet, town):
    told = swapmeet("inspect", town, "--json").json
    assert told["format"] == "delimited text"
    assert told["reading"] == {"header": True, "delimiter": ",", "encoding": "utf-8"}
    assert told["columns"][0] == {
        "name": "sex", "kind": "nominal", "role": "key", "reason": told["columns"][0]["reason"],
        "concern": None, "missing": 0, "distinct": 2, "type": "string", "label": None,
        "value_labels": {}, "missing_codes": None,
    }  # fmt: skip


def test_json_has_the_code_book_of_a_statistical_file(swapmeet, tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    people = pd.DataFrame(
        {"sex": [1.0, 2.0] * 15, "wage": [*np.linspace(7001.25, 9000, 28), -9, 8]}
    )
    pyreadstat.write_sav(
        people, tmp_path / "s.sav", column_labels={"wage": "Wage in euros"},
        variable_value_labels={"sex": {1.0: "male", 2.0: "female"}}, missing_ranges={"wage": [-9]},
    )  # fmt: skip
    run = swapmeet("inspect", tmp_path / "s.sav", "--json")
    sex, wage = run.json["columns"]
    assert (run.json["format"], run.json["reading"]) == ("SPSS", {})
    assert sex["value_labels"] == {"1": "male", "2": "female"}
    assert (wage["label"], wage["missing_codes"]) == ("Wage in euros", ["-9"])
    assert not [value for value in people["wage"] if f"{value:.2f}" in run.out]


def test_json_names_the_database_of_a_table(swapmeet, tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "t.db") as base:
        pd.DataFrame({"age": range(30)}).to_sql("people", base, index=False)
    base.close()
    told = swapmeet("inspect", f"sqlite:///{tmp_path}/t.db#people", "--json").json
    assert (told["format"], told["reading"]) == ("SQLite", {})
    assert told["columns"][0]["type"] == "int64"
