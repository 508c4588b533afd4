from __future__ import annotations

import json

import pandas as pd
import pyarrow as pa
import pytest

from swapmeet import io
from swapmeet.io.code_book import describe_columns, describe_reading

pyreadstat = pytest.importorskip("pyreadstat")
ANSWERS = pd.DataFrame(
    {"sex": [1.0, 2.0, 2.0], "income": [1200.5, -9.0, 98.0], "town": ["A", "B", "XX"]}
)


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(
        ANSWERS, path, column_labels={"sex": "Sex of the person"},
        variable_value_labels={"sex": {1.0: "male", 2.0: "female"}, "town": {"A": "Altona"}},
        missing_ranges={"income": [-9, {"lo": 97, "hi": 99}], "town": ["XX"]},
    )  # fmt: skip
    return io.read(path)


def test_labels_and_codes_of_a_statistical_file(survey):
    told = describe_columns(survey)
    assert told["sex"] == {
        "type": "float64", "label": "Sex of the person",
        "value_labels": {"1": "male", "2": "female"}, "missing_codes": None,
    }  # fmt: skip
    assert sorted(told["income"]["missing_codes"]) == ["-9", "97 to 99"]
    assert told["town"]["value_labels"] == {"A": "Altona"}
    assert told["town"]["missing_codes"] == ["XX"]
    assert json.loads(json.dumps(told)) == told


def test_letters_that_stata_declares(tmp_path):
    table = pd.DataFrame({"income": pd.Series([1.0, "a", 3.0], dtype=object)})
    pyreadstat.write_dta(table, tmp_path / "s.dta", missing_user_values={"income": ["a"]})
    assert describe_columns(io.read(tmp_path / "s.dta"))["income"]["missing_codes"] == ["a"]


def test_a_plain_file_tells_types_only(tmp_path):
    (tmp_path / "t.csv").write_text("day;age;name\n2020-01-01;31;Ann\n2020-01-02;;Bob\n")
    document = io.read(tmp_path / "t.csv")
    assert {name: told["type"] for name, told in describe_columns(document).items()} == {
        "day": "date", "age": "int64", "name": "string",
    }  # fmt: skip
    assert all(
        (told["label"], told["value_labels"], told["missing_codes"]) == (None, {}, None)
        for told in describe_columns(document).values()
    )


def test_types_have_the_same_names_whatever_holds_them(tmp_path):
    table = pa.table({"n": [1, 2], "x": [0.5, 1.5], "b": [True, False], "t": ["a", "b"]})
    io.write(tmp_path / "t.parquet", table)
    table.to_pandas().to_excel(tmp_path / "t.xlsx", index=False)
    one, other = (describe_columns(io.read(tmp_path / f"t.{end}")) for end in ("parquet", "xlsx"))
    assert one == other
    assert [told["type"] for told in one.values()] == ["int64", "float64", "boolean", "string"]


@pytest.mark.parametrize(
    ("text", "options", "reading"),
    [
        ("a;b\n1;2\n", {}, {"header": True, "delimiter": ";", "encoding": "utf-8"}),
        ("1,2\n3,4\n", {"header": False},
         {"header": False, "delimiter": ",", "encoding": "utf-8"}),
    ],
)  # fmt: skip
def test_how_a_text_was_read(tmp_path, text, options, reading):
    (tmp_path / "t.csv").write_text(text)
    document = io.read(tmp_path / "t.csv", **options)
    assert describe_reading(document) == reading
    assert io.read(tmp_path / "t.csv", **reading).frame.equals(document.frame)


def test_a_file_that_is_read_in_one_way_only_has_no_settings(survey):
    assert describe_reading(survey) == {}
