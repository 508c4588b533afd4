"""Released units that fit the members of a unit best, against plain loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.likelihood.best_units import add_best_rows, share_right_inside


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.integers(0, 10**6))
def test_scores_are_sums_of_the_best_rows_that_are_left(released, seed):
    rng = np.random.default_rng(seed)
    ends = np.cumsum([0, *released])
    fits, chance = rng.normal(size=(5, ends[-1])), rng.normal(size=ends[-1])
    found = add_best_rows(fits, chance, np.array([2, 1, 2]), ends)
    for unit, lines in enumerate(([0, 1], [2], [3, 4])):
        for place, (begin, end) in enumerate(pairwise(ends)):
            left, total = set(range(begin, end)), 0.0
            for line in lines:
                among = left or range(begin, end)
                best = max(among, key=lambda row: fits[line, row] - chance[row])
                left.discard(best)
                total += fits[line, best] - chance[best]
            assert np.isclose(found[unit, place], total)


def test_a_row_stands_for_one_member():
    fits = np.array([[1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0]])
    found = add_best_rows(fits, np.zeros(4), np.array([2]), np.array([0, 2, 4]))
    assert found.tolist() == [[1.0, 2.0]]


def test_a_member_is_found_by_the_best_row_of_the_right_unit_and_ties_are_shared():
    fits = np.array([[0.0, 1.0, 1.0, 9.0], [5.0, 0.0, 0.0, 9.0], [1.0, 2.0, 3.0, 4.0]])
    ends, people = np.array([0, 3, 4]), np.array([2, 7, 5])
    place = np.array([7, 2, 3, 5])
    found = share_right_inside(
        fits, np.zeros(4), np.array([0, 0, -1]), ends, people, place, np.full(4, -1)
    )
    assert found.tolist() == [0.5, 1.0, 0.0]
