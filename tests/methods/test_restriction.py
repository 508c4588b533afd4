"""Methods for a part of the columns."""

import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError


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
