"""Neighbourhoods by the definition, with a full distance matrix: the oracle of these tests."""

from __future__ import annotations

import numpy as np

from swapmeet.algorithms.encode import Points
from swapmeet.algorithms.neighbors import (
    DrawTask,
    NeighborCache,
    NeighborSearch,
    Rule,
    draw_members,
)
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed


def make_points(rng, n, d=2, levels=(3,), *, digits=None, costs=None):
    """Random points; few `digits` make ties and twins."""
    numbers = rng.random((d, n))
    if digits is not None:
        numbers = np.round(numbers, digits)
    codes = np.array([rng.integers(0, count, n) for count in levels], dtype=np.int32)
    table = np.zeros((len(levels), max(levels, default=1)))
    for row, count in zip(table, levels, strict=True):
        row[:count] = rng.random(count) + 0.1 if costs == "uneven" else 1.0
    return Points(numbers, codes.reshape(len(levels), n), table, tuple(levels))


def copy_of(points):
    return Points(points.numbers.copy(), points.codes.copy(), points.costs.copy(), points.levels)


def squared_distances(points):
    n = points.n
    total = np.zeros((n, n))
    for x in points.numbers:
        total += (x[:, None] - x[None, :]) ** 2
    for codes, costs in zip(points.codes, points.costs, strict=True):
        mismatch = costs[codes][:, None] + costs[codes][None, :]
        total += np.where(codes[:, None] != codes[None, :], mismatch, 0.0)
    return total


def neighbourhoods(points, strata, rule):
    """For each row: (sure members, tied members, places)."""
    squares = squared_distances(points)
    squares[strata[:, None] != strata[None, :]] = np.inf
    np.fill_diagonal(squares, np.inf)
    limit = rule.eps**2 * (1 - 2e-12 if rule.open_ball else 1 + 2e-12)
    result = []
    for row in squares:
        ball = np.flatnonzero(row < limit)
        if len(ball) >= rule.k:
            result.append((ball, np.array([], int), 0))
            continue
        kth = np.sort(row)[rule.k - 1]
        sure = np.flatnonzero(row < kth * (1 - 2e-12))
        tied = np.flatnonzero((row >= kth * (1 - 2e-12)) & (row <= kth * (1 + 2e-12)))
        result.append((sure, tied, len(tied) if rule.ties == "all" else rule.k - len(sure)))
    return result


def draw(points, strata, rule, columns=4, seed=1, threads=2, search=None):
    """Donors and sizes as the package finds them."""
    words, streams = words_for(points, columns, seed)
    task = DrawTask(copy_of(points), strata, rule, words, streams, Workers(threads))
    return words, draw_members(task, search or NeighborSearch()).sizes


def draw_sharing(shared, points, strata, rule, columns=4, seed=1, threads=2):
    """As `draw`, by way of what `shared` keeps."""
    words, _ = words_for(points, columns, seed)
    ground = NeighborCache(shared, "test", lambda: copy_of(points), strata, Workers(threads))
    return words, ground.draw(rule, words).sizes


def words_for(points, columns, seed):
    streams = Seed.chosen_by_user(seed).within("test")
    words = [streams.random_bits(points.n, str(j)) for j in range(columns)]
    return np.stack(words, axis=1), streams


def assert_drawn_by_the_rule(points, strata, rule, donors, sizes):
    for i, (sure, tied, places) in enumerate(neighbourhoods(points, strata, rule)):
        assert sizes[i] == len(sure) + places
        allowed = set(sure) | set(tied)
        if not allowed:
            assert (donors[i] == -1).all()
            continue
        assert set(donors[i]) <= allowed
        assert len(set(donors[i]) - set(sure)) <= places


__all__ = [
    "NeighborSearch",
    "Rule",
    "assert_drawn_by_the_rule",
    "draw",
    "draw_sharing",
    "make_points",
    "neighbourhoods",
]
