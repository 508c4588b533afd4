"""Released units that fit the members of a unit best, against plain loops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.intruders.evidence.best import MemberFits, add_best_rows, share_right_inside


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.integers(0, 10**6))
def test_scores_are_sums_of_the_best_rows_that_are_left(released, seed):
    rng = np.random.default_rng(seed)
    ends = np.cumsum([0, *released])
    fits, chance = rng.normal(size=(5, ends[-1])), rng.normal(size=ends[-1])
    seen = MemberFits.of_matrix(fits)._replace(base=-chance)
    found = add_best_rows(seen, np.array([2, 1, 2]), ends, np.arange(len(released)))
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
    fits = MemberFits.of_matrix(np.array([[1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, 1.0]]))
    found = add_best_rows(fits, np.array([2]), np.array([0, 2, 4]), np.arange(2))
    assert found.tolist() == [[1.0, 2.0]]


def test_a_member_is_found_by_the_best_row_of_the_right_unit_and_ties_are_shared():
    fits = np.array([[0.0, 1.0, 1.0, 9.0], [5.0, 0.0, 0.0, 9.0], [1.0, 2.0, 3.0, 4.0]])
    ends, people = np.array([0, 3, 4]), np.array([2, 7, 5])
    place = np.array([7, 2, 3, 5])
    seen = MemberFits.of_matrix(fits)
    found = share_right_inside(seen, np.array([0, 0, -1]), ends, people, place, np.full(4, -1))
    assert found.tolist() == [0.5, 1.0, 0.0]


def test_values_that_agree_gain_as_a_matrix_would_say():
    rng = np.random.default_rng(4)
    codes, own = rng.integers(0, 3, (7, 2)), rng.integers(0, 3, (4, 2))
    base, common, shares, gains = (rng.normal(size=size) for size in (7, 7, 4, (4, 2)))
    seen = MemberFits(np.empty((0, 0)), base, common, shares, codes, own, gains)
    matrix = base + np.outer(shares, common)
    for j in range(2):
        matrix += np.where(own[:, [j]] == codes[:, j], gains[:, [j]], 0.0)
    sizes, ends = np.array([3, 1]), np.array([0, 2, 5, 7])
    plain = MemberFits.of_matrix(matrix)
    where = (sizes, ends, np.array([2, 0, 1]))
    assert np.allclose(add_best_rows(seen, *where), add_best_rows(plain, *where))
    rest = (np.array([0, 1, 2, -1]), ends, np.arange(4), np.arange(7), np.full(7, -1))
    assert np.allclose(share_right_inside(seen, *rest), share_right_inside(plain, *rest))


def test_units_of_another_size_are_ruled_out_where_only_alike_ones_count():
    fits = MemberFits.of_matrix(np.ones((2, 3)))
    found = add_best_rows(fits, np.array([2]), np.array([0, 2, 3]), np.arange(2), alike=True)
    assert found.tolist() == [[2.0, -np.inf]]
