from __future__ import annotations

import numpy as np
import pytest
from brute import NeighborSearch, Rule, draw, make_points

from swapmeet.algorithms.neighbors.search import random_parts
from swapmeet.base.seeds import Seed
from swapmeet.errors import TableError


def test_random_parts_are_of_equal_size_and_inside_strata():
    rng = np.random.default_rng(0)
    strata = np.repeat([0, 1, 2], [500, 300, 200]).astype(np.int32)
    strata = strata[rng.permutation(1000)]
    parts = random_parts(strata, 10, Seed.chosen_by_user(1).within("x"))
    assert np.bincount(parts).tolist() == [100] * 10
    assert all(len(set(strata[parts == part])) == 1 for part in range(10))


def test_a_stratum_smaller_than_a_part_is_a_part_of_its_own():
    strata = np.repeat([0, 1], [97, 3]).astype(np.int32)
    parts = random_parts(strata, 4, Seed.chosen_by_user(1).within("x"))
    assert sorted(np.bincount(parts).tolist()) == [3, 24, 24, 24, 25]


@pytest.mark.parametrize("way", ["partition", "cells"])
def test_parts_keep_to_strata_and_one_part_is_exact(way):
    rng = np.random.default_rng(5)
    points = make_points(rng, 600, 2, (2,))
    strata = rng.integers(0, 3, 600).astype(np.int32)
    donors, _ = draw(points, strata, Rule(k=3), search=NeighborSearch(way, parts=20))
    assert (strata[donors] == strata[:, None]).all()
    whole, sizes = draw(points, strata, Rule(k=3, eps=0.3), search=NeighborSearch(way, parts=1))
    exact, exact_sizes = draw(points, strata, Rule(k=3, eps=0.3))
    assert (sizes == exact_sizes).all()
    assert (whole == exact).all()


def test_parts_too_small_for_k_are_an_error():
    points = make_points(np.random.default_rng(1), 50)
    with pytest.raises(TableError, match=r"parts has only 5 rows.*Lower `parts` or `k`"):
        draw(
            points, np.zeros(50, np.int32), Rule(k=5), search=NeighborSearch("partition", parts=10)
        )


def test_cells_too_small_for_k_are_an_error():
    points = make_points(np.random.default_rng(1), 50)
    with pytest.raises(TableError, match=r"cells has .* with its guests.*`parts` or `k`"):
        draw(points, np.zeros(50, np.int32), Rule(k=20), search=NeighborSearch("cells", parts=10))
