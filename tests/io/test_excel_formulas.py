from __future__ import annotations

import re
from zipfile import ZipFile

import openpyxl
import pytest

from swapmeet import io
from swapmeet.errors import FileError


def save(path, rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def compute(path, kind, result):
    """Put a result beside each formula, as Excel does."""
    with ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    cell = rb'<c r="(B\d)"[^>]*>(<f>[^<]*</f>)(?:<v ?/>|<v></v>)?</c>'
    parts[sheet], found = re.subn(
        cell, rb'<c r="\1"' + kind + rb">\2" + result + b"</c>", parts[sheet]
    )
    assert found == 2
    with ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)


ROWS = [["age", "twice"], [34, "=A2*2"], [51, "=A3*2"], [29, 58]]


@pytest.mark.parametrize("result", [b"", b"<v></v>", b"<v/>"])
def test_formulas_without_results_are_counted_and_refused(tmp_path, result):
    path = save(tmp_path / "in.xlsx", ROWS)
    compute(path, b"", result)
    with pytest.raises(FileError, match=r"formulas without results in 'twice' \(2\)"):
        io.read(path)
    with pytest.raises(FileError, match=r"formulas without results in column 2 \(2\)"):
        io.read(path, header=False)


@pytest.mark.parametrize(
    ("kind", "result", "missing"), [(b"", b"<v>7</v>", 0), (b' t="str"', b"<v></v>", 2)]
)
def test_results_of_formulas_are_read_even_if_they_are_empty(tmp_path, kind, result, missing):
    path = save(tmp_path / "in.xlsx", ROWS)
    compute(path, kind, result)
    assert io.read(path).frame["twice"].isna().sum() == missing
