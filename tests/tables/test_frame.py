from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from swapmeet.errors import TableError
from swapmeet.tables.arrow import CellType
from swapmeet.tables.frame import Table, reorder

DONORS = np.array([2, 0, 1, 1])
HOLES = np.array([2, -1, 1, -1])
MOMENTS = [dt.datetime(2024, 3, day, 12, tzinfo=dt.UTC) for day in (1, 2, 2, 9)]
VIENNA = pd.DatetimeIndex(MOMENTS).tz_convert("Europe/Vienna")
DAYS = [dt.date(2024, 3, day) for day in (1, 2, 2, 9)]
TIMES = [dt.time(hour) for hour in (1, 2, 2, 9)]
AMOUNTS = [Decimal("1.50"), Decimal("2.25"), None, Decimal("9.00")]
WAITS = [dt.timedelta(seconds=second) for second in (1, 2, 2, 9)]

PANDAS = {
    "float": ([1.5, 2.5, np.nan, 9.0], "float64", CellType.FLOAT),
    "float32": ([1.5, 2.5, np.nan, 9.0], "float32", CellType.FLOAT),
    "float16": ([1.5, 2.5, 3.0, 9.0], "float16", CellType.FLOAT),
    "nullable float": ([1.5, 2.5, None, 9.0], "Float64", CellType.FLOAT),
    "nullable integer": ([1, 2, None, 9], "Int64", CellType.INTEGER),
    "nullable byte": ([1, 2, None, 9], "UInt8", CellType.INTEGER),
    "nullable boolean": ([True, False, None, True], "boolean", CellType.BOOLEAN),
    "text": (["a", "b", None, "a"], "str", CellType.TEXT),
    "python text": (["a", "b", None, "a"], pd.StringDtype("python"), CellType.TEXT),
    "text object": (["a", "b", None, "a"], object, CellType.TEXT),
    "boolean object": ([True, False, None, True], object, CellType.BOOLEAN),
    "number object": ([1, 2.5, None, 9], object, CellType.FLOAT),
    "day": (DAYS, object, CellType.TIME),
    "time": (TIMES, object, CellType.TIME),
    "decimal": (AMOUNTS, object, CellType.DECIMAL),
    "empty": ([None] * 4, object, CellType.EMPTY),
    "moment": (["2024-01-01", "2024-01-02", None, "2024-02-01"], "datetime64[s]", CellType.TIME),
    "moment with zone": (VIENNA, VIENNA.dtype, CellType.TIME),
    "wait": (pd.to_timedelta(WAITS), "timedelta64[ns]", CellType.TIME),
    "category": (pd.Categorical(["x", "y", None, "x"], ["y", "x", "z"]), None, CellType.CATEGORY),
    "ordered category": (
        pd.Categorical(["x", "y", None, "x"], ["y", "x", "z"], ordered=True),
        None,
        CellType.ORDERED,
    ),
    "interval category": (pd.cut(pd.Series([1, 2, 3, 9]), 3), None, CellType.ORDERED),
    "number category": (pd.Categorical([3, 1, None, 3]), None, CellType.CATEGORY),
    "arrow integer": ([1, 2, None, 9], "int64[pyarrow]", CellType.INTEGER),
    "arrow text": (["a", "b", None, "a"], "string[pyarrow]", CellType.TEXT),
    "arrow decimal": (AMOUNTS, pd.ArrowDtype(pa.decimal128(9, 2)), CellType.DECIMAL),
    "arrow day": (DAYS, pd.ArrowDtype(pa.date32()), CellType.TIME),
    "arrow boolean": ([True, None, False, True], "bool[pyarrow]", CellType.BOOLEAN),
    "arrow moment": (MOMENTS, pd.ArrowDtype(pa.timestamp("us", "Europe/Vienna")), CellType.TIME),
}
BECOME_NULLABLE = {
    "int64": "Int64", "int8": "Int8", "uint16": "UInt16", "uint64": "UInt64", "bool": "boolean",
}  # fmt: skip
ARROW = {
    "double": ([1.5, 2.5, None, 9.0], pa.float64(), CellType.FLOAT),
    "half": ([1.5, 2.5, None, 9.0], pa.float16(), CellType.FLOAT),
    "byte": ([1, 2, None, 9], pa.uint8(), CellType.INTEGER),
    "text": (["a", "b", None, "a"], pa.string(), CellType.TEXT),
    "large text": (["a", "b", None, "a"], pa.large_string(), CellType.TEXT),
    "text view": (["a", "b", None, "a"], pa.string_view(), CellType.TEXT),
    "boolean": ([True, None, False, True], pa.bool_(), CellType.BOOLEAN),
    "day": (DAYS, pa.date32(), CellType.TIME),
    "day in milliseconds": (DAYS, pa.date64(), CellType.TIME),
    "time": (TIMES, pa.time32("s"), CellType.TIME),
    "fine time": (TIMES, pa.time64("ns"), CellType.TIME),
    "moment": (MOMENTS, pa.timestamp("ms", "Europe/Vienna"), CellType.TIME),
    "wait": (WAITS, pa.duration("s"), CellType.TIME),
    "decimal": (AMOUNTS, pa.decimal128(9, 2), CellType.DECIMAL),
    "large decimal": (AMOUNTS, pa.decimal256(50, 2), CellType.DECIMAL),
    "category": (["a", "b", None, "a"], pa.dictionary(pa.int8(), pa.string()), CellType.CATEGORY),
    "empty": ([None] * 4, pa.null(), CellType.EMPTY),
}
POLARS = {
    "double": ([1.5, 2.5, None, 9.0], pl.Float64, CellType.FLOAT),
    "byte": ([1, 2, None, 9], pl.UInt8, CellType.INTEGER),
    "text": (["a", "b", None, "a"], pl.String, CellType.TEXT),
    "boolean": ([True, None, False, True], pl.Boolean, CellType.BOOLEAN),
    "day": (DAYS, pl.Date, CellType.TIME),
    "time": (TIMES, pl.Time, CellType.TIME),
    "moment": (MOMENTS, pl.Datetime("us", "UTC"), CellType.TIME),
    "wait": (WAITS, pl.Duration("ms"), CellType.TIME),
    "decimal": (AMOUNTS, pl.Decimal(9, 2), CellType.DECIMAL),
    "category": (["b", "a", None, "b"], pl.Categorical, CellType.CATEGORY),
    "ordered category": (["b", "a", None, "b"], pl.Enum(["b", "c", "a"]), CellType.ORDERED),
    "empty": ([None] * 4, pl.Null, CellType.EMPTY),
}


def pandas_frame(label):
    values, dtype, _ = PANDAS[label]
    return pd.DataFrame({"x": pd.Series(values, dtype=dtype)})


def arrow_frame(label):
    values, kind, _ = ARROW[label]
    if kind == pa.float16():
        values = [None if value is None else np.float16(value) for value in values]
    return pa.table({"x": pa.array(values, kind)})


def polars_frame(label):
    values, kind, _ = POLARS[label]
    return pl.DataFrame({"x": pl.Series(values, dtype=kind)})


CASES = [
    *[pytest.param(pandas_frame(label), id=f"pandas {label}") for label in PANDAS],
    *[pytest.param(arrow_frame(label), id=f"arrow {label}") for label in ARROW],
    *[pytest.param(polars_frame(label), id=f"polars {label}") for label in POLARS],
]
FAMILIES = [
    *[(pandas_frame(label), facts[2]) for label, facts in PANDAS.items()],
    *[(arrow_frame(label), facts[2]) for label, facts in ARROW.items()],
    *[(polars_frame(label), facts[2]) for label, facts in POLARS.items()],
]


def cells(frame):
    values = frame["x"].to_pylist() if isinstance(frame, pa.Table) else frame["x"].to_list()
    return ["missing" if value is None or pd.isna(value) else value for value in values]


def dtype(frame):
    return frame.schema.field("x") if isinstance(frame, pa.Table) else frame["x"].dtype


def copy_of(frame):
    return frame.copy() if isinstance(frame, pd.DataFrame) else frame


@pytest.mark.parametrize("frame", CASES)
def test_values_of_any_type_move_with_their_type(frame):
    before = cells(frame)
    taken = Table(frame).take({"x": DONORS}, ["x"])
    assert type(taken) is type(frame)
    assert dtype(taken) == dtype(frame)
    assert cells(taken) == [before[donor] for donor in DONORS]
    assert cells(frame) == before


@pytest.mark.parametrize("frame", CASES)
def test_suppressed_cells_of_any_type_are_missing(frame):
    before = cells(frame)
    taken = Table(frame).take({"x": HOLES}, ["x"])
    assert dtype(taken) == dtype(frame)
    assert cells(taken) == ["missing" if d < 0 else before[d] for d in HOLES]
    assert cells(frame) == before


@pytest.mark.parametrize(("plain", "nullable"), BECOME_NULLABLE.items())
def test_whole_numbers_become_nullable_only_when_cells_are_suppressed(plain, nullable):
    values = np.array([1, 0, 1, 1], dtype=plain)
    frame = pd.DataFrame({"x": values})
    assert Table(frame).take({"x": DONORS}, ["x"])["x"].dtype == plain
    holed = Table(frame).take({"x": HOLES}, ["x"])
    assert holed["x"].dtype == nullable
    assert cells(holed) == [values[2], "missing", values[1], "missing"]


def test_large_whole_numbers_survive_suppression_exactly():
    frame = pd.DataFrame({"x": np.array([2**63 - 1, 2**53 + 1, 5, 7])})
    assert Table(frame).take({"x": np.array([0, 1, -1, 3])}, ["x"])["x"][0] == 2**63 - 1


@pytest.mark.parametrize(("frame", "family"), FAMILIES)
def test_families_are_recognised(frame, family):
    assert Table(frame).family("x") is family


@pytest.mark.parametrize("frame", CASES)
def test_codes_tell_values_apart_and_mark_the_missing(frame):
    found, values = Table(frame).codes("x"), cells(frame)
    assert [code < 0 for code in found.codes] == [value == "missing" for value in values]
    for i, one in enumerate(values):
        for j, other in enumerate(values):
            assert (found.codes[i] == found.codes[j]) == (one == other)
    assert found.codes.max() < max(found.levels, 1)
    assert Table(frame).missing("x") == values.count("missing")


@pytest.mark.parametrize(
    ("frame", "numbers"),
    [
        (pandas_frame("float"), [1.5, 2.5, np.nan, 9]),
        (pandas_frame("float16"), [1.5, 2.5, 3, 9]),
        (pandas_frame("nullable integer"), [1, 2, np.nan, 9]),
        (pandas_frame("arrow decimal"), [1.5, 2.25, np.nan, 9]),
        (pandas_frame("decimal"), [1.5, 2.25, np.nan, 9]),
        (pandas_frame("ordered category"), [1, 0, np.nan, 1]),
        (pandas_frame("interval category"), [0, 0, 0, 2]),
        (pandas_frame("empty"), [np.nan] * 4),
        (arrow_frame("half"), [1.5, 2.5, np.nan, 9]),
        (arrow_frame("wait"), [1, 2, 2, 9]),
        (arrow_frame("time"), [3600, 7200, 7200, 32400]),
        (arrow_frame("large decimal"), [1.5, 2.25, np.nan, 9]),
        (polars_frame("ordered category"), [0, 2, np.nan, 0]),
        (polars_frame("byte"), [1, 2, np.nan, 9]),
    ],
)
def test_numbers_are_doubles_with_nan_for_missing(frame, numbers):
    found = Table(frame).numbers("x")
    assert found.dtype == np.float64
    assert np.array_equal(found, numbers, equal_nan=True)


@pytest.mark.parametrize("label", ["moment with zone", "day", "moment", "wait", "time"])
def test_times_are_numbers_in_proportion_to_their_distance(label):
    frame = pandas_frame(label)
    found = Table(frame).numbers("x")
    if label == "moment":
        assert np.isnan(found[2])
    else:
        assert (found[3] - found[0]) == pytest.approx(8 * (found[1] - found[0]))
        assert found[1] == found[2]


def test_zone_does_not_change_the_moment():
    utc = pd.DataFrame({"x": VIENNA.tz_convert("UTC")})
    assert np.array_equal(
        Table(utc).numbers("x"), Table(pandas_frame("moment with zone")).numbers("x")
    )


def test_booleans_are_two_numbers():
    found = Table(polars_frame("boolean")).numbers("x")
    assert np.isnan(found[1])
    assert found[[0, 2, 3]].tolist() == [1.0, 0.0, 1.0]


def test_order_of_categories_is_their_own_not_that_of_appearance_or_alphabet():
    frame = pd.DataFrame({"x": pd.Categorical(["b", "c", "a"], ["c", "b", "a"], ordered=True)})
    assert Table(frame).numbers("x").tolist() == [1, 0, 2]


def test_nan_and_null_are_both_missing():
    table = pa.table({"x": pa.array([1.0, None, float("nan")])})
    assert Table(table).missing("x") == 2
    assert Table(table).codes("x").codes.tolist() == [0, -1, -1]
    frame = pl.DataFrame({"x": [1.0, None, float("nan")]})
    assert Table(frame).missing("x") == 2


def test_minus_0_is_0():
    codes = Table(pd.DataFrame({"x": [0.0, -0.0, 1.0]})).codes("x")
    assert codes.codes.tolist() == [0, 0, 1]
    assert codes.levels == 2


def test_arrow_columns_in_chunks_are_read_whole():
    chunked = pa.chunked_array([["a", "b"], ["b", "c"]]).dictionary_encode()
    parts = pa.chunked_array(
        [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()]
    )
    assert Table(pa.table({"x": chunked})).codes("x").codes.tolist() == [0, 1, 1, 2]
    codes = Table(pa.table({"x": parts})).codes("x").codes
    assert codes[1] == codes[3]
    assert len(set(codes)) == 3
    taken = Table(pa.table({"x": parts})).take({"x": np.array([3, 2, 1, 0])}, ["x"])
    assert taken["x"].to_pylist() == ["b", "c", "b", "a"]


# pandas: index, attributes, columns


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([7, 7, 3, 1], name="person"),
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("b", 1)], names=["g", None]),
        pd.date_range("2020", periods=4),
        pd.Index(["w", "x", None, "z"]),
    ],
)
def test_rows_keep_their_index(index):
    frame = pd.DataFrame({"x": [1, 2, 3, 4]}, index=index)
    taken = Table(frame).take({"x": DONORS}, ["x"])
    assert taken.index.equals(index)
    assert taken.index.names == index.names
    assert taken["x"].tolist() == [3, 1, 2, 2]


def test_attributes_and_the_name_of_the_columns_stay():
    frame = pd.DataFrame({"x": [1, 2, 3, 4]})
    frame.attrs = {"source": "scan"}
    frame.columns.name = "variables"
    taken = Table(frame).take({"x": DONORS}, ["x"])
    assert taken.attrs == {"source": "scan"}
    assert taken.columns.name == "variables"
    taken.attrs["new"] = 1
    assert frame.attrs == {"source": "scan"}


@pytest.mark.parametrize("names", [["a", "c"], ["c", "a"], ["b"], ["c", "b", "a"]])
@pytest.mark.parametrize("make", [pd.DataFrame, pa.table, pl.DataFrame])
def test_columns_come_in_the_order_asked_for_under_their_own_names(make, names):
    frame = make({"a": [1, 2, 3, 4], "b": [10, 20, 30, 40], "c": [100, 200, 300, 400]})
    taken = Table(Table(frame).take({"a": DONORS, "c": DONORS}, names))
    assert taken.names == tuple(names)
    expected = {"a": [3, 1, 2, 2], "b": [10, 20, 30, 40], "c": [300, 100, 200, 200]}
    for name in names:
        assert taken.numbers(name).tolist() == expected[name]


def test_release_shares_no_memory_with_the_input():
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4], "kept": [1.0, 2, 3, 4]})
    taken = Table(frame).take({"x": DONORS}, ["x", "kept"])
    taken.loc[:, :] = 0.0
    assert frame["x"].tolist() == frame["kept"].tolist() == [1, 2, 3, 4]


# pyarrow: metadata and nullability


def test_arrow_metadata_and_non_nullable_fields_stay():
    field = pa.field("x", pa.int64(), nullable=False, metadata={"label": "age"})
    table = pa.table([[1, 2, 3, 4]], schema=pa.schema([field], metadata={"study": "s"}))
    taken = Table(table).take({"x": DONORS}, ["x"])
    assert taken.schema.equals(table.schema, check_metadata=True)


def test_arrow_field_becomes_nullable_only_when_cells_are_suppressed():
    field = pa.field("x", pa.int64(), nullable=False, metadata={"label": "age"})
    table = pa.table([[1, 2, 3, 4]], schema=pa.schema([field], metadata={"study": "s"}))
    taken = Table(table).take({"x": HOLES}, ["x"])
    assert taken.schema.field("x").nullable
    assert taken.schema.field("x").metadata == {b"label": b"age"}
    assert taken.schema.metadata == {b"study": b"s"}
    taken.validate(full=True)


# order of rows


@pytest.mark.parametrize("frame", CASES)
def test_reordering_moves_whole_rows(frame):
    order = np.array([3, 0, 2, 1])
    before = cells(frame)
    moved = reorder(frame, order)
    assert type(moved) is type(frame)
    assert dtype(moved) == dtype(frame)
    assert cells(moved) == [before[row] for row in order]


def test_reordering_gives_a_fresh_index_for_the_old_one_would_tell_the_order():
    frame = pd.DataFrame({"x": [1, 2]}, index=pd.Index(["ann", "bob"], name="who"))
    moved = reorder(frame, np.array([1, 0]))
    assert moved.index.tolist() == [0, 1]
    assert moved.index.name is None
    assert list(moved.columns) == ["x"]


def test_reordering_keeps_arrow_metadata_and_nested_columns():
    table = pa.table({"x": [[1], [2]], "y": pa.array([b"a", b"b"], pa.binary_view())})
    table = table.replace_schema_metadata({"study": "s"})
    moved = reorder(table, np.array([1, 0]))
    assert moved.schema.equals(table.schema, check_metadata=True)
    assert moved.to_pylist() == [{"x": [2], "y": b"b"}, {"x": [1], "y": b"a"}]


# what is refused


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        ({"a": [1]}, "dict"),
        ([1, 2], "list"),
        (None, "NoneType"),
        (np.zeros((2, 2)), "ndarray"),
        (pd.Series([1]), "Series"),
        (pl.Series([1]), "Series"),
        (pa.chunked_array([[1]]), "ChunkedArray"),
        ("people.csv", "str"),
    ],
)
def test_what_is_no_table_is_refused_with_the_remedy(thing, name):
    with pytest.raises(TableError) as caught:
        Table(thing)
    assert str(caught.value) == (
        f"a {name} is not a table Swapmeet knows. Give a pandas DataFrame, a polars DataFrame or "
        "LazyFrame, a pyarrow Table, or anything else that has __arrow_c_stream__."
    )


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.table([[1], [2], [3]], names=["a", "b", "a"]),
    ],
)
def test_names_that_occur_twice_are_refused(frame):
    with pytest.raises(TableError, match="must be unique; 'a' occur more than once"):
        Table(frame)


@pytest.mark.parametrize(
    "name", ["column_names", "columns", "collect", "index", "shape", "take", "", " ", "\0"]
)
def test_columns_with_odd_names_are_columns(name):
    for make in (pd.DataFrame, pa.table, pl.DataFrame):
        table = Table(make({name: ["secret", "secret"], "b": [1, 2]}))
        assert table.names == (name, "b")
        assert Table(table.take({name: np.array([1, 0])}, [name, "b"])).names == (name, "b")


@pytest.mark.parametrize("names", [[0, 1], ["a", None], [("a", 1), ("a", 2)], ["a", 1.5]])
def test_names_that_are_not_text_are_refused(names):
    with pytest.raises(TableError, match="of 2 column names are not text"):
        Table(pd.DataFrame([[1, 2]], columns=names))


def test_levels_of_column_names_are_refused():
    frame = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    with pytest.raises(TableError, match="2 of 2 column names are not text"):
        Table(frame)


@pytest.mark.parametrize(
    ("values", "types"),
    [
        ([1, "a", None, "b"], "2 str, 1 int, 1 NoneType"),
        ([1, dt.date(2020, 1, 1), 2, 3], "3 int, 1 date"),
        (pd.Categorical([1, "a", 1, 1]), "3 int, 1 str"),
        ([2**70, 1, 2, 3], "4 int"),
        ([object() for _ in range(4)], "4 object"),
    ],
)
def test_mixed_types_are_counted_not_shown(values, types):
    frame = pd.DataFrame({"x": pd.Series(values, dtype=None if hasattr(values, "codes") else "O")})
    table = Table(frame)
    assert table.family("x") is CellType.MIXED
    for read in (table.codes, table.numbers):
        with pytest.raises(TableError) as caught:
            read("x")
        assert str(caught.value) == (
            f"column 'x' holds mixed types ({types}). "
            "Convert it to one type, or give it the role keep or drop."
        )
    assert table.missing("x") == sum(value is None for value in values)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": [[1], [2]]}),
        pd.DataFrame({"x": [b"a", b"b"]}),
        pd.DataFrame({"x": pd.period_range("2020-01", periods=2, freq="M")}),
        pa.table({"x": [{"a": 1}, {"a": 2}]}),
        pa.table({"x": pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval())}),
        pl.DataFrame({"x": [[1], [2]]}),
        pl.DataFrame({"x": [{"a": 1}, {"a": 2}]}),
    ],
)
def test_nested_columns_are_refused_only_when_they_must_be_compared(frame):
    table = Table(frame)
    assert table.family("x") is CellType.NESTED
    with pytest.raises(TableError, match="Give it the role drop; mask also takes keep"):
        table.codes("x")
    assert Table(table.take({}, ["x"])).family("x") is CellType.NESTED


# nothing


@pytest.mark.parametrize("frame", CASES)
def test_no_rows_are_no_problem(frame):
    empty = frame[:0] if not isinstance(frame, pa.Table) else frame.slice(0, 0)
    table = Table(empty)
    none = np.array([], np.int64)
    assert len(table) == 0
    assert table.missing("x") == 0
    assert table.codes("x").codes.shape == (0,)
    assert dtype(table.take({"x": none}, ["x"])) == dtype(empty)
    assert len(reorder(empty, none)) == 0


def test_repr_of_codes_hides_them():
    assert repr(Table(polars_frame("text")).codes("x")) == "<Codes of 4 rows, 2 levels>"


# put


@pytest.mark.parametrize(
    ("values", "made", "expected"),
    [
        (pd.array([1, 2, 3], dtype="Int64"), [7.6, 0, 0], [8, 2, 3]),
        (np.array([1, 2, 3], np.uint8), [7.6, 0, 0], [8, 2, 3]),
        (np.array([1.0, np.nan, 3.0]), [0.1, 0, 0], [0.1, None, 3.0]),
        (pd.array([1.5, 2.5, None], dtype="float64[pyarrow]"), [0.1, 0, 0], [0.1, 2.5, None]),
        (
            pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]).tz_localize("UTC"),
            [1577923200e9, 0, 0],
            list(pd.to_datetime(["2020-01-02", "2020-01-02", "2020-01-03"]).tz_localize("UTC")),
        ),
    ],
)
def test_pandas_columns_keep_their_type_with_values_put_in(values, made, expected):
    frame = pd.DataFrame({"x": values, "y": ["a", "b", "c"]}, index=[4, 4, 2])
    unit = getattr(frame["x"].dtype, "unit", "ns")
    made = np.array(made) / {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]
    before = frame.copy()
    filled = Table(frame).put({"x": made}, {"x": np.array([True, False, False])})
    assert filled.dtypes.equals(frame.dtypes)
    assert list(filled.index) == [4, 4, 2]
    assert [None if pd.isna(v) else v for v in filled["x"]] == expected
    pd.testing.assert_frame_equal(frame, before)


def test_polars_columns_keep_their_type_with_values_put_in():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"x": pl.Series([1, None, 3], dtype=pl.Int16), "y": ["a", "b", "c"]})
    filled = Table(frame).put({"x": np.array([7.6, 0, 2.2])}, {"x": np.array([True, False, True])})
    assert filled.schema == frame.schema
    assert filled["x"].to_list() == [8, None, 2]
    assert frame["x"].to_list() == [1, None, 3]


def test_a_value_that_does_not_fit_its_type_is_refused_without_being_shown():
    frame = pd.DataFrame({"x": np.array([1, 2], np.int8)})
    with pytest.raises(TableError, match="'x' of type int8 cannot hold all the values") as told:
        Table(frame).put({"x": np.array([4711.0, 0])}, {"x": np.array([True, False])})
    assert "4711" not in str(told.value)


@pytest.mark.parametrize(
    ("moments", "made", "expected"),
    [
        (["2020-01-01", "2020-01-05"], "2020-01-03 14:20:31", "2020-01-04"),
        (["2020-01-01 08:00", "2020-01-05 09:00"], "2020-01-03 14:20:31", "2020-01-03 14:00"),
        (["2020-01-01 08:00:07", "2020-01-05"], "2020-01-03 14:20:31.6", "2020-01-03 14:20:32"),
        (["2020-01-01 08:00:00.5", "2020-01-05"], "2020-01-03 14:20:31.625", None),
    ],
)
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_put_in_are_as_fine_as_those_of_the_column(moments, made, expected, unit):
    kind = f"datetime64[{unit}]"
    frame = pd.DataFrame({"d": pd.to_datetime(moments, format="ISO8601").astype(kind)})
    if unit == "s" and expected is None:
        pytest.skip("no fractions of seconds")
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    number = pd.Timestamp(made).value / 1e9 * per_second
    filled = Table(frame).put({"d": np.array([number, 0.0])}, {"d": np.array([True, False])})
    assert filled["d"].dtype == kind
    away = filled["d"][0] - pd.Timestamp(expected or made)
    assert abs(away) <= pd.Timedelta(microseconds=1)
