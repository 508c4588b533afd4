from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet.tables.arrow import cells_of, choose_cells, simplify_schema, simplify_types
from swapmeet.tables.frame import Table

WORDS = ["a", "b", None, "a"] * 15
COLUMNS = {
    "views": pa.array(WORDS, pa.string_view()),
    "large": pa.array(WORDS, pa.large_string()),
    "dictionary of views": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 0] * 15, pa.int32()), pa.array(["a", "b"], pa.string_view())
    ),
    "dictionary with wide indices": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 0] * 15, pa.uint64()), pa.array(["a", "b"], pa.large_string())
    ),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([20, 60]), pa.array(["a", "b"])),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_columns_of_rare_types_are_masked_and_measured(column, masked):
    people = pa.table({"age": list(range(60)), "word": column})
    release = masked(people, sm.MatchedSwap(k=5), seed=1)
    moved = sorted(map(str, release.data["word"].to_pylist()))
    assert moved == sorted(map(str, people["word"].to_pylist()))
    assert sm.assess(people, release, measures=["margins"])["margins"].value >= 0.0
    assert sm.inspect(people).rows == 60


NESTED = {
    "list": (pa.list_(pa.string_view()), pa.list_(pa.large_string()), ["x", None]),
    "large list": (pa.large_list(pa.binary_view()), pa.large_list(pa.large_binary()), [b"x"]),
    "pair": (pa.list_(pa.string_view(), 2), pa.list_(pa.large_string(), 2), ["x", "y"]),
    "struct": (
        pa.struct([("a", pa.string_view()), ("b", pa.int8())]),
        pa.struct([("a", pa.large_string()), ("b", pa.int8())]),
        {"a": "x", "b": 1},
    ),
    "map": (
        pa.map_(pa.string(), pa.string_view()),
        pa.map_(pa.string(), pa.large_string()),
        [("k", "v")],
    ),
}


def test_a_table_of_plain_types_is_left_alone():
    table = pa.table({"a": pa.array(["x"], pa.string_view()), "b": [1]})
    assert simplify_types(table) is table
    table = pa.table({"a": ["x"], "b": pa.array([["x"]], pa.list_(pa.string()))})
    assert simplify_types(table, keep_views=False) is table


@pytest.mark.parametrize(("kind", "plain", "cell"), NESTED.values(), ids=NESTED)
def test_views_inside_other_types_are_replaced_and_taken(kind, plain, cell):
    cells = pa.array([cell, None], kind)
    table = simplify_types(pa.table({"a": cells}), keep_views=False)
    assert table.schema == simplify_schema(pa.schema([("a", kind)]), keep_views=False)
    assert table.schema.types == [plain]
    taken = cells_of(cells, pa.array([1, 0, None]))
    assert (taken.type, taken.to_pylist()) == (kind, [None, cell, None])


@pytest.mark.parametrize("role", ["key", "keep", "strata", "sensitive"])
def test_views_have_any_role(role, masked):
    people = pa.table({"age": list(range(60)), "word": COLUMNS["views"]})
    release = masked(people, sm.RankSwap(window=0.3), seed=1, **{role: ["word"]})
    assert release.data["word"].type == pa.string_view()


def test_rules_and_steps_read_views(masked):
    people = pa.table({"age": list(range(60)), "word": pa.array(["a", "b"] * 30, pa.string_view())})
    release = masked(
        people, sm.RankSwap(window=0.3), seed=1,
        rule=['word = "a" or age >= 1'], recode=["word: group b = c"],
    )  # fmt: skip
    assert set(release.data["word"].to_pylist()) == {"a", "c"}


def test_cells_of_views_are_chosen():
    words = pa.array(["a", "b", None], pa.string_view())
    other = pa.scalar(None, pa.string_view())
    chosen = choose_cells(pa.array([True, False, False]), other, words)
    assert (chosen.type, chosen.to_pylist()) == (pa.string_view(), [None, "b", None])
    chosen = choose_cells(pa.array([True, False]), pa.array([1, 2]), pa.array([3, 4]))
    assert chosen.to_pylist() == [1, 4]


ODD = {name: COLUMNS[name] for name in ("views", "large", "runs")} | {
    "runs of numbers": pa.RunEndEncodedArray.from_arrays(pa.array([20, 60]), pa.array([1, 2]))
}


@pytest.mark.parametrize("column", ODD.values(), ids=ODD)
def test_pandas_backed_by_arrow_types_that_pandas_hardly_knows_is_masked_and_measured(
    column, masked
):
    word = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([column])))
    people = pd.DataFrame({"age": list(range(60)), "word": word})
    release = masked(people, sm.MatchedSwap(k=5), seed=1)
    moved = sorted(map(str, release.data["word"].tolist()))
    assert moved == sorted(map(str, people["word"].tolist()))
    assert release.shuffled()["word"].dtype == release.data["word"].dtype
    assert sm.assess(people, release, measures=["margins"])["margins"].value >= 0.0
    runs = pa.types.is_run_end_encoded(column.type)
    kind = column.type.value_type if runs else column.type
    assert release.data["word"].dtype == pd.ArrowDtype(kind)
    assert any("run-end encoded" in note for note in release.notes) == runs


def test_suppressed_cells_of_a_view_are_missing():
    words = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([COLUMNS["views"]])))
    table = Table(pd.DataFrame({"word": words}))
    taken = table.take({"word": np.array([3, -1] * 30)}, ["word"])
    assert taken["word"].tolist() == ["a", pd.NA] * 30
    assert taken["word"].dtype == words.dtype


def test_a_file_with_runs_says_that_they_are_left_out(tmp_path):
    people = pa.table({"word": COLUMNS["runs"]})
    with pa.ipc.new_file(tmp_path / "p.arrow", people.schema) as writer:
        writer.write_table(people)
    with pytest.warns(sm.SwapmeetWarning, match="column 'word' was run-end encoded"):
        assert sm.read(tmp_path / "p.arrow").frame.schema.field("word").type == pa.string()
