from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.donors import SUPPRESSED, DonorMap
from swapmeet.errors import UsageError


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
