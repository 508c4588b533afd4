from __future__ import annotations

import tomllib

import numpy as np
import pandas as pd
import pytest

from swapmeet.methods import MatchedSwap, make
from swapmeet.release.audit import AuditRecord

ODD = ["a.b", 'say "hi"', "Größe", "", "x,y", " two words ", "it's", "[table]", "# no", "a=b",
       "line\nend", "back\\slash", "\t", "日本", "null"]  # fmt: skip


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def stored(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))


def test_releases_that_differ_in_their_format_only_have_a_run_file_each(swapmeet, people, out):
    for name, k in (("o.csv", "3"), ("o.parquet", "4")):
        ask = ("--method", "rwn", "--k", k, "--drop", "name", "--publish", "weight")
        assert swapmeet("mask", people, out / name, *ask).code == 0
    assert files_in(out) == ["o.csv", "o.csv.run.toml", "o.parquet", "o.parquet.run.toml"]
    assert stored(out / "o.csv.run.toml")["method"]["k"] == 3
    assert stored(out / "o.parquet.run.toml")["method"]["k"] == 4


def test_run_file_alone_repeats_the_run(swapmeet, people, out):
    ask = ("--method", "rwn", "--k", "7", "--eps", "0.1", "--q", "0.8", "--ties", "all",
           "--weights", "sex=0.05,region=0.2", "--drop", "name", "--keep", "weight",
           "--strata", "region", "--sensitive", "income", "--ordinal", "age",
           "--keep-order", "--weights", "sex=0.05")  # fmt: skip
    assert swapmeet("mask", people, out / "o.csv", *ask, "--seed", "3").code == 0
    again = ("--config", out / "o.csv.run.toml", "--seed", "3")
    assert swapmeet("mask", people, out / "p.csv", *again).code == 0
    assert (out / "o.csv").read_bytes() == (out / "p.csv").read_bytes()
    assert stored(out / "o.csv.run.toml") == stored(out / "p.csv.run.toml")


def test_run_file_and_audit_record_have_all_settings_of_matched_swapping(swapmeet, people, out):
    ask = ("--method", "matched-swap", "--k", "4", "--by", "tree", "--cap", "0.5", "--order",
           "squares", "--weights", "sex=0.05", "--drop", "name", "--block-rows", "20")  # fmt: skip
    secret = ("--audit", out / "o.npz", "--seed", "3")
    assert swapmeet("mask", people, out / "o.csv", *ask, *secret).code == 0
    again = ("--config", out / "o.csv.run.toml", "--seed", "3")
    assert swapmeet("mask", people, out / "p.csv", *again).code == 0
    assert (out / "o.csv").read_bytes() == (out / "p.csv").read_bytes()
    method = MatchedSwap(k=4, by="tree", cap=0.5, order="squares", weights={"sex": 0.05})
    kept = AuditRecord.load(out / "o.npz").method
    assert make(kept.name, kept.settings) == method
    told = stored(out / "p.csv.run.toml")["method"]
    assert told == {"name": "matched-swap"} | method.settings()


def test_run_file_tells_everything_but_secrets(swapmeet, people, out):
    ask = ("--method", "rwn", "--drop", "name", "--delimiter", ",", "--encoding", "utf-8")
    assert swapmeet("mask", people, out / "o.csv", *ask, "--seed", "812345678901").code == 0
    told = stored(out / "o.csv.run.toml")
    assert "name" not in told["columns"]
    assert told["columns"]["age"] == {"kind": "numeric", "role": "key"}
    assert told["input"] == {"delimiter": ",", "encoding": "utf-8"}
    assert told["output"] == {"keep_order": False, "drop_unnamed": True}
    assert told["method"]["name"] == "rwn"
    assert set(told) == {"swapmeet", "columns", "input", "output", "method"}
    assert "812345678901" not in (out / "o.csv.run.toml").read_text()


def test_the_run_file_does_not_name_dropped_columns_and_still_drops_them(swapmeet, tmp_path, out):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"hiv_status": rng.integers(0, 2, 50), "age": rng.integers(1, 90, 50)})
    frame.assign(wage=rng.normal(size=50)).to_csv(tmp_path / "a.csv", index=False)
    ask = ("--method", "rwn", "--seed", "1")
    first = swapmeet("mask", tmp_path / "a.csv", out / "o.csv", *ask, "--drop", "hiv_status")
    assert first.code == 0, first.err
    assert "hiv" not in (out / "o.csv.run.toml").read_text()
    again = ("--config", out / "o.csv.run.toml", "--seed", "1", "--json")
    run = swapmeet("mask", tmp_path / "a.csv", out / "p.csv", *again)
    assert (out / "p.csv").read_bytes() == (out / "o.csv").read_bytes()
    assert "1 column is not named in the run file, and dropped." in run.json["notes"]
    back = ("--config", out / "o.csv.run.toml", "--key", "hiv_status")
    assert swapmeet("mask", tmp_path / "a.csv", out / "q.csv", *back).code == 0
    assert "hiv_status" in (out / "q.csv").read_text()
    assert swapmeet("assess", tmp_path / "a.csv", out / "o.csv", "--limit", "none").code == 0


def test_a_run_file_of_old_names_dropped_columns_and_leaves_others_as_guessed(
    swapmeet, people, out
):
    config = out / "old.toml"
    config.write_text('[method]\nname = "rwn"\n[columns]\nname.role = "drop"\n')
    assert swapmeet("mask", people, out / "o.csv", "--config", config).code == 0
    header = (out / "o.csv").read_text().splitlines()[0].split(",")
    assert "name" not in header
    assert "age" in header


def test_options_win_over_the_run_file(swapmeet, people, out):
    config = out / "c.toml"
    config.write_text(
        '[method]\nname = "rwn"\nk = 7\nq = 0.5\n[output]\nkeep_order = true\n'
        '[columns]\nname.role = "drop"\nage.role = "keep"\n'
    )
    run = swapmeet(
        "mask", people, out / "o.csv", "--config", config, "--json",
        "--k", "3", "--key", "age", "--random-order",
    )  # fmt: skip
    assert run.code == 0, run.err
    assert run.json["settings"]["k"] == 3
    assert run.json["settings"]["q"] == 0.5
    assert run.json["keep_order"] is False
    roles = {column["name"]: column["role"] for column in run.json["columns"]}
    assert roles["age"] == "key"
    assert "name" not in roles


def test_another_method_does_not_inherit_parameters(swapmeet, people, out):
    config = out / "c.toml"
    config.write_text('[method]\nname = "rwn"\nk = 7\n')
    ask = ("--config", config, "--method", "nbrs", "--eps", "20", "--json", "--drop", "name")
    run = swapmeet("mask", people, out / "o.csv", *ask)
    assert run.json["method"] == "nbrs"
    assert "k" not in run.json["settings"]


def test_parameters_without_a_name_are_for_the_method_that_is_given(swapmeet, people, out):
    config = out / "c.toml"
    config.write_text("[method]\nk = 7\n")
    ask = ("--config", config, "--method", "rwn", "--json", "--drop", "name")
    assert swapmeet("mask", people, out / "o.csv", *ask).json["settings"]["k"] == 7


def test_odd_names_survive(swapmeet, tmp_path, out):
    source = tmp_path / "odd.csv"
    frame = pd.DataFrame({name: [(n * (at + 3)) % 17 for n in range(40)]
                          for at, name in enumerate(ODD)})  # fmt: skip
    frame.to_csv(source, index=False)
    names = [name if name.strip() else f"column_{place}" for place, name in enumerate(ODD, 1)
             if name != "x,y"]  # fmt: skip
    ask = ("--method", "rwn", "--seed", "2", "--keep", "column_4", "--drop", "x,y",
           "--strata", "a.b")  # fmt: skip
    run = swapmeet("mask", source, out / "o.csv", *ask, "--k", "1")
    assert run.code == 0, run.err
    columns = stored(out / "o.csv.run.toml")["columns"]
    assert list(columns) == names
    assert [columns[name]["role"] for name in ("column_4", "a.b")] == ["keep", "strata"]
    again = ("--config", out / "o.csv.run.toml", "--seed", "2")
    assert swapmeet("mask", source, out / "p.csv", *again).code == 0
    assert (out / "o.csv").read_bytes() == (out / "p.csv").read_bytes()
    assert list(pd.read_csv(out / "o.csv", nrows=0, keep_default_na=False)) == names


def test_different_methods_for_different_columns_survive(swapmeet, people, out):
    config = out / "c.toml"
    config.write_text(
        '[method]\nname = "per-column"\n'
        '[[method.parts]]\nname = "rwn"\ncolumns = ["age", "sex"]\nk = 4\nweights = {sex = 0.1}\n'
        '[[method.parts]]\nname = "nbrs"\ncolumns = ["income"]\neps = 0.5\n'
        '[columns]\nname.role = "drop"\n'
    )
    ask = ("--seed", "3", "--audit", out / "a", "--keep-order")
    run = swapmeet("mask", people, out / "o.csv", "--config", config, *ask)
    assert run.code == 0, run.err
    record = AuditRecord.load(out / "a")
    moved = dict(zip(record.columns, record.moved.any(axis=0), strict=True))
    assert moved == {"age": True, "sex": True, "income": True, "region": False, "weight": False}
    again = ("--config", out / "o.csv.run.toml", "--seed", "3")
    assert swapmeet("mask", people, out / "p.csv", *again).code == 0
    assert (out / "o.csv").read_bytes() == (out / "p.csv").read_bytes()
    assert stored(out / "o.csv.run.toml") == stored(out / "p.csv.run.toml")


def test_a_run_file_may_be_replaced_by_its_own_run(swapmeet, people, out):
    ask = ("--method", "rwn", "--k", "4", "--publish", "name")
    assert swapmeet("mask", people, out / "o.csv", *ask).code == 0
    again = ("--config", out / "o.csv.run.toml", "--overwrite", "--k", "6")
    assert swapmeet("mask", people, out / "o.csv", *again).code == 0
    assert stored(out / "o.csv.run.toml")["method"]["k"] == 6


def test_inspect_takes_a_run_file(swapmeet, people, out):
    assert swapmeet("mask", people, out / "o.csv", "--method", "rwn", "--drop", "name").code == 0
    run = swapmeet("inspect", people, "--config", out / "o.csv.run.toml", "--json")
    assert run.json["columns"][0]["role"] == "drop"


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("k = 5", 3, "unknown section 'k'"),
        ("[methd]\nname = 'rwn'", 3, "did you mean 'method'?"),
        ("method = 3", 3, "[method] must be a table"),
        ("[method]\nname = 3", 3, "`name` must be text"),
        ("[method]\nname = 'rwm'", 2, "did you mean 'rwn'?"),
        ("[method]\nname = 'rwn'\nkk = 5", 2, "no parameter 'kk'; did you mean 'k'?"),
        ("[method]\nname = 'rwn'\nk = true", 2, "`k` must be a whole number"),
        ("[method]\nname = 'rwn'\nk = [1]", 2, "`k` must be a whole number"),
        ("[method]\nname = 'rwn'\nweights = [1]", 2, "`weights` must be in [0, 1e+06]"),
        ("[method]\nname = 'per-column'\nparts = 3", 2, "a list of tables"),
        ("[method]\nname = 'per-column'\nparts = [3]", 2, "`name` and a list of `columns`"),
        ("[method]\nname = 'per-column'\nparts = []", 2, "at least one"),
        (
            "[[method.parts]]\nname = 'rwn'\ncolumns = ['agee']\n[method]\nname = 'per-column'",
            3,
            "did you mean 'age'?",
        ),
        ("[input]\ndelimiter = 5", 3, "`delimiter` must be text in quotes"),
        ("[input]\ndelimeter = ';'", 3, "did you mean 'delimiter'?"),
        ("[output]\nkeep_order = 'no'", 3, "`keep_order` must be true or false"),
        ("[columns]\nagee.role = 'drop'\n[method]\nname = 'rwn'", 3, "did you mean 'age'?"),
        ("[columns]\nage.role = 'drob'\n[method]\nname = 'rwn'", 3, "role must be one of"),
        ("[columns]\nage.rule = 'drop'\n[method]\nname = 'rwn'", 3, "did you mean 'role'?"),
        ("[columns]\nage = 'drop'\n[method]\nname = 'rwn'", 3, "give a table such as"),
        ("[method", 3, "not valid TOML"),
    ],
)
def test_a_wrong_run_file_is_refused_with_a_hint(
    swapmeet, people, out, tmp_path, text, code, words
):
    config = tmp_path / "c.toml"
    config.write_text(text)
    run = swapmeet("mask", people, out / "o.csv", "--config", config, "--publish", "name")
    assert run.code == code, run.said
    assert words in run.err
    assert files_in(out) == []
