from __future__ import annotations

import csv
import hashlib
import os
import tomllib
import warnings

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from modes import is_private

import swapmeet as sm
from swapmeet.base.atomic import Transaction
from swapmeet.release.audit import AuditRecord

RWN = ("--method", "rwn", "--k", "5", "--weights", "0.1")
PUBLISHED = (*RWN, "--publish", "name")


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_file_goes_in_and_a_release_comes_out(swapmeet, people, out, table):
    run = swapmeet("mask", people, out / "o.csv", *RWN, "--drop", "name", "--keep", "weight")
    assert (run.code, run.err) == (0, "")
    assert files_in(out) == ["o.csv", "o.csv.run.toml"]
    released = rows_of(out / "o.csv")
    assert len(released) == len(table)
    assert list(released[0]) == ["age", "sex", "income", "region", "weight"]
    original = rows_of(people)
    for name in ("age", "sex", "income", "region"):
        assert {row[name] for row in released} <= {row[name] for row in original}
    assert [row["age"] for row in released] != [row["age"] for row in original]


def test_input_is_never_touched(swapmeet, people, out):
    before = hashlib.sha256(people.read_bytes()).hexdigest(), people.stat().st_mtime_ns
    assert swapmeet("mask", people, out / "o.csv", *PUBLISHED).code == 0
    assert (hashlib.sha256(people.read_bytes()).hexdigest(), people.stat().st_mtime_ns) == before
    assert files_in(people.parent) == ["people.csv"]


def test_rows_come_in_random_order(swapmeet, people, out):
    assert swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--keep", "name").code == 0
    released = [row["name"] for row in rows_of(out / "o.csv")]
    original = [row["name"] for row in rows_of(people)]
    assert released != original
    assert sorted(released) == sorted(original)


def test_kept_order_keeps_kept_columns_byte_for_byte(swapmeet, out, tmp_path):
    source = tmp_path / "odd.csv"
    lines = ['"id ""x""",zip,num,age', *(f'"a ""{n}""",0{n:04d},{n}.50,{n % 7}' for n in range(30))]
    source.write_text("\r\n".join(lines) + "\r\n", newline="")
    ask = ("--keep", 'id "x"', "--keep", "zip,num", "--keep-order", "--publish", 'id "x"')
    assert swapmeet("mask", source, out / "o.csv", *RWN, *ask).code == 0
    released = (out / "o.csv").read_bytes().split(b"\r\n")
    original = source.read_bytes().split(b"\r\n")
    assert [line.rpartition(b",")[0] for line in released] == [
        line.rpartition(b",")[0] for line in original
    ]
    assert released != original


def test_two_runs_differ_and_one_seed_repeats(swapmeet, people, out):
    def release(*options):
        assert (
            swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--overwrite", *options).code == 0
        )
        return (out / "o.csv").read_bytes()

    assert release() != release()
    assert release("--seed", "5") == release("--seed", "5", "--threads", "1")
    assert release("--seed", "5") != release("--seed", "6")


def test_a_chosen_seed_is_called_unfit_for_publication(swapmeet, people, out):
    run = swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--seed", "5")
    assert "not for publication" in " ".join(run.out.split())
    run = swapmeet("mask", people, out / "p.csv", *PUBLISHED, "--seed", "5", "--json")
    assert run.json["reproducible"] is True


@pytest.mark.parametrize("order", ["--keep-order", "--random-order"])
def test_audit_record_maps_the_release_to_the_input(swapmeet, people, out, order):
    audit = out / "secret" / "a.audit"
    audit.parent.mkdir()
    ask = ("--keep", "name", "--drop", "weight", "--audit", audit, order)
    assert swapmeet("mask", people, out / "o.csv", *PUBLISHED, *ask).code == 0
    assert is_private(audit)
    record = AuditRecord.load(audit)
    released, original = rows_of(out / "o.csv"), rows_of(people)
    assert record.columns == ("name", "age", "sex", "income", "region")
    moved = 0
    for row, owner in zip(released, record.owner, strict=True):
        assert row["name"] == original[owner]["name"]
        for name, donor in zip(record.columns, record.donors[owner], strict=True):
            assert row[name] == original[donor][name]
            moved += donor != owner
    assert moved > len(released)


def test_strata_are_never_left(swapmeet, people, out):
    ask = ("--strata", "region", "--keep-order", "--audit", out / "a")
    assert swapmeet("mask", people, out / "o.csv", *PUBLISHED, *ask).code == 0
    record, region = AuditRecord.load(out / "a"), pd.read_csv(people)["region"].to_numpy()
    assert (region[record.donors] == region[:, np.newaxis]).all()


def test_json_tells_what_was_made(swapmeet, people, out):
    ask = ("--drop", "name", "--keep", "weight", "--sensitive", "income", "--audit", out / "a")
    run = swapmeet("mask", people, out / "o.csv", *RWN, "--json", *ask)
    assert run.err == ""
    told = run.json
    assert told["release"] == str(out / "o.csv")
    assert told["run_file"] == str(out / "o.csv.run.toml")
    assert told["audit"] == str(out / "a")
    assert told["rows"] == 60
    assert (told["method"], told["settings"]["k"]) == ("rwn", 5)
    assert told["reproducible"] is told["keep_order"] is False
    columns = {column["name"]: column for column in told["columns"]}
    assert list(columns) == ["age", "sex", "income", "region", "weight"]
    assert columns["income"]["role"] == "sensitive"
    assert 0.5 < columns["age"]["moved"] <= 1
    assert "moved" not in columns["weight"]


def test_quiet_says_nothing(swapmeet, people, out):
    assert swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--quiet").said == ""


def test_weights_and_negative_numbers_are_parsed(swapmeet, people, out):
    ask = ("--method", "rwn", "--weights", "sex=0.05, region=0.5,age=2", "--drop", "name")
    run = swapmeet("mask", people, out / "o.csv", *ask, "--json")
    assert run.json["settings"]["weights"] == {"sex": 0.05, "region": 0.5, "age": 2.0}
    run = swapmeet("mask", people, out / "p.csv", "--method", "rwn", "--eps", "-1")
    assert run.code == 2
    assert "`eps` must be a finite number, 0 or more" in run.err


def test_an_identifier_is_refused_until_it_is_dropped_or_published(swapmeet, people, out):
    ask = ("mask", people, out / "o.csv", *RWN, "--audit", out / "a")
    for role in ((), ("--keep", "name"), ("--sensitive", "name")):
        run = swapmeet(*ask, *role)
        assert run.code == 3
        assert "column 'name' looks like a direct identifier: " in run.err
        assert "--drop name" in run.err
        assert "--publish name" in run.err
        assert "person-" not in run.err
        assert files_in(out) == []
    notes = swapmeet(*ask, "--json", "--publish", "name").json["notes"]
    assert any("'name'" in note and "published as asked" in note for note in notes)
    notes = swapmeet(*ask, "--json", "--drop", "name", "--overwrite").json["notes"]
    assert not any("'name'" in note for note in notes)


def test_a_run_file_that_published_a_column_does_so_again(swapmeet, people, out):
    assert swapmeet("mask", people, out / "o.csv", *PUBLISHED).code == 0
    assert "publish = true" in (out / "o.csv.run.toml").read_text()
    assert swapmeet("mask", people, out / "p.csv", "--config", out / "o.csv.run.toml").code == 0
    again = ("--config", out / "p.csv.run.toml", "--drop", "name")
    assert swapmeet("mask", people, out / "q.csv", *again).code == 0
    assert "name" not in rows_of(out / "q.csv")[0]


def test_a_column_is_not_dropped_and_published(swapmeet, people, out):
    run = swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--drop", "name")
    assert run.code == 3
    assert "'name' is to be dropped and to be published" in run.err


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_identifier_is_refused_in_files_larger_than_memory(swapmeet, table, out, suffix):
    source, target = out / f"people.{suffix}", out / f"o.{suffix}"
    table.to_csv(source, index=False) if suffix == "csv" else table.to_parquet(source)
    ask = ("mask", source, target, *RWN, "--memory", "1GB", "--audit", out / "a")
    run = swapmeet(*ask)
    assert run.code == 3
    assert "column 'name'" in run.err
    assert files_in(out) == [source.name]
    assert swapmeet(*ask, "--publish", "name").code == 0


def test_the_text_fits_80_columns_but_for_names_of_files(swapmeet, people, out):
    lines = swapmeet("mask", people, out / "o.csv", *PUBLISHED).out.splitlines()
    assert max(len(line) for line in lines if str(out) not in line) <= 80
    assert not any("\x1b" in line for line in lines)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "xlsx", "csv.gz", "tsv"])
def test_the_suffix_decides_the_format(swapmeet, people, out, suffix):
    target = out / f"o.v2.{suffix}"
    assert swapmeet("mask", people, target, *RWN, "--drop", "name").code == 0
    assert files_in(out) == [target.name, f"{target.name}.run.toml"]
    assert swapmeet("inspect", target, "--json").json["rows"] == 60


def test_a_tabulator_can_be_written_as_people_write_it(swapmeet, people, out, table):
    table.to_csv(people, index=False, sep="\t")
    for number, delimiter in enumerate(["tab", "\\t", "\t"]):
        ask = ("--delimiter", delimiter, "--json")
        run = swapmeet("mask", people, out / f"{number}.csv", *PUBLISHED, *ask)
        assert len(run.json["columns"]) == 6


def test_all_missing_and_constant_columns_are_fine(swapmeet, people, out, table):
    table.assign(nothing=None, one="same").to_csv(people, index=False)
    run = swapmeet("mask", people, out / "o.csv", *PUBLISHED)
    assert (run.code, run.err) == (0, "")
    released = rows_of(out / "o.csv")
    assert {row["nothing"] for row in released} == {""}
    assert {row["one"] for row in released} == {"same"}


def test_lonely_records_are_reported(swapmeet, people, out):
    nbrs = ("mask", people, out / "o.csv", "--method", "nbrs", "--drop", "name,weight", "--eps")
    refused = swapmeet(*nbrs, "0.001")
    assert refused.code == 2
    assert "nbrs: 60 of 60 records have no neighbour" in " ".join(refused.err.split())
    assert not (out / "o.csv").exists()
    run = swapmeet(*nbrs, "0.3")
    assert run.code == 0
    assert "suppressed" in run.out
    assert "have no neighbour" in " ".join(run.out.split())


@pytest.mark.parametrize("suffix", ["sav", "dta"])
def test_labels_and_missing_codes_survive(swapmeet, out, tmp_path, suffix):
    n = 400
    frame = pd.DataFrame(
        {
            "age": np.arange(n) % 50 + 20.5,
            "sex": np.arange(n) % 2 + 1,
            "answer": (np.arange(n) % 5 + 1).astype(object if suffix == "dta" else int),
        }
    )
    labels = {"sex": {1: "female", 2: "male"}, "answer": {1: "never", 5: "always"}}
    texts = {"age": "Age in years", "sex": "Sex", "answer": "How often"}
    source = tmp_path / f"survey.{suffix}"
    if suffix == "sav":
        frame.loc[::10, "answer"] = 99
        pyreadstat.write_sav(
            frame, source, column_labels=texts, variable_value_labels=labels,
            missing_ranges={"answer": [99]}, variable_measure={"sex": "nominal"},
        )  # fmt: skip
        reader = pyreadstat.read_sav
    else:
        frame.loc[::10, "answer"] = "a"
        pyreadstat.write_dta(
            frame, source, column_labels=texts, variable_value_labels=labels,
            missing_user_values={"answer": ["a"]},
        )  # fmt: skip
        reader = pyreadstat.read_dta
    target = out / f"o.{suffix}"
    run = swapmeet("mask", source, target, *RWN, "--audit", out / "a")
    assert (run.code, run.err) == (0, "")
    before, told = reader(source, user_missing=True)
    after, says = reader(target, user_missing=True)
    assert says.column_names_to_labels == told.column_names_to_labels
    assert says.variable_value_labels == told.variable_value_labels
    assert says.missing_ranges == told.missing_ranges
    assert says.missing_user_values == told.missing_user_values
    assert says.readstat_variable_types == told.readstat_variable_types
    record = AuditRecord.load(out / "a")
    for at, name in enumerate(record.columns):
        donors = record.donors[record.owner, at]
        assert after[name].tolist() == before[name].take(donors).tolist()
    assert not after.equals(before)


@pytest.mark.parametrize("link", ["same", "symbolic", "hard", "dotted"])
@pytest.mark.parametrize("option", ["out", "audit"])
def test_the_input_is_never_an_output(swapmeet, people, out, link, option):
    path = people
    if link == "symbolic":
        path = out / "link.csv"
        path.symlink_to(people)
    elif link == "hard":
        path = out / "link.csv"
        os.link(people, path)
    elif link == "dotted":
        path = out / ".." / "input" / "people.csv"
    before = people.read_bytes()
    ask = (path,) if option == "out" else (out / "o.csv", "--audit", path)
    run = swapmeet("mask", people, *ask, *RWN, "--overwrite")
    assert run.code == 2
    assert "never overwritten" in run.err
    assert people.read_bytes() == before
    assert files_in(people.parent) == ["people.csv"]


@pytest.mark.parametrize("audit", ["o.csv", "o.csv.run.toml", "link", "config.toml"])
def test_outputs_are_different_files(swapmeet, people, out, audit):
    (out / "link").symlink_to(out / "o.csv")
    (out / "config.toml").write_text('[method]\nname = "rwn"\n')
    ask = ("--audit", out / audit, "--config", out / "config.toml", "--overwrite")
    run = swapmeet("mask", people, out / "o.csv", *ask)
    assert run.code == 2
    assert files_in(out) == ["config.toml", "link"]


@pytest.mark.parametrize("more", [(), ("--overwrite",)])
@pytest.mark.parametrize("held", ["o.csv", "o.csv.run.toml", "a"])
def test_a_second_run_to_the_same_place_is_refused_before_any_work(
    swapmeet, people, out, held, more
):
    other = Transaction()
    other.claim(out / held)
    run = swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--audit", out / "a", *more)
    other.close()
    assert run.code == 2
    assert f"{out / held}: another run is writing it" in run.err
    assert files_in(out) == []


def test_existing_files_stay_unless_overwriting_is_asked_for(swapmeet, people, out):
    for name in ("o.csv", "o.csv.run.toml", "a"):
        (out / name).write_text("old")
        run = swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--audit", out / "a")
        assert run.code == 2
        assert f"{out / name}: " in run.err
        assert "--overwrite" in run.err
        assert files_in(out) == [name]
        assert (out / name).read_text() == "old"
        (out / name).unlink()
    (out / "o.csv").write_text("old")
    assert swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--overwrite").code == 0
    assert (out / "o.csv").read_text() != "old"


def test_command_line_and_python_do_the_same(swapmeet, people, out, table):
    ask = ("--keep", "name", "--seed", "9", "--keep-order")
    assert swapmeet("mask", people, out / "o.csv", *PUBLISHED, *ask).code == 0
    read = pd.read_csv(people, dtype={"weight": str})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sm.SwapmeetWarning)
        schema = sm.Schema.infer(read).assign(keep=["name"])
        release = sm.mask(read, sm.RWN(k=5, weights=0.1), schema=schema, seed=9)
    pd.testing.assert_frame_equal(release.data, pd.read_csv(out / "o.csv", dtype={"weight": str}))


def test_a_table_can_be_masked_in_blocks_and_the_run_file_repeats_it(swapmeet, people, out):
    ask = ("--method", "rwn", "--k", "3", "--drop", "name", "--seed", "5", "--quiet")
    blocks = (*ask, "--block-rows", "20")
    assert swapmeet("mask", people, out / "a.csv", *blocks).code == 0
    assert swapmeet("mask", people, out / "b.csv", *ask).code == 0
    assert (out / "a.csv").read_bytes() != (out / "b.csv").read_bytes()
    assert "block_rows = 20" in (out / "a.csv.run.toml").read_text()
    again = ("--config", out / "a.csv.run.toml", "--seed", "5", "--quiet")
    assert swapmeet("mask", people, out / "c.csv", *again).code == 0
    assert (out / "c.csv").read_bytes() == (out / "a.csv").read_bytes()


def test_block_rows_must_be_a_number_of_rows(swapmeet, people, out):
    run = swapmeet("mask", people, out / "a.csv", "--method", "rwn", "--block-rows", "1")
    assert run.code == 2
    assert "`block_rows` must be a whole number, 2 or more" in run.err
    assert not (out / "a.csv").exists()


# a file of any size, piece by piece


@pytest.fixture
def parquet(people, table):
    path = people.parent / "people.parquet"
    table.to_parquet(path, row_group_size=13)
    return path


def in_pieces(swapmeet, parquet, out, *options):
    return swapmeet("mask", parquet, out / "o.parquet", *RWN, "--drop", "name", "--memory", "1GB",
                    *options)  # fmt: skip


def test_a_parquet_file_is_masked_piece_by_piece(swapmeet, parquet, out, table):
    run = in_pieces(swapmeet, parquet, out, "--block-rows", "20", "--audit", out / "a.npz")
    assert (run.code, run.err) == (0, "")
    assert files_in(out) == ["a.npz", "o.parquet", "o.parquet.run.toml"]
    released = pd.read_parquet(out / "o.parquet")
    assert list(released) == ["age", "sex", "income", "region", "weight"]
    assert len(released) == len(table)
    assert set(released["income"]) <= set(table["income"])
    assert list(released["income"]) != list(table["income"])
    assert "block_rows = 20" in (out / "o.parquet.run.toml").read_text()
    assert is_private(out / "a.npz")
    assert "masked in 3 blocks" in run.out


def test_block_rows_that_follow_from_the_memory_stand_in_the_run_file(
    swapmeet, parquet, out, monkeypatch
):
    run = in_pieces(swapmeet, parquet, out, "--overwrite")
    assert "block_rows = 1000000" in (out / "o.parquet.run.toml").read_text()
    assert "as many as" not in run.out
    monkeypatch.setattr("swapmeet.engines.files.needs.LEAST_BLOCK", 2)
    monkeypatch.setattr("swapmeet.engines.files.needs.PER_CELL", 2.5e6)
    run = swapmeet("mask", parquet, out / "o.parquet", "--method", "sjppds", "--drop", "name",
                   "--memory", "1GB", "--overwrite")  # fmt: skip
    assert (run.code, run.err) == (0, "")
    rows = tomllib.loads((out / "o.parquet.run.toml").read_text())["engine"]["block_rows"]
    assert 2 <= rows < 60
    assert f"blocks have about {rows} rows, as many as 1 GB of memory hold" in run.out


def test_pieces_give_the_release_of_the_whole(swapmeet, parquet, out):
    ask = ("--block-rows", "20", "--seed", "4", "--keep-order")
    assert in_pieces(swapmeet, parquet, out, *ask).code == 0
    again = ("--config", out / "o.parquet.run.toml", "--seed", "4")
    assert swapmeet("mask", parquet, out / "p.parquet", *again).code == 0
    one, two = (pd.read_parquet(out / name) for name in ("o.parquet", "p.parquet"))
    pd.testing.assert_frame_equal(one, two)
    assert (out / "o.parquet.run.toml").read_text() == (out / "p.parquet.run.toml").read_text()


def test_pieces_tell_what_they_did_as_json(swapmeet, parquet, out):
    told = in_pieces(swapmeet, parquet, out, "--json").json
    assert (told["rows"], told["method"], told["reproducible"]) == (60, "rwn", False)
    assert told["columns"][0]["name"] == "age"


def test_pieces_of_a_text_give_the_file_that_memory_does(swapmeet, people, out):
    ask = (*RWN, "--drop", "name", "--block-rows", "20", "--seed", "4", "--keep-order")
    assert swapmeet("mask", people, out / "o.csv", *ask, "--memory", "1GB").code == 0
    assert swapmeet("mask", people, out / "p.csv", *ask).code == 0
    assert (out / "o.csv").read_bytes() == (out / "p.csv").read_bytes()
    assert (out / "o.csv.run.toml").read_text() == (out / "p.csv.run.toml").read_text()


def test_pieces_of_other_files_are_refused(swapmeet, people, parquet, out):
    run = swapmeet("mask", parquet, out / "o.xlsx", *RWN, "--memory", "1GB")
    assert run.code == 2
    assert "cannot be masked piece by piece" in run.err
    run = in_pieces(swapmeet, parquet, out, "--delimiter", ";")
    assert (run.code, "does not apply" in run.err) == (2, True)
    run = in_pieces(swapmeet, parquet, out, "--memory", "lots")
    assert (run.code, "must be a size such as 4GB" in run.err) == (2, True)
    assert files_in(out) == []


def test_pieces_leave_nothing_behind_when_they_fail(swapmeet, parquet, out):
    run = in_pieces(swapmeet, parquet, out, "--block-rows", "4", "--audit", out / "a.npz")
    assert run.code == 3
    assert "in a block of" in run.err
    assert files_in(out) == []
