from __future__ import annotations

import datetime as dt
import re
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName

from swapmeet import io
from swapmeet.errors import FileError, InputError, OutputError, UsageError

ROWS = [
    ["id", "name", "x", "day", "ok", "mixed", "count"],
    [1, "=not a formula", 1.5, dt.datetime(2020, 1, 2), True, 1, 3],
    [2, None, 2.0, None, False, "n/a", None],
    [3, "Köln", 3.25, dt.datetime(2021, 5, 6, 7, 8), True, dt.time(1, 2), 4],
]


def save(path, rows, title="People", formats=None):
    book = openpyxl.Workbook()
    page = book.active
    page.title = title
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            cell = page.cell(i + 1, j + 1, value)
            if isinstance(value, str):
                cell.data_type = "s"
            if i and formats and j in formats:
                cell.number_format = formats[j]
    book.create_sheet("Other").append(["z"])
    book.save(path)


@pytest.fixture
def document(tmp_path):
    save(tmp_path / "in.xlsx", ROWS, formats={2: "0.000", 3: "dd.mm.yyyy"})
    return io.read(tmp_path / "in.xlsx")


def same(document):
    return {name: np.arange(len(document.frame)) for name in document.frame.columns}


def cells(path):
    page = openpyxl.load_workbook(path).worksheets[0]
    return [[cell.value for cell in row] for row in page.iter_rows()]


def test_columns_have_one_type_each(document):
    frame = document.frame
    assert {name: str(column.dtype) for name, column in frame.items()} == {
        "id": "int64",
        "name": "str",
        "x": "float64",
        "day": "datetime64[us]",
        "ok": "bool",
        "mixed": "str",
        "count": "Int64",
    }
    assert frame["name"].isna().tolist() == [False, True, False]
    assert frame["day"][0] == pd.Timestamp("2020-01-02")
    assert frame["mixed"].tolist() == ["1", "n/a", "01:02:00"]


def test_cells_sheet_and_number_formats_survive(document, tmp_path):
    io.write(tmp_path / "out.xlsx", document.frame, like=document, donors=same(document))
    assert cells(tmp_path / "out.xlsx") == ROWS
    page = openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets[0]
    assert page.title == "People"
    assert page["B2"].data_type == "s"
    assert page["C3"].number_format == "0.000"
    assert page["D4"].number_format == "dd.mm.yyyy"


def test_cells_move_and_suppressed_ones_are_empty(document, tmp_path):
    donors = {"mixed": np.array([2, 0, -1]), "x": np.array([0, 0, 2])}
    io.write(tmp_path / "out.xlsx", document.frame[["mixed", "x"]], like=document, donors=donors)
    assert cells(tmp_path / "out.xlsx") == [
        ["mixed", "x"],
        [dt.time(1, 2), 1.5],
        [1, 1.5],
        [None, 3.25],
    ]


def test_a_sheet_can_be_chosen(document):
    assert io.read(document.path, sheet="Other").frame.columns.tolist() == ["z"]
    assert io.read(document.path, sheet="Other").frame.shape == (0, 1)
    with pytest.raises(FileError, match=r"no sheet 'Nope'\. It has 'People', 'Other'"):
        io.read(document.path, sheet="Nope")


def test_blank_rows_at_the_end_and_blank_columns_are_left_out(tmp_path):
    rows = [["a", None, "b"], [1, None, 2], [None, None, None], [3, None, 4], [None] * 3]
    save(tmp_path / "in.xlsx", rows, formats={0: "0.0"})
    frame = io.read(tmp_path / "in.xlsx").frame
    assert frame["a"].fillna(-1).tolist() == [1, -1, 3]
    assert frame.columns.tolist() == ["a", "b"]


def test_any_frame_can_be_written(tmp_path):
    frame = pa.table(
        {
            "i": [1, None],
            "x": [float("nan"), 2.5],
            "t": ["=1+1", "é"],
            "d": [dt.date(2020, 1, 1), None],
            "z": pa.array([dt.datetime(2020, 1, 1), None], pa.timestamp("ns", "UTC")),
        }
    )
    io.write(tmp_path / "out.xlsx", frame)
    again = io.read(tmp_path / "out.xlsx").frame
    assert again["i"].fillna(-1).tolist() == [1, -1]
    assert again["x"].fillna(-1).tolist() == [-1, 2.5]
    assert again["t"].tolist() == ["=1+1", "é"]
    assert again["d"][0] == pd.Timestamp("2020-01-01")
    assert again["z"][0].startswith("2020-01-01 00:00:00")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", "a"], ["CANARY", 2]], "'a' appears more than once"),
        ([["a", None], ["CANARY", "CANARY"]], "column 2 has no name"),
        ([[]], "sheet 'People' is empty"),
    ],
)
def test_sheets_that_are_no_table_are_refused(tmp_path, rows, message):
    save(tmp_path / "in.xlsx", rows)
    with pytest.raises(FileError, match=message) as caught:
        io.read(tmp_path / "in.xlsx")
    assert "CANARY" not in str(caught.value)


def test_broken_files_are_refused_without_their_content(document, tmp_path):
    whole = document.path.read_bytes()
    for raw in (b"CANARY,1\n" * 9, whole[: len(whole) // 2], whole[:-9]):
        (tmp_path / "bad.xlsx").write_bytes(raw)
        with pytest.raises(FileError, match="is not a readable Excel file") as caught:
            io.read(tmp_path / "bad.xlsx")
        assert "CANARY" not in str(caught.value)


def test_a_workbook_with_a_password_is_told_as_such(document, tmp_path):
    ooxml = pytest.importorskip("msoffcrypto.format.ooxml", reason="msoffcrypto is not installed")
    path = tmp_path / "locked.xlsx"
    with document.path.open("rb") as plain, path.open("wb") as locked:
        ooxml.OOXMLFile(plain).encrypt("secret", locked)
    with pytest.raises(FileError, match="is protected by a password"):
        io.read(path)


def test_what_excel_cannot_hold_is_named_by_its_column(tmp_path):
    for column in (["CANARY\x01"], [["CANARY"]]):
        with pytest.raises(OutputError, match="'a' has values that Excel cannot hold") as caught:
            io.write(tmp_path / "out.xlsx", pa.table({"a": column}))
        assert "CANARY" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_more_rows_than_a_sheet_has_are_refused(tmp_path):
    with pytest.raises(InputError, match="room for 1048575 rows; got 1048576"):
        io.write(tmp_path / "out.xlsx", pa.table({"a": np.zeros(1_048_576, "int8")}))


def test_without_openpyxl_the_remedy_is_told(tmp_path, hide):
    hide("openpyxl")
    (tmp_path / "a.xlsx").write_bytes(b"x")
    with pytest.raises(UsageError, match=r'pip install "swapmeet\[formats\]"'):
        io.read(tmp_path / "a.xlsx")


def test_a_full_disk_leaves_nothing(small_disk):
    noise = np.random.default_rng(0).random(10_000)
    with pytest.raises(OutputError, match="the disk is full"):
        io.write(small_disk / "out.xlsx", pa.table({"a": noise}))
    assert list(small_disk.iterdir()) == []


def stored_xml(path):
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def test_the_type_of_a_cell_does_not_tell_where_its_value_comes_from(tmp_path):
    rows = [["x", "mixed"], [5, 5], [5.0, "5"], [-0.0, "unknown"], [0.0, 7], [2.5, "7"]]
    save(tmp_path / "in.xlsx", rows)
    document = io.read(tmp_path / "in.xlsx")
    io.write(tmp_path / "out.xlsx", document.frame, like=document, donors=same(document))
    page = stored_xml(tmp_path / "out.xlsx")["xl/worksheets/sheet1.xml"]
    written = dict(re.findall(r'<c r="([AB]\d)"(.*?)</c>', page))
    assert written["A2"] == written["A3"]
    assert written["A4"] == written["A5"]
    assert written["B2"] == written["B3"]
    assert written["B5"] == written["B6"]
    assert cells(tmp_path / "out.xlsx")[4] == [0, 7]


def test_properties_comments_and_other_sheets_of_a_workbook_are_not_published(tmp_path):
    book = openpyxl.Workbook()
    page = book.active
    for row in [["x", "y"], [1, "a"], [2, "b"]]:
        page.append(row)
    page["B2"].comment = Comment("CANARY", "CANARY")
    book.properties.creator = book.properties.title = book.properties.keywords = "CANARY"
    book.create_sheet("CANARY").append(["CANARY"])
    book.defined_names["CANARY"] = DefinedName("CANARY", attr_text="Sheet!$A$1")
    book.save(tmp_path / "in.xlsx")
    document = io.read(tmp_path / "in.xlsx")
    io.write(tmp_path / "out.xlsx", document.frame, like=document, donors=same(document))
    assert "CANARY" in "".join(stored_xml(tmp_path / "in.xlsx").values())
    assert "CANARY" not in "".join(stored_xml(tmp_path / "out.xlsx").values())
