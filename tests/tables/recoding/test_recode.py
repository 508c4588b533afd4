"""Tables in memory after their steps: worked by hand, and of every library and type."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.errors import SchemaError, TableError
from swapmeet.tables.frame import Table
from swapmeet.tables.recoding.recode import Recode, parse_recodes, recode_table

D, M = dt.date, dt.datetime
WORKED = {
    "top 40": ([17, 42, None, 93], [17, 40, None, 40]),
    "bottom 18": ([17, 42, None, 3], [18, 42, None, 18]),
    "round 5": ([17, 12, None, -13, 43], [15, 10, None, -15, 45]),
    "round 2": ([1, 3, 5, 7], [0, 4, 4, 8]),
    "cut 0, 18, 65": ([17, 18, None, 64, 65, 99], [0, 18, None, 18, 65, 65]),
    "group 1, 2 = 1; 3 = 9": ([1, 2, None, 3, 4], [1, 1, None, 9, 4]),
    "suppress >= 65": ([17, 18, None, 65, 99], [17, 18, None, None, None]),
    "suppress 17, 99": ([17, 18, None, 65, 99], [None, 18, None, 65, None]),
    "suppress rare 2": ([1, 1, 2, 2, 3, None], [1, 1, 2, 2, None, None]),
    "group rare 2 = 0": ([1, 1, 2, 3, None], [1, 1, 0, 0, None]),
    "month": ([D(1999, 5, 31), None, D(2000, 2, 1)], [D(1999, 5, 1), None, D(2000, 2, 1)]),
    "quarter": ([D(1999, 5, 31), D(2000, 2, 1)], [D(1999, 4, 1), D(2000, 1, 1)]),
    "week": ([D(2024, 5, 15), D(2024, 5, 20)], [D(2024, 5, 13), D(2024, 5, 20)]),
    "top 2000-01-01": ([D(1999, 5, 31), D(2001, 1, 1)], [D(1999, 5, 31), D(2000, 1, 1)]),
    "hour": ([M(1999, 5, 3, 7, 59), M(2000, 1, 1)], [M(1999, 5, 3, 7), M(2000, 1, 1)]),
    "group a, b = x": (["a", "b", None, "c"], ["x", "x", None, "c"]),
    "round 0.1": ([0.12, 0.3, None, 2.05], [0.1, 0.3, None, 2.0]),
    "round 0.5": ([Decimal("1.30"), Decimal("2.80")], [Decimal("1.50"), Decimal("3.00")]),
}  # fmt: skip


@pytest.mark.parametrize("step", WORKED)
def test_a_step_worked_by_hand(step):
    before, after = WORKED[step]
    table = pa.table({"x": pa.array(before)})
    found = sm.recode(table, f"x: {step}")
    assert found["x"].to_pylist() == after
    assert found.schema == table.schema


def test_ordered_levels_have_top_codes_and_keep_their_order():
    levels = ["none", "low", "mid", "high"]
    frame = pd.DataFrame({"x": pd.Categorical(["none", "high", "low", None], levels, ordered=True)})
    found = sm.recode(frame, "x: top mid", "x: suppress < low")
    assert found["x"].astype(object).where(found["x"].notna(), None).tolist() == [
        None, "mid", "low", None,
    ]  # fmt: skip
    assert found["x"].cat.categories.tolist() == ["low", "mid"]
    assert found["x"].cat.ordered


def test_a_step_sees_what_the_one_before_left():
    frame = pa.table({"x": [1, 1, 1, 2, 3, 4]})
    found = sm.recode(frame, "x: group 3, 4 = 3", "x: suppress rare 2")
    assert found["x"].to_pylist() == [1, 1, 1, None, 3, 3]


def test_each_step_tells_how_many_values_it_changed():
    table = Table(pa.table({"x": [1, 5, None, 9, 9], "y": ["a", "b", "b", "c", None]}))
    steps = ["x: top 5", "x: round 5", "y: group c = b"]
    done = recode_table(table, parse_recodes(steps))
    assert [result.changed for result in done.results] == [2, 1, 1]
    assert done.facts[0].startswith("before masking, x was top-coded at 5")
    assert done.results[2].to_dict() == {
        "column": "y", "sentence": "y was grouped: 1 named value became 1", "changed": 1,
    }  # fmt: skip


def test_codes_of_missing_values_are_no_values_for_a_step():
    step = Recode.parse("x: top 40")
    rare = Recode.parse("x: suppress rare 2")
    steps = [Recode(r.text, r.column, r.step, missing=(-9, 99)) for r in (step, rare)]
    table = Table(pa.table({"x": [10, 10, 50, 60, 30, -9, 99]}))
    assert recode_table(table, steps).data.native["x"].to_pylist() == [
        10, 10, 40, 40, None, -9, 99,
    ]  # fmt: skip


def test_a_step_that_names_a_code_suppresses_it():
    step = Recode.parse("x: suppress -9")
    table = Table(pa.table({"x": [10, 20, -9]}))
    steps = [Recode(step.text, step.column, step.step, missing=(-9,))]
    assert recode_table(table, steps).data.native["x"].to_pylist() == [10, 20, None]


PEOPLE = pd.DataFrame(
    {
        "age": [17, 42, 93, 5],
        "wage": [1.5, np.nan, 2e6, 7.25],
        "job": ["cook", "cook", "pilot", None],
        "kind": pd.Categorical(["a", "b", "c", "a"]),
        "born": [D(1999, 5, 6), None, D(2000, 1, 31), D(1950, 7, 7)],
        "seen": pd.to_datetime(["1999-05-06 07:08", "2000-01-01 00:00", None, "1970-12-31 23:59"]),
    }
)
STEPS = ["age: top 80", "wage: suppress >= 1e6", "job: group cook = other", "kind: group a, b = ab",
         "born: month", "seen: year"]  # fmt: skip
FRAMES = {
    "pandas": PEOPLE,
    "pandas nullable": PEOPLE.convert_dtypes(),
    "pandas arrow": PEOPLE.convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.from_pandas(PEOPLE),
    "pyarrow": pa.Table.from_pandas(PEOPLE, preserve_index=False),
}


@pytest.mark.parametrize("library", FRAMES)
def test_types_and_library_survive_and_the_input_stays(library):
    frame = FRAMES[library]
    before = repr(Table(frame).native)
    found = sm.recode(frame, *STEPS)
    assert type(found) is type(frame)
    assert [Table(found).family(name) for name in PEOPLE] == [
        Table(frame).family(name) for name in PEOPLE
    ]
    assert repr(frame) == before
    cells = {name: Table(found).plain(name).to_pylist() for name in PEOPLE}
    assert cells["age"] == [17, 42, 80, 5]
    assert cells["wage"][0] == 1.5
    assert cells["wage"][2] is None or np.isnan(cells["wage"][2])
    assert cells["job"] == ["other", "other", "pilot", None]
    assert cells["kind"] == ["ab", "ab", "c", "ab"]
    assert cells["born"] == [D(1999, 5, 1), None, D(2000, 1, 1), D(1950, 7, 1)]
    assert [moment and moment.year for moment in cells["seen"]] == [1999, 2000, None, 1970]


def test_a_pandas_index_survives():
    frame = PEOPLE.set_index(pd.Index([7, 5, 5, 1]))
    assert sm.recode(frame, *STEPS).index.tolist() == [7, 5, 5, 1]


def test_suppressed_integers_of_pandas_become_nullable_ones():
    found = sm.recode(PEOPLE, "age: suppress > 90")
    assert str(found["age"].dtype) == "Int64"
    assert found["age"].isna().tolist() == [False, False, True, False]


REFUSED = {
    "agee: top 5": "no column 'agee'; did you mean 'age'",
    "job: top 5": "holds text; 'top' needs numbers",
    "kind: round 5": "'round' needs numbers",
    "age: top 5.5": "no value that column 'age' can hold",
    "age: round 0": "above 0",
    "age: month": "'month' needs dates",
    "born: hour": "needs dates with a time of day",
    "age: cut 18, 30": "2 values lie below the first bound",
    "age: cut 30, 18": "must rise",
    "age: top 1": "leave one value in column 'age'",
    "kind: suppress rare 2": "leave one value in column 'kind'",
    "job: suppress cook, pilot": "leave no value in column 'job'",
}


@pytest.mark.parametrize("step", REFUSED)
def test_a_step_that_cannot_be_is_refused(step):
    with pytest.raises((SchemaError, TableError), match=REFUSED[step]):
        sm.recode(PEOPLE, step)


def test_a_group_of_ordered_levels_takes_one_of_their_names():
    frame = pd.DataFrame({"x": pd.Categorical(["a", "b", "c"], ordered=True)})
    assert sm.recode(frame, "x: group a, b = b")["x"].tolist() == ["b", "b", "c"]
    with pytest.raises(SchemaError, match="so that the order stays known"):
        sm.recode(frame, "x: group a, b = low")


@pytest.mark.parametrize(
    ("step", "told"),
    [("age: top 100", "no value changed"), ("job: group cook, baker = other", "in no row")],
)
def test_what_changes_nothing_or_names_nobody_is_told(step, told):
    with pytest.warns(sm.SwapmeetWarning, match=told) as warned:
        sm.recode(PEOPLE, step)
    assert not any("baker" in str(one.message) for one in warned)


NUMBERS = st.lists(st.none() | st.integers(-50, 50), min_size=4, max_size=30)


@given(NUMBERS, st.integers(-60, 60), st.sampled_from(["int8", "int64", "float32", "float64"]))
def test_a_top_code_is_the_lesser_of_value_and_bound(values, bound, kind):
    table = Table(pa.table({"x": pa.array(values, kind)}))
    expected = [None if value is None else min(value, bound) for value in values]
    left, right = ({value for value in side if value is not None} for side in (values, expected))
    if len(left) >= 2 > len(right):
        with pytest.raises(TableError, match="leave one value"):
            recode_table(table, parse_recodes(f"x: top {bound}"))
        return
    done = recode_table(table, parse_recodes(f"x: top {bound}"))
    assert done.data.native["x"].to_pylist() == expected
    assert done.data.native["x"].type == table.native["x"].type
    changed = sum(one != other for one, other in zip(values, expected, strict=True))
    assert done.results[0].changed == changed


@given(st.lists(st.none() | st.sampled_from("abcde"), min_size=2, max_size=40), st.booleans())
def test_rare_levels_are_those_of_too_few_rows(values, coded):
    cells = pa.array(values, pa.string())
    table = Table(pa.table({"x": cells.dictionary_encode() if coded else cells}))
    expected = [None if value is None or values.count(value) < 3 else value for value in values]
    left, right = (set(side) - {None} for side in (values, expected))
    if len(left) >= 2 > len(right):
        with pytest.raises(TableError, match="leave"):
            recode_table(table, parse_recodes("x: suppress rare 3"))
        return
    done = recode_table(table, parse_recodes("x: suppress rare 3"))
    assert done.data.native["x"].to_pylist() == expected


@given(NUMBERS, st.integers(1, 12))
def test_rounded_values_are_the_nearest_multiples(values, multiple):
    table = Table(pa.table({"x": pa.array([*values, 0, 3 * multiple], pa.int64())}))
    found = recode_table(table, parse_recodes(f"x: round {multiple}")).data.native["x"].to_pylist()
    for before, after in zip(values, found, strict=False):
        assert (before is None) == (after is None)
        if before is not None:
            assert after % multiple == 0
            assert abs(after - before) * 2 <= multiple
