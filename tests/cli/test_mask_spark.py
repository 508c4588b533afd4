"""swapmeet mask --engine spark: what is refused without Spark, and one run with it."""

from __future__ import annotations

import json
import os
import shutil
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import swapmeet as sm

SEED = "7091823645501928374"


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A table of 300 people in a Parquet file, in the folder where commands are given."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    columns = {"age": rng.integers(18, 90, 300), "income": rng.normal(3000.0, 500.0, 300)}
    pq.write_table(pa.table(columns), "people.parquet")
    return tmp_path


@pytest.fixture
def spark(monkeypatch):
    """Spark can be started."""
    pytest.importorskip("pyspark")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("Spark needs Java")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)


def masking(swapmeet, *more, source="people.parquet", out="release"):
    return swapmeet("mask", source, out, "--engine", "spark", "--method", "rwn", "--k", "5", *more)


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (["--master", "nonsense"], 2, "is not the address of a Spark master"),
        (["--master", "spark://127.0.0.1:1"], 3, "nobody answers there. Start a master"),
        (["--memory", "1GB"], 2, "--memory: does not apply to --engine spark"),
        (["--threads", "2"], 2, "--threads: does not apply"),
        (["--keep-order"], 2, "--keep-order: does not apply"),
        (["--block-rows", "1"], 2, "`block_rows` must be a whole number, 2 or more"),
        (["--engine", "sparkle"], 2, "must be one of local, spark"),
        (["--audit", "release"], 2, "must be different files"),
    ],
)
def test_what_cannot_be_is_refused(more, code, told, people, swapmeet):
    run = masking(swapmeet, *more)
    assert run.code == code
    assert told in run.err
    assert run.err.count("\n") == 1
    assert sorted(p.name for p in people.iterdir()) == ["people.parquet"]


def test_a_source_that_is_not_there_is_refused(people, swapmeet):
    assert "no such file or folder" in masking(swapmeet, source="peple.parquet").err
    (people / "empty").mkdir()
    run = masking(swapmeet, source="empty")
    assert run.code == 3
    assert "has no Parquet files" in run.err


def test_a_release_that_is_there_is_not_touched(people, swapmeet):
    (people / "release").mkdir()
    (people / "release" / "diary.txt").write_text("mine")
    run = masking(swapmeet)
    assert run.code == 2
    assert "release: is not a folder of Parquet files only" in masking(swapmeet, "--overwrite").err
    assert (people / "release" / "diary.txt").read_text() == "mine"


def test_without_java_or_pyspark_it_is_told_what_to_install(people, swapmeet, monkeypatch, hide):
    monkeypatch.setenv("PATH", str(people))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    run = masking(swapmeet)
    assert (run.code, "Install Java 17" in run.err) == (3, True)
    hide("pyspark")
    run = masking(swapmeet)
    assert (run.code, 'pip install "swapmeet[spark]"' in run.err) == (3, True)


def test_a_master_needs_the_engine(people, swapmeet):
    run = swapmeet("mask", "people.parquet", "o.parquet", "--method", "rwn", "--master", "local[2]")
    assert run.code == 2
    assert "give --engine spark, too" in run.err


def test_an_unknown_engine_in_a_run_file_is_refused(people, swapmeet):
    (people / "run.toml").write_text('[method]\nname = "rwn"\n[engine]\nname = "sprak"\n')
    run = swapmeet("mask", "people.parquet", "o.parquet", "--config", "run.toml")
    assert run.code == 3
    assert "[engine]: `name` must be one of local, spark." in run.err


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_a_folder_is_masked_repeated_and_assessed(people, swapmeet, masked):
    """The release has the rows that Local makes; the run file alone repeats it."""
    table = pq.read_table("people.parquet")
    (people / "in").mkdir()
    for part, begin in {"b": 200, "a": 0}.items():
        pq.write_table(table.slice(begin, 200), people / "in" / f"{part}.parquet")
    options = ["--master", "local[2]", "--seed", SEED, "--block-rows", "100", "--audit", "record",
               "--json"]  # fmt: skip
    run = masking(swapmeet, *options, source="in")
    assert run.code == 0, run.err
    assert run.err == ""
    assert run.json["rows"] == 300
    assert run.json["notes"][0].startswith("masked in 3 blocks")
    written = (people / "release.run.toml").read_text()
    assert 'name = "spark"' in written
    assert SEED not in written + run.out
    local = masked(table, sm.RWN(k=5), seed=int(SEED), engine=sm.Local(block_rows=100))
    release = _read(people / "release")
    assert _sorted(release) == _sorted(local.data)
    again = swapmeet("mask", "in", "again", "--config", "release.run.toml", "--seed", SEED, "-q")
    assert (again.code, again.said) == (0, "")
    assert _read(people / "again").equals(release)
    card = swapmeet("assess", "in", "release", "--audit", "record", "--measure", "dcr", "--json")
    assert card.code == 0, card.err


@pytest.mark.slow
@pytest.mark.usefixtures("people", "spark")
def test_programs_read_its_stages_and_nothing_else(swapmeet):
    run = masking(swapmeet, "--master", "local[2]", "--progress", "json", "--quiet")
    assert run.code == 0, run.err
    told = [json.loads(line) for line in run.err.splitlines()]
    assert [event["label"] for event in told] == ["reading", "starting Spark", "reading", "masking"]


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_an_identifier_is_refused_until_it_is_published(people, swapmeet):
    table = pq.read_table("people.parquet").append_column("pid", pa.array(range(300)))
    pq.write_table(table, "people.parquet")
    options = ["--master", "local[2]", "--audit", "record"]
    run = masking(swapmeet, *options)
    assert run.code == 3
    assert "column 'pid' looks like a direct identifier" in run.err
    assert sorted(p.name for p in people.iterdir()) == ["people.parquet"]
    run = masking(swapmeet, *options, "--publish", "pid")
    assert run.code == 0, run.err
    assert "publish = true" in (people / "release.run.toml").read_text()


def _read(folder):
    from swapmeet import io

    return io.read(folder).frame


def _sorted(table):
    return table.sort_by([("income", "ascending"), ("age", "ascending")]).to_pydict()
