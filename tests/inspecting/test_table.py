from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet import inspect
from swapmeet.inspecting import table as inspecting
from swapmeet.tables.schema import Schema


def brute_force(frame, names):
    sizes = frame.groupby(list(names), dropna=False, observed=True).size()
    return int((sizes == 1).sum()), int(sizes[sizes < 5].sum())


def random_table(seed, rows=200, columns=5):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"c{n}": rng.integers(0, 3 + 4 * n, rows) for n in range(columns)})
    return frame.astype("Int64").mask(rng.random(frame.shape) < 0.05)


def test_hand_worked_example():
    people = pd.DataFrame({"sex": list("ffffffm"), "town": list("AAAAABB"), "job": ["cook"] * 7})
    found = inspect(people)
    assert found.rows == 7
    assert found.all_keys == inspecting.KeyUniqueness(("sex", "town", "job"), 2, 2)
    worst = {one.columns: (one.unique, one.small) for one in found.risky}
    assert worst == {("sex",): (1, 1), ("town",): (0, 2), ("sex", "town"): (2, 2)}


@pytest.mark.parametrize("seed", range(5))
def test_counts_agree_with_grouping(seed):
    frame = random_table(seed)
    found = inspect(frame)
    assert found.looked_at == found.combinations == 25
    for one in (*found.risky, found.all_keys):
        assert (one.unique, one.small) == brute_force(frame, one.columns)


def test_the_worst_of_each_size_are_told():
    frame = random_table(1)
    found = inspect(frame)
    for size in (1, 2, 3):
        told = [one for one in found.risky if len(one.columns) == size]
        assert len(told) <= inspecting.SHOWN
        worst = max(brute_force(frame, names)[0] for names in itertools.combinations(frame, size))
        assert told[0].unique == worst


def test_a_combination_that_adds_nothing_is_left_out():
    frame = pd.DataFrame({"number": range(50), "a": [1, 2] * 25, "b": [1, 1, 2, 2, 3] * 10})
    assert [one.columns for one in inspect(frame).risky] == [("number",)]


def test_many_columns_of_many_values_do_not_overflow():
    rng = np.random.default_rng(3)
    base = rng.integers(0, 400, 500)
    frame = pd.DataFrame({f"c{n}": base * (n + 1) for n in range(30)})
    found = inspect(frame)
    assert (found.all_keys.unique, found.all_keys.small) == brute_force(frame, ["c0"])


def test_missing_values_are_a_value_but_not_a_distinct_one():
    frame = pd.DataFrame({"a": [None, None, "x", "y"]})
    found = inspect(frame)
    assert (found.columns[0].missing, found.columns[0].distinct) == (2, 2)
    assert (found.all_keys.unique, found.all_keys.small) == (2, 4)


def test_the_work_is_bounded(monkeypatch):
    monkeypatch.setattr(inspecting, "WORK", 30 * inspecting.FEWEST_ROWS)
    found = inspect(random_table(2, columns=12))
    assert found.looked_at == 30
    assert found.combinations == 12 + 66 + 220


def test_columns_with_many_values_are_looked_at_first(monkeypatch):
    monkeypatch.setattr(inspecting, "WORK", 14 * inspecting.FEWEST_ROWS)
    frame = random_table(2, columns=12)
    pairs = [one.columns for one in inspect(frame).risky if len(one.columns) == 2]
    assert pairs
    assert all("c11" in names for names in pairs)


def test_progress_is_told():
    told = []
    inspect(random_table(1), progress=lambda *step: told.append(step))
    keys = [("combinations of keys", n, 25) for n in range(1, 26)]
    assert told == keys + [("columns", n, 5) for n in range(1, 6)]


@pytest.mark.parametrize("role", ["key", "keep", "drop", "sensitive"])
def test_mixed_columns_are_shown_in_any_role(role):
    frame = pd.DataFrame({"a": [1, 2, 3], "mixed": pd.Series([1, "x", None], dtype=object)})
    with pytest.warns(sm.SwapmeetWarning, match="mixed types"):
        schema = Schema.infer(frame).assign(**{role: ["mixed"]})
    found = inspect(frame, schema)
    assert found.columns[1].distinct is None
    assert found.columns[1].missing == 1
    assert "mixed types" in found.columns[1].concern
    assert found.all_keys.columns == ("a",)


def test_a_dropped_identifier_is_still_counted():
    frame = pd.DataFrame({"id": [f"p{n}" for n in range(20)], "a": [1, 2] * 10})
    with pytest.warns(sm.SwapmeetWarning, match="identifier"):
        schema = Schema.infer(frame).assign(drop=["id"])
    assert inspect(frame, schema).columns[0].distinct == 20


def test_no_rows_and_no_keys():
    empty = inspect(pd.DataFrame({"a": pd.Series([], dtype=float)}))
    assert (empty.rows, empty.risky) == (0, ())
    assert (empty.all_keys.unique, empty.all_keys.small) == (0, 0)
    frame = pd.DataFrame({"a": [1.5, 2.5]})
    assert inspect(frame, Schema.infer(frame).assign(keep=["a"])).all_keys is None


def test_an_inspection_holds_no_value():
    frame = pd.DataFrame({"a": [f"canary{n % 7}" for n in range(30)], "b": [4711.5, 4712.5] * 15})
    found = inspect(frame)
    assert "canary" not in repr(found)
    assert "471" not in repr(found.to_dict())


def test_a_schema_of_another_type_is_refused():
    with pytest.raises(sm.SwapmeetError, match="inspect: `schema` must be a Schema; got a dict"):
        inspect(pd.DataFrame({"a": [1.5, 2.5]}), {"a": "key"})


def test_a_table_of_one_row_is_inspected():
    assert inspect(pd.DataFrame({"a": [1.5]})).all_keys.unique == 1
