from __future__ import annotations

import numpy as np

from swapmeet.comparison.comparison import Comparison, Ownership
from swapmeet.measures.risk.column_sets import MOST_BLOCKS, list_column_sets
from swapmeet.release.provenance import Provenance
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

NAMES = ("a", "b", "c", "d", "e")
KEPT, SWAPPED, TURNED = [0, 1, 2], [1, 0, 2], [1, 2, 0]


def microdata(values):
    variables = tuple(
        Variable(name, Kind.NUMERIC, np.array(values[name], float)) for name in values
    )
    return Microdata(variables, np.zeros(3, np.int32))


def compare(donors, origin=None, ownership=Ownership.TRUE):
    original = microdata({name: [1, 2, 3] for name in donors})
    released = microdata({name: np.array([1, 2, 3])[rows] for name, rows in donors.items()})
    return Comparison(original, released, NAMES, NAMES, ownership, provenance=origin)


def recorded(donors):
    return Provenance(tuple(donors), np.array(list(donors.values())).T, np.arange(3))


def test_columns_that_stayed_and_columns_that_moved_as_one():
    donors = {"a": SWAPPED, "b": KEPT, "c": SWAPPED, "d": TURNED, "e": KEPT}
    comparison = compare(donors, recorded(donors))
    assert list_column_sets(comparison, NAMES) == [NAMES, ("a", "c"), ("b", "e")]
    assert list_column_sets(comparison, ("b", "d")) == [("b", "d"), ("b",)]
    assert list_column_sets(comparison, ("a", "d")) == [("a", "d")]


def test_an_unchanged_table_is_one_set():
    donors = dict.fromkeys(NAMES, KEPT)
    assert list_column_sets(compare(donors, recorded(donors)), NAMES) == [NAMES]


def test_without_a_record_columns_that_stayed_are_found_by_comparison():
    donors = {"a": SWAPPED, "b": KEPT, "c": SWAPPED, "d": TURNED, "e": KEPT}
    assert list_column_sets(compare(donors), NAMES) == [NAMES, ("b", "e")]
    unknown = compare(donors, ownership=Ownership.UNKNOWN)
    assert list_column_sets(unknown, NAMES) == [NAMES]


def test_only_the_largest_sets_are_looked_at():
    donors = {f"{name}{i}": np.roll(range(3), i).tolist() for i in range(3) for name in "ab"}
    donors |= {"c0": SWAPPED, "c1": SWAPPED}
    found = list_column_sets(compare(donors, recorded(donors)), tuple(donors))
    assert len(found) == 1 + MOST_BLOCKS
