from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from brute import NeighborSearch, Rule, assert_drawn_by_the_rule, draw, draw_sharing, make_points

from swapmeet.algorithms.neighbors import exact_draws, lists
from swapmeet.algorithms.neighbors.search import random_parts
from swapmeet.base.cache import Cache
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


POINTS = make_points(np.random.default_rng(2), 400, 2, (3,), digits=1)
STRATA = np.random.default_rng(3).integers(0, 2, 400).astype(np.int32)


@pytest.fixture
def made(monkeypatch):
    """The names of what was made, in order."""
    names = []

    def note(module, name):
        make = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args: names.append(name) or make(*args))

    note(exact_draws, "tree_of")
    note(lists, "nearest_lists")
    return names


def test_tree_and_lists_are_made_once_for_all_draws(made):
    cache = Cache(neighbours=10)
    for k in range(1, 11):
        for ties in ("random", "all"):
            rule = Rule(k=k, ties=ties)
            donors, sizes = draw_sharing(cache, POINTS, STRATA, rule, seed=k)
            assert_drawn_by_the_rule(POINTS, STRATA, rule, donors, sizes)
    assert made == ["tree_of", "nearest_lists"]


def test_draws_side_by_side_share_and_are_what_they_would_be_alone(made):
    cache, rules = Cache(neighbours=10), [Rule(k=k) for k in range(1, 9)]
    with ThreadPoolExecutor(4) as pool:
        both = list(pool.map(lambda rule: draw_sharing(cache, POINTS, STRATA, rule), rules))
    assert made == ["tree_of", "nearest_lists"]
    for rule, (donors, _) in zip(rules, both, strict=True):
        alone, _ = draw_sharing(Cache(neighbours=10), POINTS, STRATA, rule)
        assert np.array_equal(donors, alone)


AS_TODAY = {
    "k beyond the lists": (Rule(k=11), Cache(neighbours=10)),
    "no lists wanted": (Rule(k=2), Cache()),
    "a ball": (Rule(k=3, eps=0.1), Cache(neighbours=10)),
    "an open ball": (Rule(eps=0.1, open_ball=True), Cache(neighbours=10)),
    "no room for lists": (Rule(k=3), Cache(neighbours=10, memory=60_000)),
    "no room at all": (Rule(k=3), Cache(neighbours=10, memory=0)),
}


@pytest.mark.parametrize(("rule", "cache"), AS_TODAY.values(), ids=AS_TODAY)
def test_without_lists_draws_are_cell_by_cell_those_that_share_nothing(rule, cache, made):
    expected = draw(POINTS, STRATA, rule)
    made.clear()
    for _ in range(2):
        found = draw_sharing(cache, POINTS, STRATA, rule)
        assert all(map(np.array_equal, found, expected))
    assert made == ["tree_of"] * (1 if cache.memory else 2)


def test_what_has_to_make_room_is_made_again_and_gives_the_same_draws(made):
    rule = Rule(k=5)
    roomy, tight = Cache(neighbours=5), Cache(neighbours=5, memory=100_000)
    expected, _ = draw_sharing(roomy, POINTS, STRATA, rule)
    for _ in range(2):
        assert np.array_equal(draw_sharing(tight, POINTS, STRATA, rule)[0], expected)
        tight.once("other", lambda: np.zeros(12_500))
    assert made == ["tree_of", "nearest_lists"] * 3


def test_too_few_rows_for_k_is_an_error_and_nothing_is_listed(made):
    points = make_points(np.random.default_rng(1), 5)
    with pytest.raises(TableError, match=r"`k` = 5 needs at least 6 rows.*Lower `k`"):
        draw_sharing(Cache(neighbours=9), points, np.zeros(5, np.int32), Rule(k=5))
    assert made == ["tree_of"]
    _, sizes = draw_sharing(Cache(neighbours=9), points, np.zeros(5, np.int32), Rule(k=4))
    assert (sizes == 4).all()
