from __future__ import annotations

import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet.core.tables.arrow_types import simplify_types

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


def test_a_table_of_plain_types_is_left_alone():
    table = pa.table({"a": pa.array(["x"], pa.string_view()), "b": [1]})
    assert simplify_types(table) is table


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
