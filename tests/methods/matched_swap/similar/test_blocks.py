from __future__ import annotations

import numpy as np
import pytest

from swapmeet.base.parallel import Workers
from swapmeet.methods.matched_swap.similar import find_middles, gather_groups, group_rows


def test_the_middle_of_a_group_is_its_mean_and_its_commonest_level(place):
    points = place([[0, 2, 4, 10, 20]], [[1, 1, 0, 0, 0]])
    middles = find_middles(points, np.array([0, 0, 0, 1, 1]))
    assert middles.numbers.tolist() == [[2.0, 15.0]]
    assert middles.codes.tolist() == [[1, 0]]


def test_groups_side_by_side_form_a_block(place):
    """Groups of 2 at about 0, 9, 1, 8: two blocks of four rows."""
    points = place([[0, 0.1, 9, 9.1, 1, 1.1, 8, 8.1]])
    assert gather_groups(points, np.arange(8) // 2, 4).tolist() == [0, 1, 0, 1]


def test_groups_of_a_level_form_a_block_where_there_are_no_numbers(place):
    points = place([], [[0, 0, 1, 1, 0, 0, 1, 1]])
    blocks = gather_groups(points, np.arange(8) // 2, 4)
    assert blocks[0] == blocks[2] != blocks[1] == blocks[3]


@pytest.mark.parametrize("size", [1, 40, 100, 1000, 5000])
def test_blocks_have_about_the_rows_asked_for(mixed_points, size):
    points = mixed_points(1000)
    labels = group_rows(points, np.zeros(1000, np.int32), 7, "tree", Workers(1))
    blocks = gather_groups(points, labels, size)
    assert len(blocks) == labels.max() + 1
    assert np.array_equal(np.unique(blocks), np.arange(blocks.max() + 1))
    rows = np.bincount(blocks[labels])
    assert rows[:-1].max(initial=0) <= max(size + 14, 14)
    assert rows.min() >= min(size - 7, 1000)
    assert rows.max() < 2 * size + 14


def test_one_group_is_one_block(place):
    assert gather_groups(place([[1, 2, 3]]), np.zeros(3, np.int64), 100).tolist() == [0]
