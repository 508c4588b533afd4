from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from modes import may_do_anything

from swapmeet import io
from swapmeet.errors import FileError, OutputError, UsageError

TABLE = pa.table({"a": [1, 2, 3], "b": ["x", "y", None]})
WRITABLE = [suffix for each in io.FORMATS.values() if each.can_write for suffix in each.suffixes]
READABLE = [suffix for each in io.FORMATS.values() for suffix in each.suffixes]


def rows(frame):
    frame = frame.to_pandas() if isinstance(frame, pa.Table) else frame
    return [[None if pd.isna(cell) else cell for cell in row] for row in frame.to_numpy(object)]


@pytest.fixture(params=WRITABLE)
def document(request, tmp_path):
    path = tmp_path / f"in{request.param}"
    io.write(path, TABLE)
    return io.read(path)


def test_every_format_is_read_as_written(document):
    assert rows(document.frame) == [[1, "x"], [2, "y"], [3, None]]
    assert document.format == io.format_of(document.path)


def test_every_format_moves_cells_and_suppresses(document):
    out = document.path.with_name("out" + "".join(document.path.suffixes))
    donors = {"a": np.array([2, -1, 0]), "b": np.array([1, 0, -1])}
    io.write(out, document.frame, like=document, donors=donors)
    assert rows(io.read(out).frame) == [[3, "y"], [None, "x"], [1, None]]


def test_every_format_can_drop_columns_and_rows(document):
    out = document.path.with_name("out" + "".join(document.path.suffixes))
    frame = (
        document.frame.slice(0, 2) if isinstance(document.frame, pa.Table) else document.frame[:2]
    )
    frame = frame.select(["b"]) if isinstance(frame, pa.Table) else frame[["b"]]
    io.write(out, frame, like=document, donors={"b": np.array([1, 1])})
    assert rows(io.read(out).frame) == [["y"], ["y"]]


def test_every_format_becomes_every_other(document):
    for suffix in WRITABLE:
        out = document.path.with_name("out" + suffix)
        io.write(out, document.frame, like=document, overwrite=True)
        assert rows(io.read(out).frame) == [[1, "x"], [2, "y"], [3, None]]


@pytest.mark.parametrize("suffix", READABLE)
def test_what_is_no_file_is_refused_in_every_format(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    with pytest.raises(FileError, match="no such file"):
        io.read(path)
    path.touch()
    with pytest.raises(FileError, match="is empty"):
        io.read(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(FileError, match="is a folder"):
        io.read(path)


@pytest.mark.skipif(may_do_anything(), reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    with pytest.raises(FileError, match="could not be read: Permission denied"):
        io.read(path)


def test_a_failing_disk_is_told(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")

    def fail(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("swapmeet.io._check_source", fail)
    with pytest.raises(FileError, match="could not be read: Permission denied"):
        io.read(path)


@pytest.mark.parametrize(
    "suffix", [s for s in READABLE if not s.startswith((".csv", ".txt", ".tsv"))]
)
def test_wrong_content_is_refused_without_showing_it(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"name,income\nCANARY,1234567\n" * 40)
    with pytest.raises(FileError) as caught:
        io.read(path)
    assert "CANARY" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_options_of_other_formats_are_refused(tmp_path):
    with pytest.raises(UsageError, match="`sheet` does not apply to delimited text"):
        io.read(tmp_path / "a.csv", sheet="x")
    with pytest.raises(UsageError, match="`delimiter` does not apply to Excel"):
        io.read(tmp_path / "a.xlsx", delimiter=",")


def test_sas_is_not_written_and_alternatives_are_named(tmp_path):
    with pytest.raises(UsageError, match=r"can be read but not written\. Write \.xpt"):
        io.write(tmp_path / "a.sas7bdat", TABLE)


def test_existing_files_stay_unless_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(UsageError, match="exists already"):
        io.write(path, TABLE)
    assert path.read_text() == "old"
    io.write(path, TABLE, overwrite=True)
    assert path.read_text() != "old"


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".sav", ".xlsx"])
def test_a_write_that_fails_leaves_the_old_file(tmp_path, suffix, monkeypatch):
    path = tmp_path / f"a{suffix}"
    io.write(path, TABLE)
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("swapmeet.base.atomic.sync_file", full)
    with pytest.raises(OutputError, match="the disk is full"):
        io.write(path, TABLE, overwrite=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_repr_of_a_document_shows_no_cell(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\nCANARY,1\n")
    assert "CANARY" not in repr(io.read(path))


def test_importing_loads_no_dataframe_library():
    code = (
        "import sys, swapmeet.io;"
        "print([m for m in ('numpy', 'pandas', 'pyarrow', 'pyreadstat', 'openpyxl', 'narwhals')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
