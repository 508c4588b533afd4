from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.errors import UsageError
from swapmeet.release.donors import MADE, SUPPRESSED, DonorMap


def maps(n=6, p=3, lowest=SUPPRESSED):
    rows = st.lists(st.integers(lowest, n - 1), min_size=p, max_size=p)
    return st.lists(rows, min_size=n, max_size=n).map(lambda m: DonorMap(np.array(m)))


def applied(donors, table):
    moved = np.take_along_axis(table, np.maximum(donors.matrix, 0), axis=0)
    return np.where(donors.matrix < 0, -99, moved)


def test_identity_moves_nothing():
    same = DonorMap.identity(4, 2)
    assert not same.moved.any()
    assert not same.suppressed.any()
    assert same.is_permutation().all()


def test_moved_and_suppressed_are_different_things():
    donors = DonorMap(np.array([[1, 0], [-1, 1]]))
    assert donors.moved.tolist() == [[True, False], [False, False]]
    assert donors.suppressed.tolist() == [[False, False], [True, False]]


def test_permutation_is_told_column_by_column():
    donors = DonorMap(np.array([[1, 0, -1], [0, 0, 1]]))
    assert donors.is_permutation().tolist() == [True, False, False]


@given(maps(), maps())
def test_then_is_applying_one_after_the_other(one, two):
    table = np.arange(18).reshape(6, 3)
    expected = applied(two, applied(one, table))
    assert np.array_equal(applied(one.then(two), table), expected)


@given(maps())
def test_identity_before_or_after_changes_nothing(donors):
    same = DonorMap.identity(6, 3)
    assert np.array_equal(donors.then(same).matrix, donors.matrix)
    assert np.array_equal(same.then(donors).matrix, donors.matrix)


@given(maps(), maps(), maps())
def test_composition_is_associative(a, b, c):
    assert np.array_equal(a.then(b).then(c).matrix, a.then(b.then(c)).matrix)


# whose rows these are


def brute_holders(donors):
    """Whoever gave the largest set of equal columns, if these are two or more, and most."""
    columns = [tuple(column) for column in donors.matrix.T]
    most = max(columns, key=columns.count)
    together = columns.count(most)
    if together < 2 or 2 * together <= len(columns):
        return [-1] * len(most)
    return [max(donor, -1) for donor in most]


@given(st.integers(1, 5).flatmap(lambda p: maps(p=p, lowest=MADE)), st.integers(0, 4))
def test_holders_gave_most_columns_as_one(donors, times):
    repeated = np.repeat(donors.matrix[:, :1], times, axis=1)
    wider = DonorMap(np.concatenate([donors.matrix, repeated], axis=1))
    assert wider.holders().tolist() == brute_holders(wider)


@given(st.integers(1, 5).flatmap(lambda p: maps(p=p, lowest=MADE)))
def test_every_row_is_one_person_s_and_every_person_has_one(donors):
    assert sorted(donors.rows_of_people()) == list(range(6))


@given(st.integers(1, 5).flatmap(lambda p: maps(p=p, lowest=MADE)))
def test_a_person_whose_values_fill_a_row_has_such_a_row(donors):
    """Their own place first, else the first such row; who holds none has no other's row."""
    holders, rows = donors.holders(), donors.rows_of_people()
    for person in range(6):
        held = np.flatnonzero(holders == person)
        if len(held):
            assert rows[person] == (person if person in held else held[0])


@given(st.integers(1, 5).flatmap(lambda p: maps(p=p, lowest=MADE)))
def test_who_holds_no_row_keeps_their_place_unless_it_is_another_s(donors):
    holders, rows = donors.holders(), donors.rows_of_people()
    taken = {rows[person] for person in range(6) if (holders == person).any()}
    for person in range(6):
        if not (holders == person).any() and person not in taken:
            assert rows[person] == person


@pytest.mark.parametrize("p", [1, 2, 5])
def test_whoever_stays_is_at_home(p):
    same = DonorMap.identity(7, p)
    assert same.rows_of_people().tolist() == list(range(7))


@given(st.permutations(range(6)))
def test_whole_records_that_move_take_their_people_with_them(order):
    moved = DonorMap(np.repeat(np.array(order)[:, np.newaxis], 3, axis=1))
    assert moved.holders().tolist() == list(order)
    assert [order[row] for row in moved.rows_of_people()] == list(range(6))


def test_half_of_the_columns_or_one_are_not_most():
    assert DonorMap(np.array([[1, 1, 0, 0], [0, 0, 1, 1]])).holders().tolist() == [-1, -1]
    assert DonorMap(np.array([[1], [0]])).holders().tolist() == [-1, -1]
    assert DonorMap(np.array([[1, 1, 0], [0, 0, 1]])).holders().tolist() == [1, 0]


def test_values_of_one_donor_by_chance_are_no_record():
    """Row 0 has two values of row 1, but the columns do not move as one."""
    assert DonorMap(np.array([[1, 1, 0], [2, 0, 1], [0, 2, 2]])).holders().tolist() == [-1] * 3


def test_made_and_suppressed_values_are_nobody_s():
    donors = DonorMap(np.array([[MADE, MADE, 1], [SUPPRESSED, SUPPRESSED, SUPPRESSED]]))
    assert donors.holders().tolist() == [-1, -1]
    assert donors.rows_of_people().tolist() == [0, 1]


def test_a_record_released_twice_counts_once():
    """Person 2 fills both other rows; the first is theirs, and nobody is left without a row."""
    donors = DonorMap(np.array([[2, 2], [2, 2], [0, 0]]))
    assert donors.holders().tolist() == [2, 2, 0]
    assert donors.rows_of_people().tolist() == [2, 1, 0]


def test_map_without_rows_or_columns_is_allowed():
    assert DonorMap(np.empty((0, 3), np.int64)).moved.shape == (0, 3)
    assert DonorMap(np.empty((3, 0), np.int64)).is_permutation().shape == (0,)


@pytest.mark.parametrize("wrong", [[[2], [0]], [[-3], [0]]])
def test_donors_out_of_range_are_refused_without_being_shown(wrong):
    with pytest.raises(UsageError) as caught:
        DonorMap(np.array(wrong))
    assert str(caught.value) == "DonorMap: donors must be row numbers below 2, -1 or -2."


@pytest.mark.parametrize("wrong", [np.zeros(3, int), np.zeros((2, 2)), np.zeros((2, 2, 2), int)])
def test_anything_but_a_matrix_of_integers_is_refused(wrong):
    with pytest.raises(UsageError, match="matrix of integers"):
        DonorMap(wrong)


def test_maps_of_different_shapes_do_not_compose():
    with pytest.raises(UsageError, match=r"shapes must agree; got \(2, 1\) and \(3, 1\)"):
        DonorMap.identity(2, 1).then(DonorMap.identity(3, 1))


def test_repr_hides_the_donors():
    assert repr(DonorMap(np.array([[1], [0]]))) == "<DonorMap of 2 rows and 1 columns>"


def test_columns_that_stay_in_place_are_told():
    donors = np.array([[0, 1], [1, 0], [2, 2]])
    assert DonorMap(donors).in_place.tolist() == [True, False]


def test_guests_may_give_although_they_are_not_released():
    given = DonorMap(np.array([[2], [0]]), givers=3)
    assert given.moved.tolist() == [[True], [True]]
    with pytest.raises(UsageError, match="below 3"):
        DonorMap(np.array([[3], [0]]), givers=3)
