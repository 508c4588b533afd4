from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kl_theta_checker import broken

from swapmeet.methods.kl_theta.columns import number_columns
from swapmeet.methods.kl_theta.conditions import Conditions
from swapmeet.methods.kl_theta.paper import check_clusters

ONE_STRATUM = np.zeros(100, np.int32)


def values(*columns):
    return number_columns(np.array(column) for column in columns)


def spread(*counts):
    return np.repeat(np.arange(len(counts)), counts)


# how often a value may come


@pytest.mark.parametrize(
    ("theta", "size", "most"),
    [(0.3, 10, 3), (0.1, 10, 1), (0.29, 100, 29), (0.57, 100, 57), (1 / 3, 12, 4), (0.3, 13, 3),
     (1.0, 7, 7), (0.05, 10, 0)],
)  # fmt: skip
def test_most_is_the_largest_count_within_theta(theta, size, most):
    assert Conditions(2, 1, theta).most(size) == most
    assert most / size <= theta < (most + 1) / size


# the target size


@pytest.mark.parametrize(
    ("k", "distinct", "theta", "counts", "target"),
    [
        (10, 5, 0.3, (20, 20, 20, 20, 20), 10),
        (10, 2, 0.15, (14, 14, 14, 14, 14, 15, 15), 20),
        (10, 2, 0.15, (14, 14, 14, 14, 14, 14, 16), 20),
        (10, 3, 0.5, (49, 49, 2), 50),
        (5, 2, 0.9, (90, 10), 10),
        (2, 4, 0.5, (25, 25, 25, 25), 4),
        (40, 2, 0.5, (50, 50), 40),
    ],
)
def test_target_is_the_least_size_that_leaves_room_for_all(k, distinct, theta, counts, target):
    assert Conditions(k, distinct, theta).target(values(spread(*counts))) == target


# what cannot be


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        (Conditions(101, 2, 0.6), ["the table has 100 rows; `k` = 101 needs"]),
        (Conditions(10, 3, 0.6), ["'x' has 2 distinct values; `l` = 3 needs"]),
        (Conditions(10, 2, 0.5), ["one value has 60.0 % of the rows, more than `theta` = 0.5"]),
        (Conditions(10, 2, 0.6), []),
    ],
)
def test_obstacles_name_the_column_and_the_rule(conditions, told):
    found = [*conditions.obstacles(("x",), values(spread(60, 40)), ONE_STRATUM)]
    assert len(found) == len(told)
    assert all(text in obstacle for text, obstacle in zip(told, found, strict=True))


def test_the_least_feasible_theta_is_told_and_is_feasible():
    third = values(spread(33, 33, 34))
    (obstacle,) = Conditions(2, 2, 0.33).obstacles(("x",), third, ONE_STRATUM)
    assert obstacle.endswith("The least `theta` that can be met is 0.34.")
    assert not [*Conditions(2, 2, 0.34).obstacles(("x",), third, ONE_STRATUM)]


def test_each_stratum_must_be_feasible():
    strata = np.repeat(np.array([0, 1, 2], np.int32), [50, 46, 4])
    column = values(np.concatenate([spread(25, 25), spread(40, 6), spread(4)]))
    told = " ".join(Conditions(5, 2, 0.6).obstacles(("x",), column, strata))
    assert "1 of 3 strata have as few as 4 rows" in told
    assert "'x' has 1 distinct values in one of the strata" in told
    assert "100 % of the rows in one of the strata" in told


# the verdict


@given(st.data())
def test_verdict_agrees_with_counting_by_hand(data):
    n = data.draw(st.integers(1, 40))
    rows = st.lists(st.integers(-1, 5), min_size=n, max_size=n)
    labels = np.array(data.draw(rows))
    columns = [data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)) for _ in range(2)]
    k, distinct = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))
    theta = data.draw(st.sampled_from([0.25, 0.3, 0.5, 0.6, 1.0]))
    found = check_clusters(labels, values(*columns), Conditions(k, distinct, theta))
    assert len(found) == max(labels.max() + 1, 0)
    for cluster, verdict in enumerate(found):
        mine = np.where(labels == cluster, 0, -1)
        assert verdict == ((mine == 0).any() and not broken(mine, columns, k, distinct, theta))
