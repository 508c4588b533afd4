"""No output of any command holds a cell's value, the seed or a donor."""

from __future__ import annotations

import random
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from swapmeet import io
from swapmeet.release.audit import AuditRecord

SEED = 731_928_465_019_283_745
RWN = ("--method", "rwn", "--k", "5", "--weights", "0.1")
PUBLISHED = (*RWN, "--publish", "name")
SUFFIXES = ["csv", "parquet", "arrow", "sav", "dta", "xlsx", "xpt"]


@pytest.fixture
def canaries(tmp_path):
    """A table in which each cell is a canary, and the texts that would give it away."""
    rng = np.random.default_rng(5)
    numbers = rng.choice(np.arange(4_000_000, 9_000_000), (5, 80), replace=False)
    frame = pd.DataFrame(
        {
            "name": [f"canary{number}" for number in numbers[0]],
            "code": numbers[1],
            "income": numbers[2] + 0.25,
            "town": [f"kanarien{number}" for number in numbers[3][:4]] * 20,
            "born": pd.to_datetime(numbers[4] * 100_000_000, unit="us"),
        }
    )
    return frame, [*map(str, numbers[:3].ravel()), *frame["name"], *frame["town"].unique()]


@pytest.fixture
def source(tmp_path, canaries):
    """The table as a file of some format."""

    def written(suffix):
        path = tmp_path / f"source.{suffix}"
        io.write(path, canaries[0], overwrite=True)
        return path

    return written


def assert_secret(texts, *said):
    for text in said:
        leaked = [one for one in texts if one in text]
        assert not leaked, f"{len(leaked)} values leaked"
        assert str(SEED) not in text
        assert f"{SEED:x}" not in text.lower()


@pytest.mark.slow_beyond(4)
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("json", [(), ("--json",)])
def test_results_hold_no_value_and_no_seed(swapmeet, source, canaries, out, suffix, json):
    file = source(suffix)
    run = swapmeet("inspect", file, *json)
    assert run.code == 0
    assert_secret(canaries[1], run.said)
    ask = (*PUBLISHED, "--seed", SEED, "--audit", out / "a", "--debug", *json)
    run = swapmeet("mask", file, out / f"o.{suffix}", *ask)
    assert run.code == 0, run.err
    assert_secret(canaries[1], run.said, (out / f"o.{suffix}.run.toml").read_text())


def test_run_file_and_results_name_no_donor(swapmeet, source, out):
    """No list of row numbers: what is said is the same for other donors, shares apart."""
    said = []
    for seed in (1, 2):
        ask = (*PUBLISHED, "--seed", seed, "--overwrite", "--audit", out / "a", "--json")
        run = swapmeet("mask", source("csv"), out / "o.csv", *ask)
        columns = run.json.pop("columns")
        assert all(set(c) <= {"name", "kind", "role", "moved", "changed", "suppressed", "made"}
                   for c in columns)  # fmt: skip
        said.append(((out / "o.csv.run.toml").read_text(), re.sub(r'"columns": .*', "", run.out)))
        assert AuditRecord.load(out / "a").moved.any()
    assert said[0][0] == said[1][0]


def errors(suffix):
    """Requests that go wrong after the file was read, or while it is."""
    yield "unknown column", ("--drop", "nam")
    yield "k too large", ("--k", "500")
    yield "wrong kind", ("--numeric", "town")
    yield "small strata", ("--strata", "town", "--k", "70")
    yield "weights", ("--weights", "twn=3")
    yield "nothing to mask", ("--keep", "name,code,income,town,born")
    if suffix == "csv":
        yield "wrong delimiter", ("--delimiter", ";")
        yield "wrong encoding", ("--encoding", "utf-16")


@pytest.mark.slow_beyond(1)
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("json", [(), ("--json",)])
def test_refusals_hold_no_value(swapmeet, source, canaries, out, suffix, json):
    file = source(suffix)
    for label, options in errors(suffix):
        ask = (*PUBLISHED, "--seed", SEED, "--debug", *json, *options)
        run = swapmeet("mask", file, out / f"o.{suffix}", *ask)
        assert run.code in {0, 2, 3}, (label, run.err)
        assert_secret(canaries[1], run.said)


@pytest.mark.slow_beyond(1)
@pytest.mark.parametrize("suffix", [*SUFFIXES, "csv.gz"])
def test_damaged_files_are_refused_without_a_value(
    swapmeet, source, canaries, out, tmp_path, suffix
):
    whole = source(suffix).read_bytes()
    draw = random.Random(suffix)
    for number in range(8):
        content = bytearray(whole)
        for _ in range(30):
            content[draw.randrange(len(content))] = draw.randrange(256)
        bad = tmp_path / f"bad{number}.{suffix}"
        bad.write_bytes(content if number % 2 else content[: draw.randrange(1, len(content))])
        run = swapmeet("mask", bad, out / f"{number}.parquet", *RWN, "--debug")
        assert "unexpected error" not in run.err, run.err
        assert_secret(canaries[1], run.said)


@pytest.mark.slow
def test_values_that_a_format_cannot_hold_are_refused_without_them(
    swapmeet, canaries, out, tmp_path
):
    frame = canaries[0].assign(long=[f"canary{n}-" * 5_000 for n in range(80)])
    file = tmp_path / "t.parquet"
    io.write(file, frame)
    for suffix in SUFFIXES:
        run = swapmeet("mask", file, out / f"o.{suffix}", *RWN, "--debug", "--keep", "long")
        assert_secret([*canaries[1], "canary7-"], run.said)
        assert "unexpected error" not in run.err, (suffix, run.err)


@pytest.mark.parametrize("debug", [(), ("--debug",)])
@pytest.mark.parametrize(
    "error",
    [
        ValueError("could not convert string to float: 'canary4711'"),
        pa.ArrowInvalid("In CSV column #0: CSV conversion error: 'canary4711'"),
        KeyError("canary4711"),
        OSError(5, "canary4711"),
    ],
)
def test_words_of_libraries_are_not_repeated(swapmeet, source, out, monkeypatch, debug, error):
    def failing(*args, **options):
        try:
            raise error
        except type(error) as first:
            raise RuntimeError(*first.args) from first

    monkeypatch.setattr(io, "read", failing)
    people = source("csv")
    for command in (("mask", people, out / "o.csv", *RWN), ("inspect", people)):
        run = swapmeet(*command, *debug)
        assert run.code == 1
        assert "canary" not in run.said
        assert ("failing" in run.err) == bool(debug)


@pytest.mark.parametrize("seed", ["73192846501928374x", "-731928465019283745", "9" * 90, "7.5e30"])
def test_a_refused_seed_is_not_repeated(swapmeet, source, out, seed):
    run = swapmeet("mask", source("csv"), out / "o.csv", *RWN, "--seed", seed, "--debug")
    assert run.code == 2
    assert seed.strip("-") not in run.said


@pytest.mark.slow
def test_demo_holds_no_value_of_its_own(swapmeet, out):
    run = swapmeet("demo", "--dataset", "diabetes", "--json", "--out", out / "o.csv")
    assert set(run.json) == {
        "release", "run_file", "rows", "method", "settings", "columns", "notes", "verdict"
    }  # fmt: skip
