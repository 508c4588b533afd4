from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from swapmeet.io.delimited.values import parse_column


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
