from __future__ import annotations

import numpy as np
import pytest
from brute import Rule, Search, draw, make_points, squared_distances

from swapmeet.errors import TableError
from swapmeet.neighbors.parts import random_parts, spatial_parts
from swapmeet.seeds import Seed


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


def test_spatial_parts_are_of_similar_size_and_nearly_exact():
    points = make_points(np.random.default_rng(0), 4000, 3, ())
    strata = np.zeros(4000, np.int32)
    parts = spatial_parts(points, strata, 8)
    sizes = np.bincount(parts)
    assert sizes.min() >= 250
    assert sizes.max() < 1000
    squares = squared_distances(points)
    means = {}
    for way in ("exact", "cells", "partition"):
        donors, _ = draw(points, strata, Rule(k=5), search=Search(way, parts=8))
        means[way] = np.sqrt(np.take_along_axis(squares, donors, axis=1)).mean()
    assert means["cells"] < 1.1 * means["exact"]
    assert means["partition"] > 1.5 * means["exact"]


@pytest.mark.parametrize("way", ["partition", "cells"])
def test_parts_keep_to_strata_and_one_part_is_exact(way):
    rng = np.random.default_rng(5)
    points = make_points(rng, 600, 2, (2,))
    strata = rng.integers(0, 3, 600).astype(np.int32)
    donors, _ = draw(points, strata, Rule(k=3), search=Search(way, parts=20))
    assert (strata[donors] == strata[:, None]).all()
    whole, sizes = draw(points, strata, Rule(k=3, eps=0.3), search=Search(way, parts=1))
    exact, exact_sizes = draw(points, strata, Rule(k=3, eps=0.3))
    assert (sizes == exact_sizes).all()
    assert (whole == exact).all()


@pytest.mark.parametrize("way", ["partition", "cells"])
def test_parts_too_small_for_k_are_an_error(way):
    points = make_points(np.random.default_rng(1), 50)
    with pytest.raises(TableError, match=r"parts leave one of [35] rows.*Lower `parts` or `k`"):
        draw(points, np.zeros(50, np.int32), Rule(k=5), search=Search(way, parts=10))
