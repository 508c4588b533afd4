"""Households of the same size and positions, side by side."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.tables.frame import Table
from swapmeet.tables.household_types import list_household_types
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Schema

ROWS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), min_size=1, max_size=40)


def read(rows, **roles):
    data = pd.DataFrame(rows, columns=["household", "position"])
    data["x"] = np.arange(len(data)) * 1.0
    data["shared"] = data["household"] * 2.0
    schema = Schema.guess(data, {}).assign(household="household", numeric=["x"], **roles)
    return Microdata.of(Table(data), schema)


@given(ROWS)
def test_types_have_all_rows_once_and_one_sequence_of_positions_each(rows):
    data = read(rows, position="position")
    types = list_household_types(data)
    members = np.concatenate([kind.members.ravel() for kind in types])
    assert sorted(members.tolist()) == list(range(len(rows)))
    sequences = set()
    for kind in types:
        assert (data.household[kind.members] == data.household[kind.members[:, :1]]).all()
        found = {tuple(line) for line in data.position[kind.members].tolist()}
        assert len(found) == 1
        assert not found & sequences
        sequences |= found


def test_without_positions_households_of_one_size_are_alike():
    types = list_household_types(read([(0, 1), (0, 2), (1, 0), (1, 0), (2, 0)], keep="position"))
    assert [kind.members.shape for kind in types] == [(2, 2), (1, 1)]


def test_a_column_of_persons_has_a_column_for_each_member():
    kind = list_household_types(read([(0, 1), (0, 2), (1, 0), (1, 0)], keep="position"))[0]
    wide = kind.widen()
    assert wide.names == ("x", "x of member 2", "shared")
    assert wide["x of member 2"].values.tolist() == [1.0, 3.0]
    assert wide.together == (("x", "x of member 2"),)
    assert wide.household is None


def test_rows_take_from_the_member_in_their_place():
    kind = list_household_types(read([(0, 1), (0, 2), (1, 0), (1, 0)], keep="position"))[0]
    assert kind.spread(np.array([1, -1])).tolist() == [[2, 3], [-1, -1]]
