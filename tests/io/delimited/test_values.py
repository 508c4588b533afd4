from __future__ import annotations

import datetime as dt
import warnings

import openpyxl
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet import io
from swapmeet.errors import SwapmeetWarning
from swapmeet.io.delimited.values import parse_column
from swapmeet.io.release_table import restore_columns


def column(*tokens, decimal_comma=False):
    values = parse_column(pa.array(tokens, pa.large_string()), decimal_comma=decimal_comma).values
    return values.type, values.to_pylist()


def test_whole_numbers_are_int64_and_markers_missing():
    markers = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "."]
    assert column("1", "-20", "+3", *markers) == (pa.int64(), [1, -20, 3] + [None] * len(markers))


def test_decimal_numbers_are_float64():
    assert column("1", "2.5", ".5", "1e3", "-inf", "NA") == (
        pa.float64(),
        [1, 2.5, 0.5, 1000, float("-inf"), None],
    )


@pytest.mark.parametrize(
    "tokens",
    [
        ("00123", "4"),
        ("007.5", "1.5"),
        ("9223372036854775808", "1"),
        ("0x1F",),
        ("1,000", "2"),
        ("2020-02-30",),
        ("12:30", "13:00"),
        ("yes", "no"),
        ("T", "F"),
        ("1", "one"),
    ],
)
def test_codes_and_mixtures_stay_text(tokens):
    assert column(*tokens) == (pa.large_string(), list(tokens))


def test_in_text_only_the_empty_cell_is_missing():
    assert column("NA", "", '""', "x", ".") == (pa.large_string(), ["NA", None, None, "x", "."])


def test_a_column_of_markers_alone_stays_text():
    assert column("", "") == (pa.large_string(), [None, None])
    assert column("NA", "NA") == (pa.large_string(), ["NA", "NA"])
    assert column() == (pa.large_string(), [])


def test_quotes_and_blanks_around_numbers_do_not_matter():
    assert column('"1"', " 2", '" 3"') == (pa.int64(), [1, 2, 3])


def test_quoted_text_is_unquoted():
    assert column('"say ""hi"" now"', '"a\nb"')[1] == ['say "hi" now', "a\nb"]


def test_decimal_commas_are_numbers_only_where_allowed():
    assert column("3,14", "2", decimal_comma=True) == (pa.float64(), [3.14, 2])
    assert column("3.14", "2", decimal_comma=True) == (pa.float64(), [3.14, 2])
    assert column("3,14", "2") == (pa.large_string(), ["3,14", "2"])


def test_iso_dates_and_moments():
    assert column("2020-01-31", "NA") == (pa.date32(), [dt.date(2020, 1, 31), None])
    assert column("2020-01-31 10:00", "2020-01-31T10:00:00.25") == (
        pa.timestamp("us"),
        [dt.datetime(2020, 1, 31, 10), dt.datetime(2020, 1, 31, 10, 0, 0, 250000)],
    )
    assert column("2020-01-31T10:00:00.1234567")[0] == pa.timestamp("ns")
    assert column("2020-01-31T10:00:00+02:00", "2020-01-31T10:00:00Z")[0] == pa.timestamp(
        "us", "UTC"
    )


def test_truth_values_are_words():
    assert column("true", "FALSE", "NA") == (pa.bool_(), [True, False, None])


TEXTS = ["=cmd|' /C calc'!A0", "+A1", "-A1", "@SUM(A1)", "\t=1", "a=b", "-5", "+1,5", "-1e3", ""]
DANGEROUS = 5


def save(folder):
    path = folder / "in.parquet"
    io.write(path, pa.table({"word": TEXTS, "loss": [-1.5] * 10, "n": list(range(10))}))
    return path


def test_text_that_spreadsheets_run_is_counted(tmp_path):
    document = io.read(save(tmp_path))
    with pytest.warns(
        SwapmeetWarning, match=rf"formulas and run stands in 'word' \({DANGEROUS}\)\."
    ):
        io.write(tmp_path / "out.csv", document.frame, like=document)
    again = io.read(tmp_path / "out.csv")
    with pytest.warns(SwapmeetWarning, match=rf"'word' \({DANGEROUS}\)\."):
        io.write(tmp_path / "again.csv", again.frame, like=again)
    assert again.frame["word"].to_pylist()[:-1] == TEXTS[:-1]


@pytest.mark.filterwarnings("ignore:column loss")
def test_pieces_count_too(tmp_path):
    with pytest.warns(SwapmeetWarning, match=rf"'word' \({DANGEROUS}\)\."):
        sm.mask_file(
            save(tmp_path), tmp_path / "out.csv", sm.RankSwap(window=0.3), keep=["word"],
            publish=["n", "word"],
        )  # fmt: skip


@pytest.mark.parametrize("guarded", [False, True])
def test_names_that_spreadsheets_run_are_told_of(tmp_path, guarded):
    table = pa.table({"=cmd|calc": [1, 2], "-5": [1, 2], "b": [1, 2]})
    with pytest.warns(SwapmeetWarning, match=r"names of columns .* run them: '=cmd\|calc'\. "):
        io.write(tmp_path / "out.csv", table, guard_formulas=guarded)
    assert io.read(tmp_path / "out.csv", header=True).frame.column_names == table.column_names


def test_other_text_is_not_spoken_of(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        io.write(tmp_path / "out.csv", pa.table({"a": ["a=b", "-5"], "b": [-1, -2]}))


def test_a_workbook_has_them_as_text(tmp_path):
    document = io.read(save(tmp_path))
    io.write(tmp_path / "out.xlsx", document.frame, like=document)
    cells = [cell for (cell,) in openpyxl.load_workbook(tmp_path / "out.xlsx").active["A2:A11"]]
    assert {cell.data_type for cell in cells if cell.value} == {"s"}
    assert cells[0].value == TEXTS[0]


def test_guarded_text_is_harmless_and_can_be_read_back(tmp_path):
    document = io.read(save(tmp_path))
    out = tmp_path / "out.csv"
    io.write(out, document.frame, like=document, guard_formulas=True)
    guarded = io.read(out)
    assert guarded.frame["word"].to_pylist()[:2] == ["'" + text for text in TEXTS[:2]]
    assert guarded.frame["loss"].to_pylist() == [-1.5] * 10
    restored = restore_columns(guarded, document).frame
    assert restored["word"].to_pylist()[:-1] == TEXTS[:-1]


def test_apostrophes_of_the_original_stay(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("word,n\n'=a,1\nb,2\n")
    document = io.read(path)
    assert restore_columns(document, document).frame["word"].to_pylist() == ["'=a", "b"]
