from __future__ import annotations

import numpy as np
import pytest

from swapmeet.algorithms.encode import Points


@pytest.fixture(scope="session")
def place():
    """Rows as points: lists of numbers, lists of codes, and the cost of the levels of each."""

    def placed(numbers=(), codes=(), cost=1.0):
        n = len((*numbers, *codes)[0])
        levels = tuple(int(max(column)) + 1 for column in codes)
        costs = np.full((len(codes), max(levels, default=1)), cost)
        return Points(
            np.array(numbers, float).reshape(-1, n),
            np.array(codes, np.int32).reshape(-1, n),
            costs,
            levels,
        )

    return placed


def chance_points(place, n, rng):
    """Normal, rounded and constant numbers, nominal columns of 2, 5 and many levels."""
    numbers = [rng.standard_normal(n), np.round(rng.standard_normal(n)), np.full(n, 0.25)]
    codes = [rng.integers(0, levels, n) for levels in (2, 5, 200)]
    return place(numbers, codes, 0.1)


@pytest.fixture(scope="session")
def mixed_points(place):
    return lambda n, seed=0: chance_points(place, n, np.random.default_rng(seed))
