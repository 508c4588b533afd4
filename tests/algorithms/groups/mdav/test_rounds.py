from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mdav_literal import literal_mdav

from swapmeet.algorithms.groups.mdav.distances import FAR_OUT, measure_columns
from swapmeet.algorithms.groups.mdav.rounds import (
    STEP,
    add,
    farthest,
    mdav,
    mean_of,
    nearest,
    totals_of,
)
from swapmeet.algorithms.groups.mdav.tree import grow, remaining_rows, remove
from swapmeet.base.parallel import Workers

NAN = np.nan


def groups_of(columns, k):
    labels = mdav(np.array(columns, float), k, Workers(1))
    return [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]


# by hand


def test_the_outlier_takes_its_nearest_and_the_rest_is_a_group():
    """The mean is 12.3, so r = 50; seven rows are fewer than 3k, so there is no group of s."""
    assert groups_of([[0, 1, 2, 10, 11, 12, 50]], 3) == [[4, 5, 6], [0, 1, 2, 3]]


def test_the_opposite_end_gets_a_group_too_where_enough_rows_are_left():
    """r = 30 takes 29, s = 0 takes 1, what is left is the last group."""
    assert groups_of([[0, 1, 14, 15, 29, 30]], 2) == [[4, 5], [0, 1], [2, 3]]


def test_the_first_of_equally_far_rows_and_the_last_of_equally_near_ones_are_taken():
    """Both ends are 2 from the mean 0: r is row 0. Rows 1 and 3 are equally near: row 3 goes."""
    assert groups_of([[-2, -1, 1, -1, 1, 2]], 2) == [[0, 3], [4, 5], [1, 2]]


def test_a_row_with_enough_twins_behind_it_is_passed_over():
    """r is row 0, the first of the 9s; its two nearest are the last of its twins."""
    assert groups_of([[9, 9, 9, 0, 0, 0]], 2) == [[1, 2], [4, 5], [0, 3]]


def test_columns_count_by_their_variance():
    """In units of the sd the second column parts the rows, however large the first one's are."""
    wide = [0, 1000, 0, 1000, 0, 1000, 0, 1000]
    narrow = [0, 0, 0, 0, 0, 0, 0.009, 0.009]
    assert [6, 7] in groups_of([wide, narrow], 2)


def test_missing_values_are_far_from_all_others_and_alike():
    assert [2, 5] in groups_of([[0, 1, NAN, 1, 0, NAN, 2], [5, 4, 4, 5, 4, 5, 4]], 2)


def test_fewer_than_2k_rows_are_one_group():
    assert groups_of([[1, 2, 3]], 2) == [[0, 1, 2]]
    assert groups_of([[1]], 2) == [[0]]


@pytest.mark.parametrize("columns", [[[7.5] * 9], [[NAN] * 9], np.empty((0, 9))])
def test_rows_that_cannot_be_told_apart_are_grouped_from_the_last(columns):
    assert groups_of(columns, 4) == [[5, 6, 7, 8], [0, 1, 2, 3, 4]]


# the same groups as the literal algorithm


@st.composite
def tables(draw):
    n, p = draw(st.integers(1, 60)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kinds = {
        "normal": lambda: rng.standard_normal(n),
        "few values": lambda: rng.integers(0, 3, n).astype(float),
        "tenths": lambda: np.round(rng.standard_normal(n), 1),
        "heavy tails": lambda: rng.standard_cauchy(n),
        "mostly zero": lambda: rng.standard_normal(n) * (rng.random(n) < 0.1),
        "far from zero": lambda: 1e9 + rng.integers(0, 50, n) / 8.0,
        "constant": lambda: np.full(n, 0.1),
        "tiny": lambda: rng.standard_normal(n) * 1e-140,
        "huge": lambda: rng.standard_normal(n) * 1e140,
    }
    names = draw(st.lists(st.sampled_from(sorted(kinds)), min_size=p, max_size=p))
    columns = np.stack([kinds[name]() for name in names])
    columns[rng.random((p, n)) < draw(st.sampled_from([0.0, 0.0, 0.05, 0.5, 1.0]))] = NAN
    return columns[:, rng.integers(0, n, n)] if draw(st.booleans()) else columns


@given(tables(), st.integers(2, 8))
def test_groups_are_those_of_the_literal_algorithm(columns, k):
    assert np.array_equal(mdav(columns, k, Workers(1)), literal_mdav(columns, k))


def normal(p, n, seed=3):
    return np.random.default_rng(seed).standard_normal((p, n))


def chance(p, n, seed):
    return np.random.default_rng(seed).random((p, n))


LARGER = {
    "twelve columns": lambda: normal(12, 3000),
    "one column": lambda: normal(1, 3000),
    "likert": lambda: np.floor(5.0 * chance(6, 2500, 1)),
    "binary": lambda: np.floor(2.0 * chance(3, 2500, 2)),
    "mostly alike": lambda: normal(4, 2500) * (chance(1, 2500, 3) < 0.05),
    "holes": lambda: np.where(chance(8, 2500, 4) < 0.03, NAN, normal(8, 2500)),
    "two tight heaps": lambda: 1e-9 * normal(3, 1500) + np.arange(1500) % 2,
    "heavy tails": lambda: np.random.default_rng(5).standard_cauchy((5, 2500)),
}


@pytest.mark.slow_case("twelve columns-3")
@pytest.mark.slow_beyond(3)
@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("name", LARGER)
def test_groups_of_larger_tables_are_those_of_the_literal_algorithm(name, k):
    columns = LARGER[name]()
    assert np.array_equal(mdav(columns, k, Workers(1)), literal_mdav(columns, k))


@pytest.mark.parametrize("k", [2, 7, 60])
def test_all_groups_have_k_rows_but_the_last(k):
    sizes = np.bincount(mdav(normal(5, 9001), k, Workers(1)))
    assert (sizes[:-1] == k).all()
    assert k <= sizes[-1] < 2 * k


def test_progress_is_reported_now_and_then():
    heard = []
    mdav(normal(2, 3 * STEP), 5, Workers(1, lambda label, done, total: heard.append((done, total))))
    done = [d for d, _ in heard]
    assert done == sorted(done)
    assert len(done) >= 3
    assert {total for _, total in heard} == {3 * STEP}


# the parts


def test_the_mean_of_what_is_left_is_exact_after_any_number_of_removals():
    rng = np.random.default_rng(8)
    values = rng.standard_normal((4000, 4)) * 10.0 ** rng.integers(-8, 9, (4000, 4))
    values[::3, 1] = FAR_OUT
    order = rng.permutation(4000)
    totals = totals_of(values, np.arange(4000))
    for row in order[:3990]:
        add(totals, values, row, -1.0)
    left = values[order[3990:]]
    present = [column[column != FAR_OUT] for column in left.T]
    assert mean_of(totals).tolist() == [math.fsum(x) / len(x) for x in present]


def test_the_mean_is_missing_where_all_values_are():
    assert mean_of(totals_of(np.array([[1.0, FAR_OUT]]), np.arange(1))).tolist() == [1.0, FAR_OUT]


def test_rows_that_were_removed_are_neither_found_nor_left():
    values, metric = measure_columns(normal(3, 2000))
    tree = grow(values, metric, np.arange(2000), values.mean(axis=0))
    gone = np.random.default_rng(1).permutation(2000)[:1700]
    for row in gone:
        remove(tree, values, row)
    left = np.setdiff1d(np.arange(2000), gone)
    assert sorted(remaining_rows(tree)) == left.tolist()
    members, gaps = np.empty(5, np.int64), np.empty(5)
    for query in values[:200]:
        away = (((values[left] - query) ** 2) * metric.weight).sum(axis=1)
        nearest(tree, values, metric, query, gaps, members)
        assert sorted(members) == sorted(left[np.argsort(away)[:5]])
        assert farthest(tree, values, metric, query) == left[away.argmax()]
