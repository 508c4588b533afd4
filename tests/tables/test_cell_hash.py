from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.tables.cell_hash import MISSING, Precision, hash_cells, precision_of

DAY, MOMENT = dt.date(2020, 3, 1), dt.datetime(2020, 3, 1, 10, 30)


@pytest.mark.parametrize(
    "values",
    [
        [pa.array([5]), pa.array([5.0]), pa.array(["5"]), pa.array([" 5.0 "]), pa.array(["+5"]),
         pa.array([Decimal("5.00")]), pa.array([5], pa.uint8()), pa.array(["005"]),
         pa.array([5], pa.float32()), pa.array(["5"]).dictionary_encode()],
        [pa.array([2.5]), pa.array(["2.5"]), pa.array(["2,5"]), pa.array(["25e-1"])],
        [pa.array([True]), pa.array([1]), pa.array(["TRUE"]), pa.array(["true"])],
        [pa.array([None], pa.float64()), pa.array([np.nan]), pa.array([None]), pa.array([""]),
         pa.array(["NA"]), pa.array(["."]), pa.array([np.inf]), pa.array(["-inf"]),
         pa.array(["n/a"]), pa.array([None], pa.string()), pa.array([None], pa.date32())],
        [pa.array([0.0]), pa.array([-0.0]), pa.array(["-0"])],
        [pa.array([DAY]), pa.array([dt.datetime(2020, 3, 1)]), pa.array(["2020-03-01"]),
         pa.array(["2020-03-01 00:00:00"]), pa.array([DAY], pa.date64())],
        [pa.array([MOMENT], pa.timestamp("ns")), pa.array([MOMENT], pa.timestamp("s")),
         pa.array(["2020-03-01T10:30:00.000000"]), pa.array(["2020-03-01 11:30+01:00"]),
         pa.array(["2020-03-01 05:00:00-0530"]), pa.array(["2020-03-01 10:30:00Z"]),
         pa.array([MOMENT], pa.timestamp("us", "America/New_York"))],
        [pa.array(["two\r\nlines"]), pa.array(["two\nlines "])],
        [pa.array([1234567890123456789]), pa.array([1.234567890123457e18])],
    ],
)  # fmt: skip
def test_a_value_is_the_same_in_whatever_type_it_is_held(values):
    assert len({int(hash_cells(column)[0]) for column in values}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["a"], ["b"]), (["ab"], ["ba"]), (["a"], ["aa"]), ([1], [2]), ([1], ["1 a"]), ([0], [""]),
        ([999_999_999_998], [999_999_999_999]), ([0.1], [0.1000001]), ([DAY], [0]),
        (["2020-03-01 10:00"], ["2020-03-01 11:00"]), (["A"], ["a"]), ([1], [-1]),
    ],
)  # fmt: skip
def test_other_values_are_told_apart(one, other):
    assert hash_cells(pa.array(one))[0] != hash_cells(pa.array(other))[0]


@given(st.lists(st.floats(width=64), max_size=20))
def test_numbers_survive_text_and_an_error_in_the_last_digit(values):
    column = pa.array(values, pa.float64())
    shown = pa.array([repr(value) for value in values], pa.string())
    assert hash_cells(column).tolist() == hash_cells(shown).tolist()


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=20))
def test_numbers_of_single_precision_survive_text(values):
    column = pa.array(values, pa.float32())
    shown = column.cast(pa.string())
    assert hash_cells(column, Precision.SINGLE).tolist() == (
        hash_cells(shown, Precision.SINGLE).tolist()
    )


@given(st.lists(st.one_of(st.none(), st.text(max_size=8)), max_size=30))
def test_texts_and_categories_of_any_sort_have_the_same_bits(values):
    column = pa.array(values, pa.large_string())
    whole = hash_cells(column)
    assert whole.tolist() == hash_cells(column.dictionary_encode()).tolist()
    assert whole[3:].tolist() == hash_cells(column.slice(3)).tolist()
    assert whole.tolist() == [int(hash_cells(column.slice(i, 1))[0]) for i in range(len(values))]


@given(st.lists(st.datetimes(dt.datetime(1600, 1, 1), dt.datetime(2200, 1, 1)), max_size=20))
def test_moments_survive_text(values):
    column = pa.array(values, pa.timestamp("us"))
    shown = pa.array([str(value) for value in values], pa.string())
    assert hash_cells(column).tolist() == hash_cells(shown).tolist()


def test_long_texts_are_read_to_their_end():
    long = "x" * 3_000_000
    bits = hash_cells(pa.array([long + "a", "y", long + "b", None, long + "a"]))
    assert bits[0] != bits[2]
    assert (bits[0], bits[3]) == (bits[4], MISSING)


def test_to_the_last_digit_nothing_is_overlooked():
    near = pa.array([0.1, np.nextafter(0.1, 1)])
    assert len(set(hash_cells(near).tolist())) == 1
    assert len(set(hash_cells(near, Precision.EXACT).tolist())) == 2
    times = pa.array([MOMENT, MOMENT + dt.timedelta(seconds=1)])
    assert len(set(hash_cells(times, Precision.EXACT).tolist())) == 2
    assert len(set(hash_cells(pa.array(["5", "5.0"]), Precision.EXACT).tolist())) == 2


@pytest.mark.parametrize(
    ("kind", "precision"),
    [
        (pa.int8(), Precision.USUAL), (pa.float64(), Precision.USUAL), (pa.null(), Precision.USUAL),
        (pa.float32(), Precision.SINGLE), (pa.float16(), Precision.SINGLE),
        (pa.dictionary(pa.int8(), pa.float32()), Precision.SINGLE),
        (pa.string_view(), Precision.USUAL), (pa.timestamp("ns", "UTC"), Precision.USUAL),
        (pa.time64("us"), None), (pa.duration("s"), None), (pa.binary(), None),
        (pa.list_(pa.int8()), None), (pa.month_day_nano_interval(), None),
    ],
)  # fmt: skip
def test_types_whose_values_do_not_come_back_take_no_part(kind, precision):
    assert precision_of(kind) == precision
