"""The columns that an intruder does best to look at."""

from __future__ import annotations

import numpy as np
import pytest

from swapmeet.intruders.links.intruder import Truth, choose_subset
from swapmeet.release.donors import DonorMap
from swapmeet.release.provenance import Provenance

N = 12
TRUTH = Truth(np.arange(N), np.full(N, -1))
PEOPLE = np.arange(N)
TELLING = np.eye(N)
NOISE = 3 * np.random.default_rng(1).random((N, N))


def test_a_column_that_only_confuses_is_left_out():
    assert choose_subset([NOISE, TELLING], TRUTH, PEOPLE) == (1,)


def test_columns_that_tell_only_together_are_found_from_all_of_them():
    left, right = np.zeros((N, N)), np.zeros((N, N))
    left[:, : N // 2] = right[:, N // 2 :] = 2.0
    first = TELLING + left
    second = TELLING + right
    assert choose_subset([first, second, NOISE], TRUTH, PEOPLE) == (0, 1)


def test_of_two_that_do_the_same_one_is_enough():
    assert len(choose_subset([TELLING, TELLING], TRUTH, PEOPLE)) == 1


COLUMNS = ("a", "b", "c")
# Row 0 holds two cells of person 1; row 1 those of person 0 and one of 2; row 2 its own.
DONORS = np.array([[0, 1, 1], [0, 0, 2], [2, 2, 2]])
ORIGIN = Provenance.of(DonorMap(DONORS), COLUMNS, None, owned=True)


def test_a_row_is_right_for_whoever_gave_most_of_what_is_not_known():
    knows_first = Truth.of(ORIGIN, COLUMNS, ["a"])
    assert knows_first.place.tolist() == [0, 1, 2]
    assert knows_first.giver.tolist() == [1, -1, 2]


def test_where_nothing_is_left_to_know_all_masked_cells_count():
    assert Truth.of(ORIGIN, COLUMNS, COLUMNS).giver.tolist() == [1, 0, 2]


def test_kept_columns_do_not_count_among_what_is_to_be_learnt():
    assert Truth.of(ORIGIN, ["a"], ["b"]).giver.tolist() == [0, 0, 2]


def test_tied_rows_share_the_link():
    truth = Truth(np.array([0, 1, 2]), np.array([-1, 0, -1]))
    scores = np.array([[1.0, 1.0, 0.0], [5.0, 4.0, 5.0]])
    shares = truth.share_right(scores, np.array([0, 1]))
    assert shares.tolist() == [1.0, 0.0]
    assert truth.share_right(scores, np.array([2, 0]), np.array([1.0, 1.0, 0.0])).tolist() == [
        pytest.approx(1 / 3),
        0.0,
    ]


def test_nobody_is_never_found():
    truth = Truth(np.full(3, -1), np.full(3, -1))
    assert truth.share_right(np.zeros((2, 3)), np.array([0, 1])).tolist() == [0.0, 0.0]
