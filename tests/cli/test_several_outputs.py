"""One release in several formats, made by one run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from swapmeet import io
from swapmeet.release.audit import AuditRecord

RWN = ("--method", "rwn", "--k", "5", "--weights", "0.1", "--drop", "name")
SUFFIXES = ("csv", "sav", "dta", "parquet", "xlsx", "feather")


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def read(path):
    frame = io.read(path).frame
    return frame.to_pandas() if hasattr(frame, "to_pandas") else frame


def test_all_files_have_the_same_rows_in_the_same_order(swapmeet, people, out):
    paths = [out / f"o.{suffix}" for suffix in SUFFIXES]
    run = swapmeet("mask", people, *paths, *RWN, "--keep", "weight", "--audit", out / "a")
    assert (run.code, run.err) == (0, "")
    assert files_in(out) == sorted([*(path.name for path in paths), "a", "o.csv.run.toml"])
    first, *others = map(read, paths)
    assert first["weight"].tolist() != pd.read_csv(people)["weight"].tolist()
    for other in others:
        for name in first:
            assert other[name].astype(str).tolist() == first[name].astype(str).tolist()
    said = [line.split()[1] for line in run.out.splitlines() if line.startswith("release ")]
    assert said == list(map(str, paths))


def test_the_first_file_is_what_it_would_be_alone(swapmeet, people, out):
    asked = (*RWN, "--seed", "5")
    assert swapmeet("mask", people, out / "alone.csv", *asked).code == 0
    run = swapmeet("mask", people, out / "o.csv", out / "o.parquet", *asked, "--json")
    assert (out / "o.csv").read_bytes() == (out / "alone.csv").read_bytes()
    assert run.json["release"] == str(out / "o.csv")
    assert run.json["releases"] == [str(out / "o.csv"), str(out / "o.parquet")]


def test_every_file_can_be_assessed_with_the_one_run_file(swapmeet, people, out):
    made = swapmeet("mask", people, out / "o.csv", out / "o.parquet", *RWN, "--audit", out / "a")
    assert made.code == 0
    figures = [
        swapmeet("assess", people, out / name, "--audit", out / "a", "--measure", "dbrl", "--json")
        for name in ("o.csv", "o.parquet")
    ]
    assert figures[0].code == figures[1].code == 0
    assert figures[0].json["scores"] == figures[1].json["scores"]


@pytest.mark.parametrize("memory", [(), ("--memory", "2GB")])
def test_files_appear_together_or_not_at_all(swapmeet, people, out, monkeypatch, memory):
    def fail(*_, **__):
        raise OSError(None, "no luck")

    monkeypatch.setattr("pyarrow.parquet.write_table", fail)
    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.write_table", fail)
    run = swapmeet("mask", people, out / "o.csv", out / "o.parquet", *RWN, *memory)
    assert run.code != 0
    assert files_in(out) == []


def test_an_existing_file_is_replaced_only_if_asked(swapmeet, people, out):
    (out / "o.parquet").write_text("mine")
    run = swapmeet("mask", people, out / "o.csv", out / "o.parquet", *RWN)
    assert run.code == 2
    assert "exists already" in run.err
    assert files_in(out) == ["o.parquet"]
    assert swapmeet("mask", people, out / "o.csv", out / "o.parquet", *RWN, "--overwrite").code == 0
    assert len(io.read(out / "o.parquet").frame) == 60


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ("o.csv", "is named twice"),
        ("../output/o.csv", "is named twice"),
        ("o.doc", "unknown file format"),
        ("o.sas7bdat", "can be read but not written"),
        ("o.csv.run.toml", "unknown file format"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(swapmeet, people, out, second, told):
    run = swapmeet("mask", people, out / "o.csv", out / second, *RWN)
    assert run.code == 2
    assert told in " ".join(run.err.split())
    assert files_in(out) == []


def test_the_input_is_not_among_the_outputs(swapmeet, people, out):
    run = swapmeet("mask", people, out / "o.csv", people, *RWN, "--overwrite")
    assert run.code == 2
    assert "is an input of this run" in " ".join(run.err.split())


def test_spark_writes_one_folder(swapmeet, people, out):
    run = swapmeet("mask", people, out / "o", out / "p", *RWN, "--engine", "spark")
    assert run.code == 2
    assert "one folder" in " ".join(run.err.split())


@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_files_piece_by_piece_have_the_same_rows(swapmeet, people, out, tmp_path, source):
    path = people
    if source == "parquet":
        path = tmp_path / "p.parquet"
        pd.read_csv(people).to_parquet(path, index=False)
    asked = (*RWN, "--keep", "weight", "--memory", "2GB", "--block-rows", "20", "--seed", "3")
    names = ("o.csv", "o.parquet", "o.tsv")
    run = swapmeet("mask", path, *(out / name for name in names), *asked, "--audit", out / "a")
    assert run.code == 0, run.err
    first, second, third = (read(out / name) for name in names)
    pd.testing.assert_frame_equal(first, second, check_dtype=False)
    pd.testing.assert_frame_equal(first, third, check_dtype=False)
    assert swapmeet("mask", path, out / "alone.csv", *asked).code == 0
    assert (out / "o.csv").read_bytes() == (out / "alone.csv").read_bytes()
    assert len(AuditRecord.load(out / "a").owner) == 60


def test_files_that_do_not_stream_are_refused_beside_one_that_does(swapmeet, people, out):
    run = swapmeet("mask", people, out / "o.csv", out / "o.sav", *RWN, "--memory", "2GB")
    assert run.code == 2
    assert "cannot be masked piece by piece" in " ".join(run.err.split())


def test_labels_of_an_spss_file_stay_in_the_file_that_has_them(swapmeet, out, tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"sex": rng.integers(1, 3, 40) * 1.0, "age": rng.integers(1, 90, 40) * 1.0}
    )
    labels = {"sex": {1.0: "female", 2.0: "male"}}
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_value_labels=labels)
    run = swapmeet("mask", tmp_path / "in.sav", out / "o.csv", out / "o.sav", "--method", "rwn",
                   "--k", "5")  # fmt: skip
    assert run.code == 0, run.err
    assert pyreadstat.read_sav(out / "o.sav")[1].variable_value_labels == labels
    assert set(pd.read_csv(out / "o.csv")["sex"]) == {1, 2}
