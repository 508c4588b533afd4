from __future__ import annotations

import numpy as np

from swapmeet.intruders.guesses.guesses import MOST, guess_in_leaves


def guess(begins, sizes, cells, givers, truth):
    right = np.zeros((2, len(truth)))
    guess_in_leaves(
        np.array(begins), np.array(sizes), np.arange(len(cells)), np.array(cells),
        np.array(givers)[:, np.newaxis], np.arange(len(truth)), np.array(truth), 0.0, right,
    )  # fmt: skip
    return right


def test_the_most_frequent_value_of_the_leaf_is_guessed_with_and_without_the_own_cell():
    """Person 0 reaches rows 0 to 2 and decides there; person 1 reaches the last, their own."""
    right = guess([0, 3], [3, 1], [1.0, 2.0, 1.0, 5.0], [0, 7, 7, 1], [1.0, 5.0])
    assert right.tolist() == [[1.0, 1.0], [0.5, 0.0]]


def test_missing_cells_are_left_out():
    assert guess([0], [3], [np.nan, np.nan, 4.0], [7, 7, 7], [4.0])[0] == 1.0


def test_a_large_leaf_is_thinned():
    cells = np.append(np.ones(3 * MOST), np.full(2 * MOST, 2.0))
    assert guess([0], [len(cells)], cells, np.full(len(cells), 7), [1.0])[0] == 1.0
