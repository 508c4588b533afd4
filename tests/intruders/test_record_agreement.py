from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.comparison.comparison import Comparison, Ownership
from swapmeet.intruders.record_agreement import MOST_BLOCKS, count_agreement, list_column_sets
from swapmeet.release.provenance import Provenance
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

NUMBERS = st.sampled_from([0.0, -0.0, 1.5, np.nan])
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(-1, 2)), min_size=1, max_size=25)


def microdata(rows):
    x, y, t = zip(*rows, strict=True)
    variables = (
        Variable("x", Kind.NUMERIC, np.array(x)),
        Variable("y", Kind.NUMERIC, np.array(y)),
        Variable("t", Kind.NOMINAL, np.array(t, np.int32), 3),
    )
    return Microdata(variables, np.zeros(len(rows), np.int32))


def key(row, but=None):
    """Values that compare as they should: one zero, one missing number."""
    return tuple(
        "missing" if np.isnan(cell) else cell + 0.0 for j, cell in enumerate(row) if j != but
    )


@given(ROWS, ROWS)
def test_rows_that_agree_are_counted_as_by_a_plain_search(before, after):
    before, after = zip(*zip(before, after, strict=False), strict=True)
    comparison = Comparison(microdata(before), microdata(after), ("x", "y", "t"), ("x",))
    people = np.arange(0, len(before), 2)
    found = count_agreement(comparison, ("x", "y", "t"), people)
    for place, person in enumerate(people):
        for line, but in enumerate((None, 0, 1, 2)):
            mine = key(before[person], but)
            assert found.before[line, place] == [key(row, but) for row in before].count(mine)
            assert found.after[line, place] == [key(row, but) for row in after].count(mine)
        for j in range(3):
            mine = key((before[person][j],))
            assert found.values[j, place] == [key((row[j],)) for row in after].count(mine)


def test_the_same_number_in_another_column_is_another_value():
    """The rows (1, 0) and (0, 1) do not agree, though they hold the same numbers."""
    comparison = Comparison(
        microdata([(1.5, 0.0, 0)]), microdata([(0.0, 1.5, 0)]), ("x", "y", "t"), ("x",)
    )
    found = count_agreement(comparison, ("x", "y"), np.arange(1))
    assert found.after[0].tolist() == [0]


def test_what_shuffled_columns_would_give():
    """Two of four rows have x = 1.5, one has t = 1: the chance that they meet is 1/2."""
    after = microdata([(1.5, 0.0, 1), (1.5, 0.0, 0), (0.0, 0.0, 0), (0.0, 0.0, 0)])
    comparison = Comparison(microdata([(1.5, 0.0, 1)]), after, ("x", "y", "t"), ("x",))
    found = count_agreement(comparison, ("x", "y", "t"), np.arange(1))
    assert found.expect_rows(4).tolist() == pytest.approx([0.5])
    assert found.expect_any(4).tolist() == pytest.approx([0.5])


NAMES = ("a", "b", "c", "d", "e")
KEPT, SWAPPED, TURNED = [0, 1, 2], [1, 0, 2], [1, 2, 0]


def plain_microdata(values):
    variables = tuple(
        Variable(name, Kind.NUMERIC, np.array(values[name], float)) for name in values
    )
    return Microdata(variables, np.zeros(3, np.int32))


def compare(donors, origin=None, ownership=Ownership.TRUE):
    original = plain_microdata({name: [1, 2, 3] for name in donors})
    released = plain_microdata({name: np.array([1, 2, 3])[rows] for name, rows in donors.items()})
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
