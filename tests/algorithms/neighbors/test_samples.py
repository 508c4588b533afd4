from __future__ import annotations

import numpy as np
import pytest
from brute import NeighborSearch, Rule, draw, make_points, squared_distances

from swapmeet.errors import TableError

WAYS = [NeighborSearch("sample", sample=100), NeighborSearch("pairs", sample=100)]


@pytest.mark.parametrize("search", WAYS, ids=lambda search: search.way)
def test_with_all_rows_as_candidates_the_search_is_exact(search):
    points = make_points(np.random.default_rng(0), 90, 2, (3,))
    strata = np.zeros(90, np.int32)
    rule = Rule(k=6, eps=0.15)
    donors, sizes = draw(points, strata, rule, search=search)
    _, exact_sizes = draw(points, strata, rule)
    assert (sizes == exact_sizes).all()
    squares = squared_distances(points)
    np.fill_diagonal(squares, np.inf)
    radius = np.maximum(np.sort(squares, axis=1)[:, 5], 0.15**2)
    reached = np.take_along_axis(squares, donors, axis=1)
    assert (reached <= radius[:, None] * (1 + 1e-9)).all()


@pytest.mark.parametrize("search", WAYS, ids=lambda search: search.way)
def test_neighbours_in_a_sample_are_farther_than_the_exact_ones_but_not_random(search):
    points = make_points(np.random.default_rng(0), 3000, 3, ())
    strata = np.zeros(3000, np.int32)
    squares = squared_distances(points)
    exact, _ = draw(points, strata, Rule(k=5))
    near, sizes = draw(points, strata, Rule(k=5), search=search)

    def mean(donors):
        return np.sqrt(np.take_along_axis(squares, donors, axis=1)).mean()

    assert (sizes == 5).all()
    assert (near != np.arange(3000)[:, None]).all()
    assert 1.5 * mean(exact) < mean(near) < 0.7 * np.sqrt(squares).mean()


@pytest.mark.parametrize("search", WAYS, ids=lambda search: search.way)
def test_candidates_never_leave_the_stratum(search):
    rng = np.random.default_rng(2)
    points = make_points(rng, 1000, 2, ())
    strata = rng.integers(0, 7, 1000).astype(np.int32)
    donors, _ = draw(points, strata, Rule(k=4, eps=0.2), search=search)
    assert (strata[donors] == strata[:, None]).all()


@pytest.mark.parametrize("n", [7, 8, 101, 102, 103])
def test_a_circle_gives_each_row_distinct_candidates(n):
    points = make_points(np.random.default_rng(2), n, 1, ())
    search = NeighborSearch("pairs", sample=6)
    _, sizes = draw(points, np.zeros(n, np.int32), Rule(k=1, eps=5.0), search=search)
    assert (sizes == 6).all()


@pytest.mark.parametrize("search", WAYS, ids=lambda search: search.way)
def test_threads_do_not_change_the_result(search):
    points = make_points(np.random.default_rng(1), 5000)
    strata = np.zeros(5000, np.int32)
    one, _ = draw(points, strata, Rule(k=3), threads=1, search=search)
    two, _ = draw(points, strata, Rule(k=3), threads=2, search=search)
    assert (one == two).all()


@pytest.mark.parametrize("way", ["sample", "pairs"])
def test_fewer_candidates_than_k_is_an_error(way):
    points = make_points(np.random.default_rng(1), 50)
    with pytest.raises(TableError, match="`sample` = 5 candidates cannot give `k` = 8"):
        draw(points, np.zeros(50, np.int32), Rule(k=8), search=NeighborSearch(way, sample=5))
