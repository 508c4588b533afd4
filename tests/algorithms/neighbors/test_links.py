from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.neighbors.links import Exclusions, nearest_links
from swapmeet.base.parallel import Workers

TOLERANCE = 1e-12


def points(rng, n, d, c, *, grid):
    numbers = rng.integers(0, 4, (d, n)) / 1.0 if grid else rng.normal(size=(d, n))
    codes = rng.integers(0, 3, (c, n)).astype(np.int32)
    costs = np.random.default_rng(9).random((c, 3)) if c else np.zeros((0, 1))
    return Points(np.ascontiguousarray(numbers), codes, costs, (3,) * c)


def all_distances(queries, targets):
    away = ((queries.numbers[:, :, None] - targets.numbers[:, None]) ** 2).sum(axis=0)
    for one, other, costs in zip(queries.codes, targets.codes, queries.costs, strict=True):
        differ = one[:, None] != other[None]
        away += np.where(differ, costs[one][:, None] + costs[other][None], 0.0)
    return away


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 300),
    m=st.integers(1, 300),
    d=st.integers(0, 4),
    c=st.integers(0, 3),
    grid=st.booleans(),
)
def test_links_are_those_of_the_whole_matrix(seed, n, m, d, c, grid):
    if d + c == 0:
        return
    rng = np.random.default_rng(seed)
    queries, targets = points(rng, n, d, c, grid=grid), points(rng, m, d, c, grid=grid)
    own = rng.integers(-1, m, n)
    found = nearest_links(queries, targets, own, Workers(2))
    away = all_distances(queries, targets)
    nearest = away.min(axis=1)
    assert np.allclose(found.nearest, nearest, rtol=1e-12)
    ties = (away <= nearest[:, None] * (1 + TOLERANCE)).sum(axis=1)
    assert np.array_equal(found.ties, ties)
    assert np.allclose(away[np.arange(n), found.who], nearest, rtol=1e-12)
    mine = np.where(own < 0, np.inf, away[np.arange(n), own])
    assert np.allclose(found.own, mine)
    chance = np.where(mine <= nearest * (1 + TOLERANCE), 1 / ties, 0.0)
    assert np.allclose(found.chances, chance)


@given(
    seed=st.integers(0, 10**6),
    cuts=st.lists(st.integers(1, 199), max_size=4),
    grid=st.booleans(),
    m=st.sampled_from([200, 1000]),
)
def test_links_with_parts_of_the_targets_add_up_to_those_with_all(seed, cuts, grid, m):
    """On a grid many are equally near; the first of them is named, whatever the parts."""
    rng = np.random.default_rng(seed)
    queries, targets = points(rng, 60, 2, 1, grid=grid), points(rng, m, 2, 1, grid=grid)
    own = rng.integers(-1, m, 60)
    whole = nearest_links(queries, targets, own, Workers(1))
    found = None
    for rows in np.split(np.arange(m), sorted(set(cuts))):
        here = np.where((own >= rows[0]) & (own <= rows[-1]), own - rows[0], -1)
        part = nearest_links(queries, targets.of(rows), here, Workers(1))
        part = replace(part, who=part.who + rows[0])
        found = part if found is None else found + part
    assert np.allclose(found.nearest, whole.nearest, rtol=1e-12)
    for name in ("who", "ties", "own", "chances"):
        assert np.array_equal(getattr(found, name), getattr(whole, name)), name


@pytest.mark.parametrize("threads", [1, 2])
def test_many_twins_share_the_hit(threads):
    """500 equal targets, far more than a leaf holds."""
    one = Points(np.zeros((2, 500)), np.empty((0, 500), np.int32), np.zeros((0, 1)), ())
    found = nearest_links(one, one, np.arange(500), Workers(threads))
    assert (found.ties == 500).all()
    assert (found.who == 0).all()
    assert np.allclose(found.chances, 1 / 500)


def test_points_are_not_modified():
    rng = np.random.default_rng(1)
    queries, targets = (points(rng, 200, 3, 1, grid=False) for _ in "ab")
    before = [array.copy() for p in (queries, targets) for array in (p.numbers, p.codes)]
    nearest_links(queries, targets, np.arange(200), Workers(1))
    after = [array for p in (queries, targets) for array in (p.numbers, p.codes)]
    assert all(map(np.array_equal, before, after))


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 200),
    m=st.integers(1, 200),
    d=st.integers(0, 3),
    c=st.integers(1, 3),
    share=st.sampled_from([0.0, 0.1, 0.9, 1.0]),
    grid=st.booleans(),
)
def test_targets_that_do_not_count_are_passed_over(seed, n, m, d, c, share, grid):
    rng = np.random.default_rng(seed)
    queries, targets = points(rng, n, d, c, grid=grid), points(rng, m, d, c, grid=grid)
    out = rng.random((n, m)) < share
    who, rows = np.nonzero(out)
    without = Exclusions.of_pairs(who, rows, n)
    found = nearest_links(queries, targets, np.full(n, -1), Workers(2), without)
    away = np.where(out, np.inf, all_distances(queries, targets))
    nearest = away.min(axis=1)
    assert np.allclose(found.nearest, nearest, rtol=1e-12)
    left = np.isfinite(nearest)
    ties = (away <= nearest[:, None] * (1 + TOLERANCE)).sum(axis=1)
    assert np.array_equal(found.ties[left], ties[left])
    first = (away <= nearest[:, None] * (1 + TOLERANCE)).argmax(axis=1)
    assert np.array_equal(found.who[left], first[left])


def test_exclusions_of_a_part_are_numbered_from_its_first_target():
    whole = Exclusions.of_pairs(np.array([0, 0, 1, 2]), np.array([3, 9, 5, 4]), 3)
    part = whole.within(4, 3)
    assert (part.starts.tolist(), part.rows.tolist()) == ([0, 0, 1, 2], [1, 0])
    assert whole.of(np.array([2, 0])).rows.tolist() == [4, 3, 9]
