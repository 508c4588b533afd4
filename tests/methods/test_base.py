from __future__ import annotations

import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError
from swapmeet.methods import METHODS
from swapmeet.tables.schema import Kind

FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "town": ["a", "b", "a", "b"]})


@pytest.mark.parametrize("kind", Kind)
def test_some_method_takes_every_kind(kind):
    assert any(kind in method.takes for method in METHODS.values() if method.name != "per-column")


def test_all_columns_that_cannot_be_masked_are_named_with_the_methods_that_can():
    frame = FRAME.assign(land=FRAME["town"])
    with pytest.raises(SchemaError) as told:
        sm.mask(frame, sm.DataShuffle(), seed=1)
    (problem,) = told.value.problems
    assert "cannot mask 'town', 'land', nominal columns; it takes numeric and ordinal" in problem
    listed = problem.partition("ones. ")[2].partition(" can:")[0].split(", ")
    for method in METHODS.values():
        if method.name != "per-column":
            assert (method.name in listed) == (Kind.NOMINAL in method.takes)


def test_parts_of_per_column_are_checked_before_any_of_them_works():
    done = []

    class Watched(sm.RWN):
        def outcome(self, data, streams, workers):
            done.append(1)
            return super().outcome(data, streams, workers)

    method = sm.PerColumn(parts=[(Watched(k=1), ["x"]), (sm.DataShuffle(), ["town"])])
    with pytest.raises(SchemaError, match="data-shuffle cannot mask 'town'"):
        sm.mask(FRAME, method, seed=1)
    assert not done


def test_settings_keep_the_columns_that_are_there():
    assert sm.RWN(weights={"a": 1.0, "b": 0.1}).restrict(["b"]).weights == {"b": 0.1}
    assert sm.Cart(order=["a", "b"]).restrict(["a", "c"]).order == ("a",)
    assert sm.Cart(order=["a", "b"]).restrict(["c"]).order is None


def test_settings_that_name_no_column_stay():
    method = sm.RWN(k=7, weights=0.3)
    assert method.restrict(["a"]) == method


def test_columns_that_settings_name_are_known():
    assert sm.RWN(weights={"a": 1.0}).named_columns == ("a",)
    assert sm.RWN(weights=0.5).named_columns == ()
    parts = [(sm.RWN(weights={"a": 1.0}), ["a", "b"]), (sm.SJPPDS(), ["c"])]
    assert sm.PerColumn(parts=parts).named_columns == ("a", "b", "c")
    assert sm.MatchedSwap(relations=["y ~ a + b"]).named_columns == ("y", "a", "b")


def test_parts_without_a_column_are_left_out():
    method = sm.PerColumn(parts=[(sm.RWN(), ["a", "b"]), (sm.SJPPDS(), ["c"])])
    assert method.restrict(["b"]) == sm.PerColumn(parts=[(sm.RWN(), ["b"])])
    assert method.restrict(["d"]) is None


def test_relations_to_columns_elsewhere_are_left_out():
    method = sm.MatchedSwap(relations=["y ~ a", "a:b"], weights={"y": 0.2, "b": 0.1})
    assert method.restrict(["a", "b"]).relations == ("a:b",)
    assert method.restrict(["a", "b"]).weights == {"b": 0.1}
    assert method.restrict(["b"]).relations is None


def test_a_swapping_set_elsewhere_leaves_nothing_to_swap():
    assert sm.MEDS(columns=["a"]).restrict(["b"]) is None
    assert sm.MEDS(columns=["a", "b"]).restrict(["b"]).columns == ("b",)
    with pytest.raises(SchemaError, match="none of these columns is in `columns`"):
        sm.MEDS(columns=["a"], rest="swap").restrict(["b"])
