"""What a release in memory tells besides its values, planted and looked for."""

import json
from decimal import Decimal
from io import BytesIO

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import ipc

import swapmeet as sm
from swapmeet.tables.traces import Trace, describe_left_out, remove_traces

N = 400
CODES = [f"level-{i:03d}" for i in np.random.default_rng(0).permutation(N)]
"""Every row has a category of its own: the order of categories is the order of the rows."""


def to_pandas(frame):
    return frame


def to_polars(frame):
    return pl.DataFrame(
        {name: pl.Series(pa.array(frame[name], from_pandas=True)) for name in frame}
    )


def to_arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


LIBRARIES = pytest.mark.parametrize("convert", [to_pandas, to_polars, to_arrow])


def people(**more):
    rng = np.random.default_rng(1)
    named = pd.Categorical(CODES, categories=CODES)
    return pd.DataFrame({"town": named, "wage": rng.normal(size=N), **more})


def to_dictionary(published, name):
    """The dictionary that a file of this frame would have."""
    if isinstance(published, pa.Table):
        return published[name].combine_chunks().dictionary
    if isinstance(published, pl.DataFrame):
        packed = BytesIO()
        published.write_ipc(packed)
        return ipc.open_file(packed).read_all()[name].combine_chunks().dictionary
    return pa.Array.from_pandas(published[name]).dictionary


@pytest.fixture
def release_of(masked):
    def release(frame, **roles):
        schema = sm.Schema.infer(frame).assign(**roles)
        return masked(frame, sm.SJPPDS(bins=2), schema=schema, seed=1)

    return release


# order of levels


@LIBRARIES
def test_the_order_of_levels_does_not_tell_the_order_of_the_rows(release_of, convert):
    """Before: 100 % of rows were put back within one place."""
    release = release_of(convert(people()), keep=["town"])
    published = release.shuffled()
    order = to_dictionary(published, "town").to_pylist()
    place = {level: i for i, level in enumerate(order)}
    guessed = np.array([place[level] for level in CODES])
    assert set(order) == set(CODES)
    assert np.mean(np.abs(guessed - np.arange(N)) <= 1) < 0.05


@LIBRARIES
@pytest.mark.parametrize("ordered", [True, False])
def test_levels_are_those_that_a_row_has(convert, ordered):
    levels = ["never", "low", "high", "gone"]
    grade = pd.Categorical.from_codes([1, 2] * (N // 2 - 1) + [2, 3], levels, ordered=ordered)
    frame = convert(people(grade=grade))
    cut = frame.slice(0, N - 1) if not isinstance(frame, pd.DataFrame) else frame.iloc[: N - 1]
    cleaned, left_out = remove_traces(cut)
    if isinstance(cleaned, pl.DataFrame) and not ordered:
        cleaned = cleaned.with_columns(pl.col("grade").cast(pl.Categorical))
    found = to_dictionary(cleaned, "grade").to_pylist()
    if ordered:
        assert found == ["low", "high"]
    else:
        assert set(found) == {"low", "high"}
    assert (Trace.CATEGORIES in left_out) or isinstance(cleaned, pl.DataFrame)


def test_unordered_levels_are_sorted_and_ordered_ones_keep_their_order():
    levels = ["z", "m", "a"]
    for ordered, wanted in ((False, ["a", "m", "z"]), (True, ["z", "m", "a"])):
        grade = pd.Categorical(["m", "z", "a"], categories=levels, ordered=ordered)
        frame = pd.DataFrame({"g": grade})
        assert remove_traces(frame)[0]["g"].cat.categories.tolist() == wanted
        table = pa.Table.from_pandas(frame)
        assert to_dictionary(remove_traces(table)[0], "g").to_pylist() == wanted
    enum = pl.DataFrame({"g": pl.Series(["z", "a"], dtype=pl.Enum(levels))})
    assert remove_traces(enum)[0].schema["g"] == pl.Enum(["z", "a"])


def test_a_category_that_is_listed_twice_does_not_mark_its_rows():
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 2, 1, None], pa.int8()), ["a", "b", "a"])
    cleaned = remove_traces(pa.table({"g": twice}))[0]["g"].combine_chunks()
    assert cleaned.dictionary.to_pylist() == ["a", "b"]
    assert cleaned.to_pylist() == ["a", "a", "b", None]
    assert cleaned.type == twice.type


def test_levels_that_cannot_be_sorted_say_nothing_either():
    one, other = (
        pd.DataFrame({"g": pd.Categorical(list(levels))})
        for levels in ([1, "a", 2.5], ["a", 2.5, 1])
    )
    levels = [remove_traces(frame)[0]["g"].cat.categories.tolist() for frame in (one, other)]
    assert levels[0] == levels[1]


def test_arrow_categories_in_pandas_are_rebuilt():
    kind = pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    frame = pd.DataFrame({"g": pd.Series(["z", "gone", "a"], dtype=kind)}).iloc[[0, 2]]
    cleaned = remove_traces(frame)[0]
    assert cleaned["g"].dtype == kind
    assert pa.array(cleaned["g"]).dictionary.to_pylist() == ["a", "z"]


def test_categories_inside_lists_and_structures_are_rebuilt():
    words = pa.array(["z", "gone", "a", "z"]).dictionary_encode()
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 4, 4]), words)
    structs = pa.StructArray.from_arrays([words], ["g"])
    table = pa.table({"lists": lists, "structs": structs}).take(pa.array([2, 0, None]))
    cleaned = remove_traces(table)[0]
    assert cleaned.to_pydict() == table.to_pydict()
    assert cleaned.schema == table.schema
    found = cleaned["lists"].chunk(0).values, cleaned["structs"].chunk(0).field(0)
    assert [each.dictionary.to_pylist() for each in found] == [["a", "z"], ["a", "z"]]


# index, attributes, metadata


@pytest.mark.parametrize("published", ["data", "shuffled"])
def test_a_named_index_is_not_published_and_told(release_of, published):
    frame = people().set_index(pd.Index([f"CANARY-{i}" for i in range(N)], name="patient_id"))
    frame.attrs["source"] = "CANARY"
    frame.columns.name = "CANARY"
    release = release_of(frame, keep=["town"])
    out = release.data if published == "data" else release.shuffled()
    assert out.index.equals(pd.RangeIndex(N))
    assert out.index.name is None
    assert not out.attrs
    assert out.columns.name is None
    notes = " ".join(release.notes)
    assert "the index of the rows; attributes of the table" in notes
    assert "CANARY" not in notes
    assert "patient_id" not in notes


def test_a_plain_frame_has_nothing_to_leave_out():
    assert remove_traces(people())[1] == frozenset()
    assert remove_traces(to_arrow(people()))[1] == frozenset()
    assert describe_left_out([]) == ()


def test_the_names_of_lost_columns_do_not_stay_in_an_index_of_names():
    frame = people(secret=1)
    frame.columns = pd.CategoricalIndex(frame.columns)
    cleaned = remove_traces(frame[["town", "wage"]])[0]
    assert not isinstance(cleaned.columns.dtype, pd.CategoricalDtype)
    assert list(cleaned.columns) == ["town", "wage"]


def test_arrow_metadata_are_left_out_but_for_what_restores_types(release_of):
    frame = people(n=pd.array([1, None] * (N // 2), dtype="Int8"))
    frame.attrs["source"] = "CANARY"
    table = pa.Table.from_pandas(frame)
    field = table.schema.field("wage").with_metadata({"label": "CANARY"})
    table = table.set_column(1, field, table["wage"])
    table = table.replace_schema_metadata({**table.schema.metadata, b"study": b"CANARY"})
    release = release_of(table, keep=["town", "n"])
    for published in (release.data, release.shuffled()):
        assert set(published.schema.metadata) == {b"pandas"}
        assert b"CANARY" not in published.schema.serialize().to_pybytes()
        assert str(published.to_pandas()["n"].dtype) == "Int8"
    assert "left out of the release: metadata of the table; metadata of columns." in release.notes


def test_pandas_notes_count_the_levels_that_are_left():
    frame = pd.DataFrame({"g": pd.Categorical(["a", "b", "a"], categories=["a", "b", "gone"])})
    cleaned = remove_traces(pa.Table.from_pandas(frame))[0]
    notes = json.loads(cleaned.schema.metadata[b"pandas"])
    assert notes["columns"][0]["metadata"] == {"num_categories": 2, "ordered": False}
    assert cleaned.to_pandas()["g"].dtype == "category"


def test_a_polars_enum_in_an_arrow_file_lists_its_present_levels_only():
    levels = ["low", "gone", "höher"]
    enum = pl.DataFrame({"g": pl.Series(["höher", "low"], dtype=pl.Enum(levels))})
    cleaned = remove_traces(enum.to_arrow())[0]
    assert pl.from_arrow(cleaned).schema["g"] == pl.Enum(["low", "höher"])
    assert b"gone" not in cleaned.schema.serialize().to_pybytes()


# under and beside the values


def stored(column):
    """The numbers in the memory of an Arrow column, missing or not."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = whole.type.to_pandas_dtype()
    return set(np.frombuffer(whole.buffers()[1], kind)[: len(whole)].tolist())


def test_nothing_stands_under_missing_values():
    hidden = pa.array(np.array([1, 777, 3]), mask=np.array([False, True, False]))
    assert 777 in stored(hidden)
    assert 777 not in stored(remove_traces(pa.table({"x": hidden}))[0]["x"])
    series = pl.from_arrow(hidden).alias("x")
    assert 777 in stored(series.to_arrow())
    assert 777 not in stored(remove_traces(series.to_frame())[0]["x"].to_arrow())
    array = pd.array([1, 777, 3], dtype="Int64")
    array[1] = pd.NA
    assert 777 in stored(pa.array(array))
    assert 777 not in stored(pa.array(remove_traces(pd.DataFrame({"x": array}))[0]["x"]))


ODD = np.array([-0.0, 0.0, np.nan, np.nan, 1.5])
ODD.view(np.int64)[3] += 7


@pytest.mark.parametrize("kind", ["float64", "float32", "Float64", "double[pyarrow]"])
def test_zeros_and_nans_come_in_one_form(kind):
    cleaned = remove_traces(pd.DataFrame({"x": pd.Series(ODD, dtype=kind)}))[0]["x"]
    assert str(cleaned.dtype) == kind
    bits = cleaned.to_numpy(dtype=np.float64, na_value=np.nan).view(np.int64)
    assert bits[0] == bits[1]
    assert bits[2] == bits[3]


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame])
def test_nan_beside_null_does_not_mark_its_donor(make):
    both = remove_traces(make({"x": pa.array([0.5, None, float("nan")])}))[0]["x"]
    flags = both.is_null().to_pylist() if make is pa.table else both.is_null().to_list()
    assert flags == [False, True, True]
    alone = remove_traces(make({"x": pa.array([0.5, float("nan")])}))[0]["x"]
    assert not any(alone.is_null().to_pylist() if make is pa.table else alone.is_null())


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ([5, 5.0, True + 1], [5.0, 5.0, 2.0]),
        ([Decimal("1.0"), Decimal("1.00"), Decimal("2")], ["1.00", "1.00", "2.00"]),
        (["a", None, np.nan], ["a", None, None]),
        (["a", None, None], ["a", None, None]),
        ([(1, 2), "a", 3], [(1, 2), "a", 3]),
    ],
)
def test_objects_of_a_column_are_of_one_sort(cells, wanted):
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    frame = pd.DataFrame({"x": pd.Series(column, dtype=object)})
    found = remove_traces(frame)[0]["x"].tolist()
    if isinstance(cells[0], Decimal):
        found = [str(cell) for cell in found]
    assert found == wanted
    assert [type(cell) for cell in found] == [type(cell) for cell in wanted]


def test_pieces_of_a_column_do_not_show(release_of):
    table = pa.concat_tables([to_arrow(people()).slice(0, 7), to_arrow(people()).slice(7)])
    assert {column.num_chunks for column in table.columns} == {2}
    release = release_of(table, keep=["town"])
    assert {column.num_chunks for column in release.shuffled().columns} == {1}
    frame = pl.concat([to_polars(people()).head(7), to_polars(people()).tail(N - 7)], rechunk=False)
    assert remove_traces(frame)[0].n_chunks() == 1


WORDS = st.one_of(st.none(), st.sampled_from(["a", "b", "ä", "", " a", "1"]))


@given(cells=st.lists(WORDS, max_size=12), extra=st.lists(st.text(max_size=3), unique=True))
def test_any_column_of_categories_keeps_its_values(cells, extra):
    present = [cell for cell in cells if cell is not None]
    levels = [*dict.fromkeys([*present, *extra])]
    codes = pa.array([None if c is None else levels.index(c) for c in cells], pa.int32())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(levels, pa.string()))
    cleaned = remove_traces(pa.table({"x": column}))[0]["x"]
    assert cleaned.to_pylist() == cells
    assert cleaned.combine_chunks().dictionary.to_pylist() == sorted(
        set(present), key=lambda word: word.encode()
    )
    frame = pd.DataFrame({"x": pd.Categorical(cells, categories=levels)})
    again = remove_traces(frame)[0]["x"]
    assert [None if pd.isna(c) else c for c in again] == cells
    assert set(again.cat.categories) == set(present)
