from __future__ import annotations

import errno
import gzip
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import swapmeet as sm
from swapmeet import io
from swapmeet.base import atomic as files
from swapmeet.cli import entry_point
from swapmeet.io.format import Format

RWN = ("--method", "rwn", "--k", "5")
PUBLISHED = (*RWN, "--publish", "name")


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def refused(swapmeet, out):
    """Mask into an empty folder and see that it is refused: one message, nothing left."""

    def check(file, *options, code, target="o.csv"):
        run = swapmeet("mask", file, out / target, *(options or RWN))
        assert run.code == code, run.said
        assert run.out == ""
        assert run.err.startswith("error: ")
        assert run.err.count("error:") == 1
        assert "Traceback" not in run.err
        assert files_in(out) == []
        return run.err

    return check


# wrong usage: whatever the data


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "which method"),
        (("--method", "rwm"), "did you mean 'rwn'?"),
        (("--method", "rwn", "--q", "5"), "`q` must be in [0, 1]"),
        (("--method", "rwn", "--k", "0"), "`k` must be a whole number, 1 or more"),
        (("--method", "rwn", "--k", "2.5"), "`k` must be a whole number, 1 or more"),
        (("--method", "rwn", "--k", "-3"), "`k` must be a whole number, 1 or more"),
        (("--method", "rwn", "--eps", "nan"), "`eps` must be a finite number"),
        (("--method", "rwn", "--scale", "log"), "`scale` must be one of unit, zscore"),
        (("--method", "rwn", "--weights", "sex"), "`weights` must be in [0, 1e+06]"),
        (("--method", "rwn", "--weights", "sex=-1"), "`weights` must be in [0, 1e+06]"),
        (("--method", "nbrs"), "`eps` must be given"),
        (("--method", "nbrs", "--k", "3"), "not of nbrs, which has --eps"),
        (("--method", "per-column"), "--config FILE"),
        (("--method", "per-column", "--parts", "3"), "--parts is an option of rwn"),
        (("--method", "rwn", "--seed", "x1"), "`seed` must be a whole number"),
        (("--method", "rwn", "--seed", "-1"), "`seed` must be a whole number"),
        (("--method", "rwn", "--threads", "0"), "`threads` must be a whole number, 1 or more"),
        (("--method", "rwn", "--delimiter", "ab"), "`delimiter` must be one ASCII character"),
        (("--method", "rwn", "--encoding", "utf-99"), "unknown encoding"),
        (("--method", "rwn", "--sheet", "x"), "`sheet` does not apply"),
    ],
)
def test_wrong_usage_ends_with_2(swapmeet, people, out, options, words):
    run = swapmeet("mask", people, out / "o.csv", *options)
    assert run.code == 2, run.said
    assert words in run.err
    assert run.err.count("error:") == 1
    assert files_in(out) == []


def test_usage_is_checked_before_the_file_is_read(swapmeet, out):
    for options in (("--method", "rwn", "--q", "5"), ("--method", "rwn", "--threads", "0")):
        assert swapmeet("mask", "no-such-file.csv", out / "o.csv", *options).code == 2


@pytest.mark.parametrize("name", ["o.foo", "o", "o.sas7bdat", ".csvx"])
def test_unknown_suffix_is_wrong_usage(refused, people, name):
    refused(people, code=2, target=name)


def test_missing_folder_is_wrong_usage(refused, people):
    assert "does not exist" in refused(people, code=2, target="no/such/o.csv")


def test_missing_folder_of_the_audit_record_is_wrong_usage(refused, people, out):
    options = (*RWN, "--audit", out / "no" / "a")
    assert "does not exist" in refused(people, *options, code=2)


def test_folder_as_a_file_is_wrong_usage(swapmeet, people, out):
    (out / "o.csv").mkdir()
    run = swapmeet("mask", people, out / "o.csv", *RWN, "--overwrite")
    assert run.code == 2
    assert "is a folder" in run.err


def test_a_name_that_is_too_long_is_wrong_usage(refused, people):
    refused(people, code=2, target="x" * 300 + ".csv")


def test_a_folder_without_permission_is_wrong_usage(refused, people, out, monkeypatch):
    allowed = os.access
    monkeypatch.setattr(files.os, "access", lambda p, mode: allowed(p, mode) and p != out)
    assert "no permission" in refused(people, code=2)


def test_devices_are_not_replaced(swapmeet, people, out):
    run = swapmeet("mask", people, out / "o.csv", *RWN, "--audit", "/dev/null", "--overwrite")
    assert run.code == 2
    assert "not an ordinary file" in run.err
    assert not Path("/dev/null").is_file()
    assert files_in(out) == []


# bad input: seen in the file


def test_missing_file_is_bad_input(refused, people):
    assert "no such file" in refused(people.with_name("peple.csv"), code=3)


def test_folder_is_bad_input(refused, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in refused(tmp_path / "folder.csv", code=3)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a,b\n1,2\n", "1 row"),
        (b"a,a\n1,2\n3,4\n", "'a' appears more than once"),
        (b"a,b\n1,2\n3\n", "line 3 has 1 cell, and the first line has 2"),
        (b"a,b\n1,2\x00\n", "is not a text, or not one in"),
        (b"\xef\xbb\xbfa,b\n1,\xff\n", "is not valid utf-8"),
        (b"a,b\n" + b"1,2\n" * 5, "`k` = 5 needs at least 6 rows"),
        (b"a,b\n" + b"1.5,2\ninf,3\n" * 9, "'a'"),
        (b"a,b\n" + b"1.5,2\n-inf,3\n" * 9, "'a'"),
    ],
)
def test_bad_text_is_bad_input(refused, tmp_path, content, words):
    file = tmp_path / "bad.csv"
    file.write_bytes(content)
    assert words in refused(file, code=3)


@pytest.mark.parametrize("rows", [0, 1])
def test_nbrs_needs_rows_too(refused, tmp_path, rows):
    file = tmp_path / "bad.csv"
    file.write_text("a,b\n" + "1,2\n" * rows)
    refused(file, "--method", "nbrs", "--eps", "1", code=3)


def test_wrong_encoding_is_bad_input(refused, tmp_path):
    file = tmp_path / "latin.csv"
    file.write_bytes("name,age\nJosé,3\n".encode("latin-1") * 9)
    assert "is not valid utf-8" in refused(file, *RWN, "--encoding", "utf-8", code=3)


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "sav", "dta", "xlsx", "csv.gz", "xpt"])
@pytest.mark.parametrize("damage", ["cut", "garbage", "empty"])
def test_damaged_files_are_bad_input(swapmeet, refused, tmp_path, table, suffix, damage):
    whole = tmp_path / f"whole.{suffix}"
    (tmp_path / "t.csv").write_text(table.drop(columns="name").to_csv(index=False))
    assert swapmeet("mask", tmp_path / "t.csv", whole, *RWN, "--quiet").code == 0
    content = whole.read_bytes()
    bad = tmp_path / f"bad.{suffix}"
    bad.write_bytes(
        {
            "cut": content[: len(content) * 6 // 10 // 80 * 80 + 7],
            "garbage": b"\x07gibberish" * 50,
            "empty": b"",
        }[damage]
    )
    assert str(bad) in refused(bad, code=3)


def test_an_arrow_file_whose_text_points_nowhere_is_bad_input(refused, tmp_path):
    file = tmp_path / "bad.arrow"
    io.write(file, pa.table({"a": ["four"] * 20, "b": list(range(20))}))
    content, whole = file.read_bytes(), struct.pack("<4i", 0, 4, 8, 12)
    assert content.count(whole) == 1
    file.write_bytes(content.replace(whole, struct.pack("<4i", 0, 4, 2_000_000_000, 12)))
    assert "not a readable Arrow file" in refused(file, code=3)


def test_unknown_columns_are_told_together_with_hints(refused, people):
    said = refused(people, *RWN, "--drop", "nmae", "--keep", "wieght,xyz", code=3)
    assert "no column 'nmae'; did you mean 'name'?" in said
    assert "no column 'wieght'; did you mean 'weight'?" in said
    assert "no column 'xyz'.\n" in said
    assert said.count("This table has name, age") == 1


def test_a_weight_for_an_unknown_column_is_bad_input(refused, people):
    assert "did you mean 'sex'?" in refused(people, *PUBLISHED, "--weights", "sexx=1", code=3)


def test_contradicting_roles_are_refused(refused, people):
    assert "given key and drop" in refused(people, *RWN, "--key", "age", "--drop", "age", code=3)


def test_text_cannot_be_numeric(refused, people):
    assert "cannot be numeric" in refused(people, *PUBLISHED, "--numeric", "sex", code=3)


def test_a_table_without_a_column_to_mask_is_bad_input(refused, people):
    said = refused(people, *PUBLISHED, "--keep", "name,age,sex,income,region,weight", code=3)
    assert "no column to mask" in said
    said = refused(people, *RWN, "--drop", "name,age,sex,income,region,weight", code=3)
    assert "no column to mask" in said


def test_a_stratum_that_is_too_small_is_named_by_number(refused, people, table):
    small = table.assign(region=["tiny-0815"] * 3 + ["large-0816"] * 57)
    small.to_csv(people, index=False)
    said = refused(people, *PUBLISHED, "--strata", "region", code=3)
    assert "stratum" in said
    assert "0815" not in said


def test_nested_columns_are_bad_input_unless_kept_or_dropped(swapmeet, refused, tmp_path, out):
    file = tmp_path / "nested.parquet"
    table = pa.table(
        {"age": [n % 20 for n in range(30)], "visits": [[n, 4_711_000 + n] for n in range(30)]}
    )
    pq.write_table(table, file)
    said = refused(file, *RWN, code=3, target="o.parquet")
    assert "'visits'" in said
    assert "4711" not in said
    for role in ("--keep", "--drop"):
        target = out / f"{role}.parquet"
        assert swapmeet("mask", file, target, *RWN, role, "visits").code == 0


def test_missing_sheet_is_bad_input(swapmeet, refused, tmp_path, table):
    file = tmp_path / "book.xlsx"
    table.to_excel(file, sheet_name="People", index=False)
    assert "'People'" in refused(file, *RWN, "--sheet", "Peple", code=3)


def test_inspect_refuses_the_same(swapmeet, tmp_path, people):
    assert swapmeet("inspect", tmp_path / "none.csv").code == 3
    assert swapmeet("inspect", people, "--drop", "nmae").code == 3
    assert swapmeet("inspect", people, "--sheet", "x").code == 2
    assert swapmeet("inspect", tmp_path / "none.doc").code == 2


# anything else


def fail(error):
    def failing(*args, **options):
        raise error

    return failing


def test_full_disk_ends_with_1_and_leaves_nothing(swapmeet, people, out, monkeypatch):
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(files.os, "fsync", fail(full))
    run = swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--audit", out / "a")
    assert run.code == 1
    assert "the disk is full" in run.err
    assert files_in(out) == []


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet", "arrow", "sav", "dta", "xlsx"])
def test_a_real_limit_on_the_size_leaves_nothing(program, out, tmp_path, suffix):
    resource = pytest.importorskip("resource", reason="this system has no such limits")
    source = tmp_path / "t.csv"
    rng = np.random.default_rng(1)
    pd.DataFrame(rng.random((4_000, 2)), columns=["a", "b"]).to_csv(source, index=False)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    run = program("mask", source, out / f"o.{suffix}", *RWN, preexec_fn=limit)
    assert run.code == 1, run.said
    assert "could not be written" in run.err
    assert "Traceback" not in run.err
    assert files_in(out) == []


@pytest.mark.parametrize("victim", ["o.csv", "o.csv.run.toml", "a"])
def test_what_stood_there_stays_if_any_file_fails(swapmeet, people, out, monkeypatch, victim):
    for name in ("o.csv", "o.csv.run.toml", "a"):
        (out / name).write_text(f"old {name}")
    real = files.Path.replace

    def failing(self, target):
        if target == out / victim and self.read_bytes()[:3] != b"old":
            raise OSError(errno.EPERM, "Operation not permitted")
        return real(self, target)

    monkeypatch.setattr(files.Path, "replace", failing)
    run = swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--audit", out / "a", "--overwrite")
    assert run.code == 1
    assert f"{out / victim}: could not be written: Operation not permitted" in run.err
    assert files_in(out) == ["a", "o.csv", "o.csv.run.toml"]
    for name in files_in(out):
        assert (out / name).read_text() == f"old {name}"


@pytest.mark.parametrize("victim", ["o.csv", "o.csv.run.toml", "a"])
def test_no_file_appears_without_the_others(swapmeet, people, out, monkeypatch, victim):
    real = files.Path.replace

    def failing(self, target):
        if target == out / victim:
            raise OSError(errno.EPERM, "Operation not permitted")
        return real(self, target)

    monkeypatch.setattr(files.Path, "replace", failing)
    run = swapmeet("mask", people, out / "o.csv", *PUBLISHED, "--audit", out / "a")
    assert run.code == 1
    assert files_in(out) == []


def test_a_stop_while_writing_leaves_nothing(swapmeet, people, out, monkeypatch):
    def stop(*_):
        assert list(out.iterdir())
        raise entry_point.Stopped

    monkeypatch.setattr(Format, "write", stop)
    run = swapmeet("mask", people, out / "o.csv", *PUBLISHED)
    assert run.code == 1
    assert run.err == "error: stopped before the end; no partial files were left behind.\n"
    assert files_in(out) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_cleanly(start_program, out, tmp_path, number):
    source = tmp_path / "t.csv"
    rows = 200_000
    pd.DataFrame({name: [(n * f) % 1 for n in range(rows)] for name, f in
                  (("a", 0.7312), ("b", 0.1293), ("c", 0.5721), ("d", 0.3331))}).to_csv(
        source, index=False
    )  # fmt: skip
    run = start_program("mask", source, out / "o.csv", "--method", "rwn", "--k", 1500,
                        "--threads", 2, "--audit", out / "a")  # fmt: skip
    time.sleep(4)
    run.send_signal(number)
    said, complaint = run.communicate(timeout=60)
    assert run.returncode == 1
    assert said == ""
    assert complaint == "error: stopped before the end; no partial files were left behind.\n"
    assert files_in(out) == []


def test_an_unexpected_error_is_one_message(swapmeet, people, out, monkeypatch):
    monkeypatch.setattr(io, "read", fail(ZeroDivisionError("canary-4711")))
    run = swapmeet("mask", people, out / "o.csv", *RWN)
    assert run.code == 1
    assert "an unexpected error occurred" in run.err
    assert "ZeroDivisionError" in run.err
    assert run.err.count("\n") == 1


def test_too_little_memory_is_told(swapmeet, people, out, monkeypatch):
    monkeypatch.setattr(io, "read", fail(MemoryError()))
    run = swapmeet("mask", people, out / "o.csv", *RWN)
    assert (run.code, run.err) == (1, "error: not enough memory for this table.\n")


def test_debug_shows_where_an_error_came_from(swapmeet, people, out):
    run = swapmeet("mask", people, out / "o.csv", *RWN, "--drop", "nmae", "--debug")
    assert run.code == 3
    assert "schema.py" in run.err
    assert "SchemaError" in run.err
    assert run.err.splitlines()[-1].startswith("error: ")


@pytest.mark.slow
def test_a_closed_pipe_is_no_error(people):
    code = "from swapmeet.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "methods"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        run.stdout.close()
        assert run.stderr.read() == b""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_results_that_cannot_be_shown_are_an_error():
    code = "from swapmeet.cli import main; main()"
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-c", code, "methods"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr.startswith("error: the results could not be shown")


def test_a_file_without_header_is_asked_about_and_goes_through_with_the_answer(swapmeet, tmp_path):
    path, out = tmp_path / "people.csv", tmp_path / "release.csv"
    path.write_text("".join(f"{20 + row % 50},{row % 7}.5,{row % 3}\n" for row in range(90)))
    asked = swapmeet("inspect", path)
    assert asked.code == 3
    assert "--no-header" in asked.err
    done = swapmeet("mask", path, out, "--method", "matched-swap", "--no-header")
    assert done.code == 0, done.err
    assert len(out.read_text().splitlines()) == 90
    assert swapmeet("assess", path, out, "--no-header", "--measure", "margins").code == 0


def test_formulas_are_told_of_or_guarded(swapmeet, tmp_path):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text("word,n\n" + "".join(f"=cmd{row % 3},{row}\n" for row in range(60)))
    given = ("mask", path, out, "--method", "rank-swap", "--window", "0.3", "--publish", "n")
    assert "'word' (60)" in " ".join(swapmeet(*given).said.split())
    assert swapmeet(*given, "--overwrite", "--guard-formulas").code == 0
    assert out.read_text().count("'=cmd") == 60
    again = tmp_path / "again.csv"
    assert swapmeet("mask", path, again, "--config", f"{out}.run.toml", "--publish", "n").code == 0
    assert again.read_text().count("'=cmd") == 60
    sm.Plan.load(f"{out}.run.toml").run(path, again, overwrite=True)
    assert again.read_text().count("'=cmd") == 60
    refused = swapmeet(*given, "--overwrite", "--guard-formulas", "--memory", "2GB")
    assert refused.code == 2


# columns that are not there, and who wants them


@pytest.fixture
def unread(monkeypatch):
    """No file is read as a whole, or put aside in pieces."""

    def refuse(*_, **__):
        raise AssertionError("the file was read")

    monkeypatch.setattr("swapmeet.io.read", refuse)
    monkeypatch.setattr("swapmeet.io.delimited.pieces._TextReader.copy_cells", refuse)
    monkeypatch.setattr("swapmeet.engines.files.opening.infer_schema", refuse)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("more", [(), ("--memory", "1GB")], ids=["in memory", "in pieces"])
def test_a_wrong_column_is_refused_before_the_file_is_read(
    swapmeet, table, tmp_path, out, unread, suffix, more
):
    people = tmp_path / f"people{suffix}"
    table.to_csv(people, index=False) if suffix == ".csv" else table.to_parquet(people)
    run = swapmeet("mask", people, out / f"o{suffix}", *RWN, "--drop", "nmae", *more)
    assert (run.code, files_in(out)) == (3, [])
    assert run.err.startswith("error: no column 'nmae'; did you mean 'name'? This table has name,")


@pytest.mark.parametrize("command", ["inspect", "tune"])
def test_other_commands_refuse_it_before_they_read_too(swapmeet, people, unread, command):
    run = swapmeet(command, people, "--sensitive", "incme")
    assert (run.code, "did you mean 'income'?" in run.err) == (3, True)


def test_the_column_of_a_run_file_is_missed_with_both_names(swapmeet, people, table, out):
    assert swapmeet("mask", people, out / "r.csv", *RWN, "--drop", "name").code == 0
    other = people.with_name("other.csv")
    table.drop(columns="weight").to_csv(other, index=False)
    for run in (
        swapmeet("assess", other, out / "r.csv"),
        swapmeet("mask", other, out / "s.csv", "--config", out / "r.csv.run.toml"),
    ):
        assert run.code == 3
        assert f"no column 'weight' in {other}, which r.csv.run.toml names" in run.err


def test_an_audit_record_that_does_not_fit_is_refused_before_columns_are_examined(
    swapmeet, table, out, monkeypatch
):
    people = out / "people.parquet"
    table.to_parquet(people)
    monkeypatch.setattr("swapmeet.engines.files.needs.BASE", 0)
    monkeypatch.setattr("swapmeet.engines.files.engine.Files.infer", None)
    ask = ("mask", people, out / "r.parquet", *RWN, "--drop", "name", "--memory")
    run = swapmeet(*ask, "1KB", "--audit", out / "a.audit")
    assert (run.code, run.err.startswith("error: --audit: the audit record of 60 rows")) == (
        2,
        True,
    )


@pytest.mark.parametrize("command", ["inspect", "mask", "assess", "tune"])
def test_a_folder_is_called_a_folder(swapmeet, tmp_path, out, command):
    more = {"mask": (out / "o.csv", *RWN), "assess": (out / "o.csv",)}.get(command, ())
    run = swapmeet(command, tmp_path, *more)
    assert (run.code, run.err) == (3, f"error: {tmp_path}: is a folder. Give the name of a file.\n")


# files as people have them


def write_rows(path, header, rows=40, **how):
    body = "".join(f"{n % 7},{n % 5},{n % 3}\n" for n in range(rows))
    path.write_text(header + body, **how)
    return path


@pytest.mark.parametrize("header", ["a,,b\n", "a, ,b\n", 'a,"",b\n'])
@pytest.mark.parametrize("more", [(), ("--memory", "1GB")], ids=["in memory", "in pieces"])
def test_a_column_without_a_name_is_called_by_its_place(swapmeet, out, header, more):
    file = write_rows(out / "i.csv", header)
    run = swapmeet("mask", file, out / "o.csv", "--method", "rwn", "--keep", "column_2", *more)
    assert run.code == 0, run.err
    assert "column 2 has no name in the file, and is called by its place" in " ".join(
        run.out.split()
    )
    released = pd.read_csv(out / "o.csv")
    assert list(released) == ["a", "column_2", "b"]
    assert sorted(released["column_2"]) == sorted(pd.read_csv(file).iloc[:, 1])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("more", [(), ("--memory", "1GB")], ids=["in memory", "in pieces"])
def test_a_pipe_is_refused_and_not_waited_for(swapmeet, out, more):
    os.mkfifo(out / "pipe.csv")
    run = swapmeet("mask", out / "pipe.csv", out / "o.csv", *RWN, *more)
    assert (run.code, "is a pipe or a device" in run.err) == (3, True)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("i.csv", gzip.compress(b"a,b\n1,2\n", mtime=0), "holds what gzip packed, not text"),
        ("i.csv", b"PK\x03\x04\x00\x00", "holds a workbook or a zip archive, not text"),
        ("i.csv.gz", b"a,b\n1,2\n", "If it is not packed, remove .gz from its name"),
        ("i.csv", b"# a title\na,b\n1,2\n", "line 2 has 2 cells, and the first line has 1."),
        ("i.csv", b"age\rsex\r", "only 1 row"),
        ("i.csv", b'{"age": 31}', "has no rows"),
        ("i.csv", b"age,sex\n", "has no rows"),
        ("i.csv", b"age,sex\n31,f\n", "has only 1 row"),
        ("i.csv", b"", "is empty"),
    ],
)
def test_what_is_no_table_is_called_what_it_is(refused, tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    assert words in refused(tmp_path / name, *RWN, "--header", code=3)
