"""The fingerprint of a release is the same in every format and every frame."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet import io
from swapmeet.base.seeds import Seed
from swapmeet.release.fingerprint import (
    MISSING,
    Fingerprint,
    Precision,
    RowPrinter,
    RowPrints,
    hash_cells,
    precision_of,
)
from swapmeet.tables.frame import Table

SEED = Seed.chosen_by_user(3)
N = 300


def some(rng, values):
    return [values[i] for i in rng.integers(0, len(values), N)]


def make_messy():
    """A table of all that files hold, each in its own odd way."""
    rng = np.random.default_rng(5)
    begin = dt.datetime(2001, 2, 3)
    wide = 10.0 ** rng.integers(-8, 12, N)
    return pa.table({
        "whole": pa.array(rng.integers(-(2**40), 2**40, N)),
        "large": pa.array(rng.integers(2**53, 2**62, N)),
        "real": pa.array(rng.normal(size=N) * wide),
        "single": pa.array((rng.normal(size=N) * wide).astype(np.float32)),
        "gaps": pa.array([None if x < 0.3 else float(x) for x in rng.random(N)]),
        "few": pa.array([None if x < 30 else int(x) for x in rng.integers(0, 90, N)]),
        "money": pa.array([Decimal(int(x)) / 100 for x in rng.integers(0, 10**9, N)],
                          pa.decimal128(14, 2)),
        "flag": pa.array(rng.random(N) < 0.5),
        "day": pa.array([begin.date() + dt.timedelta(days=int(x))
                         for x in rng.integers(0, 9000, N)]),
        "second": pa.array([begin + dt.timedelta(seconds=int(x))
                            for x in rng.integers(0, 10**8, N)], pa.timestamp("us")),
        "instant": pa.array([begin + dt.timedelta(microseconds=int(x))
                             for x in rng.integers(0, 10**15, N)], pa.timestamp("us")),
        "zone": pa.array([begin + dt.timedelta(minutes=int(x)) for x in rng.integers(0, 10**6, N)],
                         pa.timestamp("us", "Europe/Berlin")),
        "text": pa.array(some(rng, ["a", "Österreich", "x, y", 'say "hi"', " blank ", "two\nlines",
                                    None, "NA", "007", "n/a"])),
        "number": pa.array(some(rng, ["1", "2", "007", "3.50", None])),
        "odd": pa.array(some(rng, ["1", "true", "2020-01-01", "x", "2,5", "+4"])),
        "level": pa.array(some(rng, ["low", "mid", "high", None])).dictionary_encode(),
        "code": pa.array(some(rng, [10, 20, 30])).dictionary_encode(),
    })  # fmt: skip


MESSY = make_messy()
FINGERPRINT = Fingerprint.of(SEED, Table(MESSY), MESSY.column_names)


def differing(frame):
    """The columns that do not come back, or "rows" if only the rows do not."""
    found = FINGERPRINT.printer(SEED).print_rows(Table(frame))
    wanted = FINGERPRINT.prints
    columns = [name for name, one, other in zip(MESSY.column_names, wanted.totals, found.totals,
                                                strict=True) if one != other]  # fmt: skip
    return columns or ([] if np.array_equal(wanted.rows, found.rows) else ["rows"])


@pytest.mark.parametrize(
    "name",
    ["r.csv", "r.tsv", "r.parquet", "r.arrow", "r.sav", "r.zsav", "r.dta", "r.xpt", "r.xlsx"],
)
def test_every_format_gives_the_same_bits(name, tmp_path):
    if name.endswith(("sav", "dta", "xpt")) and find_spec("pyreadstat") is None:
        pytest.skip("pyreadstat is not installed")
    io.write(tmp_path / name, MESSY)
    assert differing(io.read(tmp_path / name).frame) == []


@pytest.mark.parametrize("before", ["a.csv", "a.parquet", "a.sav", "a.dta", "a.xlsx"])
def test_cells_that_are_copied_from_a_file_of_the_format_give_the_same_bits(before, tmp_path):
    """A release in the format of its original repeats its cells as they stand there."""
    io.write(tmp_path / before, MESSY)
    document = io.read(tmp_path / before)
    order = np.random.default_rng(1).permutation(N)
    donors = dict.fromkeys(MESSY.column_names, order)
    frame = Table(document.frame).take(donors, MESSY.column_names)
    io.write(tmp_path / f"b{before}", frame, like=document, donors=donors)
    wanted = FINGERPRINT.prints.rows[order]
    printer = FINGERPRINT.printer(SEED)
    for table in (frame, io.read(tmp_path / f"b{before}").frame):
        assert np.array_equal(printer.print_rows(Table(table)).rows, wanted)


@pytest.mark.parametrize(
    "convert",
    [
        lambda t: t.to_pandas(),
        lambda t: t.to_pandas(types_mapper=pd.ArrowDtype),
        lambda t: t.to_pandas().convert_dtypes(),
        lambda t: t.to_pandas().astype(object),
        pl.from_arrow,
        lambda t: t.select(t.column_names[::-1]),
        lambda t: pa.concat_tables([t.slice(0, 7), t.slice(7)]),
    ],
    ids=[
        "pandas",
        "pandas arrow",
        "pandas nullable",
        "pandas objects",
        "polars",
        "order",
        "chunks",
    ],
)
def test_every_frame_gives_the_same_bits(convert):
    assert differing(convert(MESSY)) == []


@pytest.mark.parametrize("write", [lambda t, p: t.to_pandas().to_csv(p, index=False),
                                   lambda t, p: pl.from_arrow(t).write_csv(p)])  # fmt: skip
@pytest.mark.parametrize(
    "read",
    [
        lambda p: io.read(p).frame,
        pd.read_csv,
        lambda p: pd.read_csv(p, dtype=str),
        lambda p: pl.read_csv(p, infer_schema_length=None),
        lambda p: pl.read_csv(p, infer_schema_length=None, try_parse_dates=True),
    ],
)
def test_text_that_others_write_and_read_gives_the_same_bits(write, read, tmp_path):
    write(MESSY, tmp_path / "r.csv")
    assert differing(read(tmp_path / "r.csv")) == []


def test_mixed_types_are_read_as_text():
    one = pd.DataFrame({"x": [1, "a", 2.5, None, dt.datetime(2020, 1, 1)]})
    other = pa.table({"x": ["1", "a", "2.5", None, "2020-01-01"]})
    prints = [Fingerprint.of(SEED, Table(frame), ["x"]).prints.rows for frame in (one, other)]
    assert np.array_equal(*prints)


def test_the_bits_tell_nothing_without_the_seed():
    other = Fingerprint.of(Seed.chosen_by_user(4), Table(MESSY), MESSY.column_names)
    assert not np.isin(other.prints.rows, FINGERPRINT.prints.rows).any()
    assert "secret" in repr(FINGERPRINT)


def test_rows_in_pieces_have_the_bits_of_the_whole():
    printer = FINGERPRINT.printer(SEED)
    parts = [printer.print_rows(Table(MESSY.slice(i, 77))) for i in range(0, N, 77)]
    whole = RowPrints.join(parts)
    assert np.array_equal(whole.rows, FINGERPRINT.prints.rows)
    assert np.array_equal(whole.totals, FINGERPRINT.prints.totals)


@pytest.mark.parametrize("name", MESSY.column_names)
def test_one_changed_cell_changes_its_row_only(name):
    column = MESSY[name].combine_chunks()
    other = next(i for i in range(N) if column[i].as_py() not in {column[0].as_py(), None, "n/a"})
    rows = np.arange(N)
    rows[0] = other
    place = MESSY.column_names.index(name)
    changed = MESSY.set_column(place, name, column.take(pa.array(rows)))
    found = FINGERPRINT.printer(SEED).print_rows(Table(changed))
    assert np.flatnonzero(found.rows != FINGERPRINT.prints.rows).tolist() == [0]
    assert np.flatnonzero(found.totals != FINGERPRINT.prints.totals).tolist() == [place]


def test_swapping_two_cells_of_a_row_changes_it():
    table = pa.table({"a": [1, 2], "b": [2, 1]})
    printer = RowPrinter(SEED, Fingerprint.of(SEED, Table(table), ["a", "b"]).precisions)
    one, other = printer.print_rows(Table(table)).rows
    assert one != other


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
