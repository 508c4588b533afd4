from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.tables.backends import Pandas
from swapmeet.tables.column import ColumnNames
from swapmeet.tables.frame import Table


class Counted(str):
    """A name that counts how often one is compared with another."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def count_comparisons(columns):
    names = ColumnNames(Counted(f"v{j}") for j in range(columns))
    Counted.compared = 0
    for j in range(columns):
        assert f"v{j}" in names
        assert names.index(f"v{j}") == j
    return Counted.compared


def test_looking_all_names_up_grows_with_their_number():
    few, many = count_comparisons(100), count_comparisons(1_000)
    assert many <= 12 * few


@given(st.lists(st.text(max_size=3), unique=True), st.text(max_size=3))
def test_they_answer_as_a_tuple_does(names, other):
    found = ColumnNames(names)
    assert found == tuple(names)
    assert (other in found) == (other in names)
    assert [found.index(name) for name in names] == list(range(len(names)))


def test_an_unknown_name_has_no_place():
    with pytest.raises(ValueError, match="not in tuple"):
        ColumnNames(["a"]).index("b")


def test_they_survive_a_pickle():
    names = pickle.loads(pickle.dumps(ColumnNames(["a", "b"])))
    assert type(names) is ColumnNames
    assert "b" in names


def test_the_names_of_a_table_are_asked_for_once(monkeypatch):
    table = Table(pd.DataFrame(np.zeros((3, 50)), columns=[f"v{j}" for j in range(50)]))
    schema = sm.Schema.guess(table, {})
    asked = []
    plain = Pandas.names
    monkeypatch.setattr(Pandas, "names", lambda native: asked.append(1) or plain(native))
    fresh = Table(table.native)
    schema.check(fresh)
    schema.in_order(fresh.names)
    assert len(asked) <= 2
