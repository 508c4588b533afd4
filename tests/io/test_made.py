"""Values that were made are written beside cells that are copied as they stand in the file."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from swapmeet import io
from swapmeet.tables.frame import Table

DONORS = np.array([-2, 0, 2, -2])
"""Rows 0 and 3 get new values, row 1 that of row 0, row 2 keeps its missing one."""


def written(path, target, values):
    """Publish column a of the file at `path` with `values` in the rows that were made."""
    document = io.read(path)
    table = Table(document.frame)
    moved = Table(table.take({"a": np.where(DONORS < 0, np.arange(4), DONORS)}, table.names))
    frame = moved.put({"a": np.array(values, float)}, {"a": DONORS == -2})
    io.write(target, frame, like=document, donors={"a": DONORS})
    return frame


def test_text_writes_new_values_like_those_that_moved(tmp_path):
    (tmp_path / "in.csv").write_text("a;b\n1,50;x\n2,00;y\nNA;z\n4,00;x\n")
    written(tmp_path / "in.csv", tmp_path / "out.csv", [1.25, 0, 0, 3.5])
    assert (tmp_path / "out.csv").read_text() == "a;b\n1,25;x\n1,50;y\nNA;z\n3,50;x\n"


def test_text_that_is_always_quoted_stays_so(tmp_path):
    (tmp_path / "in.csv").write_text('"a","b"\n"1","x"\n"2","y"\n"","z"\n"4","x"\n')
    written(tmp_path / "in.csv", tmp_path / "out.csv", [7, 0, 0, 9])
    assert (tmp_path / "out.csv").read_text() == '"a","b"\n"7","x"\n"1","y"\n"","z"\n"9","x"\n'


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "xlsx", "sav", "dta", "xpt"])
def test_every_format_has_the_new_values(tmp_path, suffix):
    original = pa.table({"a": [1.5, 2.0, None, 4.0], "b": ["x", "y", "z", "x"]})
    source, target = tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}"
    io.write(source, original)
    written(source, target, [1.25, 0, 0, 3.5])
    column = Table(io.read(target).frame).numbers("a")
    assert np.array_equal(column, [1.25, 1.5, np.nan, 3.5], equal_nan=True)


def test_user_missing_codes_survive_beside_new_values(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"a": [1.0, 2.0, 99.0, 4.0], "b": ["x", "y", "z", "x"]})
    source, target = tmp_path / "in.sav", tmp_path / "out.sav"
    pyreadstat.write_sav(frame, source, missing_ranges={"a": [99]})
    written(source, target, [1.25, 0, 0, 3.5])
    again, _ = pyreadstat.read_sav(target, user_missing=True)
    assert again["a"].tolist() == [1.25, 1.0, 99.0, 3.5]


@pytest.mark.parametrize(
    ("column", "made", "expected"),
    [
        (pa.array([1, 2, 3, 4], pa.int8()), [2.4, 0, 0, 3.5], [2, 1, 3, 4]),
        (pa.array([1.5, 2, 3, 4], pa.float32()), [0.25, 0, 0, 3.5], [0.25, 1.5, 3, 3.5]),
        (
            pa.array([dt.date(2020, 1, day) for day in (1, 2, 3, 4)]),
            [18262.4, 0, 0, 18270.6],
            [dt.date(2020, 1, 1), dt.date(2020, 1, 1), dt.date(2020, 1, 3), dt.date(2020, 1, 10)],
        ),
    ],
)
def test_values_are_rounded_to_what_the_type_holds(column, made, expected):
    table = Table(pa.table({"a": column}))
    moved = Table(table.take({"a": np.where(DONORS < 0, np.arange(4), DONORS)}, ["a"]))
    filled = moved.put({"a": np.array(made)}, {"a": DONORS == -2})
    assert filled.schema == table.native.schema
    assert filled["a"].to_pylist() == expected


def test_moments_keep_their_fractions_in_text(tmp_path):
    """A fraction that begins with zeros is not cut off."""
    (tmp_path / "in.csv").write_text(
        "a\n2020-01-01 00:00:00.5\n2020-01-02 00:00:00\nNA\n2020-01-03 10:00:00\n"
    )
    start = pd.Timestamp("2020-01-05 12:30:56.09781").value / 1e3
    written(tmp_path / "in.csv", tmp_path / "out.csv", [start, 0, 0, start])
    lines = (tmp_path / "out.csv").read_text().split("\n")
    assert lines[1] == lines[4] == "2020-01-05 12:30:56.09781"
    assert lines[2:4] == ["2020-01-01 00:00:00.5", "NA"]
    assert io.read(tmp_path / "out.csv").frame.schema.field("a").type == pa.timestamp("us")
