from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.intruders.presence import find_own_rows
from swapmeet.release.donors import MADE
from swapmeet.release.provenance import Provenance
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind


def microdata(**columns):
    variables = tuple(
        Variable(name, Kind.NUMERIC, np.array(values, float)) for name, values in columns.items()
    )
    return Microdata(variables, np.zeros(variables[0].values.size, np.int32))


def own_rows(original, released, origin, people=None):
    names = original.names
    comparison = Comparison(original, released, names, names, provenance=origin)
    people = np.arange(original.n) if people is None else np.array(people)
    found = find_own_rows(comparison, people)
    starts = found.rows.starts
    rows = [found.rows.rows[a:b].tolist() for a, b in pairwise(starts)]
    return rows, found.groups.tolist()


def test_rows_in_a_persons_place_and_rows_with_their_values():
    table = microdata(x=[1, 2, 3], y=[4, 5, 6])
    donors = np.array([[0, 1], [1, 1], [0, -1]])
    owned = Provenance(("x", "y"), donors, np.arange(3))
    assert own_rows(table, table, owned) == ([[0, 2], [0, 1], [2]], [1, 1, 1])
    assert own_rows(table, table, owned, [2, 0])[0] == [[2], [0, 2]]
    nobodys = Provenance(("x", "y"), donors, np.full(3, -1))
    assert own_rows(table, table, nobodys)[0] == [[0, 2], [0, 1], []]


def test_rows_that_share_all_made_values_are_a_group():
    original = microdata(x=[1, 3, 7, 9, 20])
    released = microdata(x=[2, 2, 8, 8, 20])
    made = Provenance(("x",), np.full((5, 1), MADE), np.arange(5))
    rows, groups = own_rows(original, released, made)
    assert rows == [[0, 1], [0, 1], [2, 3], [2, 3], [4]]
    assert groups == [2, 2, 2, 2, 1]


def test_a_crowd_with_the_same_made_values_is_no_group():
    table = microdata(x=np.zeros(300))
    made = Provenance(("x",), np.full((300, 1), MADE), np.arange(300))
    rows, groups = own_rows(table, table, made)
    assert rows == [[i] for i in range(300)]
    assert set(groups) == {1}


def test_without_donors_values_and_records_of_ones_own_tell():
    """7 is the value of one person; (1, 5) and (2, 5) are records of one person each."""
    original = microdata(x=[1, 1, 2, 7], y=[4, 5, 5, 5])
    released = microdata(x=[2, 7, 1, 1], y=[5, 5, 5, 4])
    rows, _ = own_rows(original, released, Provenance.claim(4))
    assert rows == [[0, 3], [1, 2], [0, 2], [1, 3]]


def test_where_nothing_is_known_of_rows_nothing_is_said():
    table = microdata(x=[1, 2])
    with pytest.raises(Undefined, match="audit record"):
        own_rows(table, table, None)
