from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.comparison.comparison import Comparison, Ownership
from swapmeet.intruders.record_agreement import (
    MOST_BLOCKS,
    OwnCopies,
    count_agreement,
    list_column_sets,
)
from swapmeet.measures.risk.copies import Copies
from swapmeet.methods import Cart, PerColumn
from swapmeet.release.donors import MADE
from swapmeet.release.provenance import Provenance
from swapmeet.tables.frame import Table
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


COPIED = ("sex", "town", "ill", "job")
PEOPLE = ["faxc", "fayc", "mayd", "mbzd", "fbzc"]
"""Everybody is unique; the second and the third have town and illness in common."""


def copy_rows(donors, place=None, method=None, people=PEOPLE, at_most=None):
    """People with one letter for each column, and the release that donors make of them."""
    cells, donors = np.array([list(person) for person in people]), np.array(donors)
    released = cells[np.maximum(donors, 0), np.arange(cells.shape[1])]
    schema = sm.Schema(tuple(sm.Column(name, "nominal") for name in COPIED))
    frames = (Table(pd.DataFrame(table, columns=COPIED)) for table in (cells, released))
    one, other = Microdata.of_all(list(frames), schema.columns)
    place = np.arange(len(donors)) if place is None else np.array(place)
    origin = Provenance(COPIED, donors, place, sm.RWN() if method is None else method)
    return Comparison(one, other, COPIED, COPIED, provenance=origin, at_most=at_most)


def count_own(donors, **more):
    found = OwnCopies.among(copy_rows(donors, **more), COPIED)
    assert found.rows == found.n == len(donors)
    return found.own


def stay(*rows):
    """Rows 3 and 4 are left out: mixed so that they are nobody's record."""
    mixed = [[3, 3, 0, 0], [0, 3, 0, 3]]
    return [*rows, *mixed]


# by hand


def test_a_row_in_a_persons_place_is_theirs_whoever_gave_their_values_back():
    """The first person's sex, town and job came back from others who have the same."""
    assert count_own(stay([4, 2, 0, 1], [3, 0, 0, 0], [3, 0, 0, 0])) == 1


def test_a_record_that_moved_is_its_givers_wherever_it_stands():
    assert count_own(stay([1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 0])) == 3


def test_a_record_that_came_together_from_several_people_is_nobodys():
    """faxc in the third row has its sex of the fifth, its town of the second, and two cells of
    the first; half is not most."""
    assert count_own(stay([3, 3, 3, 0], [3, 3, 3, 0], [4, 1, 0, 0])) == 0


def test_two_people_who_trade_what_they_differ_in_have_changed_places():
    """mayd gets sex and job of fayc, and the reverse: both records stand there as they were."""
    assert count_own(stay([3, 3, 3, 0], [2, 1, 1, 2], [1, 2, 2, 1])) == 2


def test_of_a_synthetic_row_one_cell_of_theirs_is_enough():
    donors = stay([3, 3, 3, 0], [3, 3, 3, 0], [4, 1, 0, 1])
    nobody = [-1] * 5
    assert count_own(donors) == 0
    assert count_own(donors, place=nobody) == 1
    assert count_own(stay([3, 3, 3, 0], [0, 0, 2, 4], [3, 3, 3, 0]), place=nobody) == 0


def test_a_row_that_a_tree_drew_is_synthetic_even_beside_other_columns():
    donors = stay([3, 3, 3, 0], [3, 3, 3, 0], [4, 1, 0, 1])
    parts = PerColumn(parts=[(Cart(), COPIED[:2]), (sm.RWN(), COPIED[2:])])
    assert count_own(donors, method=parts) == 1
    assert count_own(donors, method="made elsewhere") == 1


def test_made_values_may_be_anybodys():
    """The released cells are those of the first row, which a made value stands for here."""
    assert count_own(stay([3, 3, 3, 0], [MADE, MADE, MADE, 0], [3, 3, 3, 0])) == 1


def test_without_donors_nothing_is_known():
    comparison = copy_rows(stay([0] * 4, [1] * 4, [2] * 4))
    for origin in (None, Provenance.claim(5)):
        unknown = Comparison(
            comparison.original,
            comparison.released,
            COPIED,
            COPIED,
            provenance=origin,
        )
        assert OwnCopies.among(unknown, COPIED) is None
        found = Copies().score(unknown)
        assert "own data" not in found.sentence + found.finding + found.beside
        chance = min(found.details[f"share of {what} by chance"] for what in ("people", "rows"))
        assert found.judged == pytest.approx(3 / 5 - chance)


# a plain search

DONORS = st.integers(0, 11)
MANY = st.lists(st.tuples(DONORS, DONORS, DONORS, DONORS), min_size=12, max_size=12)
RECORDS = st.lists(st.text("ab", min_size=4, max_size=4), min_size=12, max_size=12)


@given(RECORDS, MANY)
def test_counts_are_those_of_a_plain_search(people, donors):
    own = 0
    for row, givers in enumerate(donors):
        record = "".join(people[giver][j] for j, giver in enumerate(givers))
        if people.count(record) != 1:
            continue
        person = people.index(record)
        cells, moved = givers.count(person), sum(giver != row for giver in givers)
        own += row == person or cells > 2 or 2 * givers.count(person) > moved
    assert count_own(donors, people=people) == own


# in a sample


def test_a_sample_is_judged_by_the_end_of_its_interval():
    """Each record moved to the next row: of 40 rows looked at, all are somebody's own."""
    rng = np.random.default_rng(2)
    people = ["".join(row) for row in rng.choice(list("abcdefgh"), size=(300, 4))]
    donors = np.roll(np.repeat(np.arange(300)[:, np.newaxis], 4, axis=1), 1, axis=0)
    comparison = copy_rows(donors, people=people, at_most=40)
    found = OwnCopies.among(comparison, COPIED)
    assert (found.rows, found.n) == (40, 300)
    assert found.share <= found.at_most <= 1.0
    assert "as 40 random rows show, about " in found.tell(300)
    assert set(found.describe()) == {
        "share of rows that are the person's own data",
        "share of rows that are the person's own data, at most",
    }
    assert OwnCopies(0, 40, 300).at_most == pytest.approx(0.088, abs=0.001)


# in words


TOGETHER = "came together from several people"


@pytest.mark.parametrize(
    ("own", "told"),
    [
        (1500, "all of them are the person's own data"),
        (0, f"none of them is the person's own data; they {TOGETHER}"),
        (1, f"1 of them is the person's own data, and the others {TOGETHER}"),
        (1200, f"1,200 of them are the person's own data, and the others {TOGETHER}"),
    ],
)
def test_it_is_told_how_many_are_the_persons_own(own, told):
    assert OwnCopies(own, 2000, 2000).tell(1500) == told
