"""The columns that an intruder does best to look at."""

import numpy as np

from swapmeet.intruders.links.intruder import Truth, choose_subset

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
