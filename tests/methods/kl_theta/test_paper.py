from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kl_theta_checker import broken, partition
from kl_theta_literal import Literal

from swapmeet.methods.kl_theta.conditions import Conditions, EncodedKeys, _marks, number_columns
from swapmeet.methods.kl_theta.paper import form_paper_clusters


def ours(numbers, nominal, sensitive, k, distinct, theta, weights, costs):
    marks = [_marks(int(column.max()) + 1)[column] for column in nominal.T]
    keys = EncodedKeys(
        numbers,
        np.stack([np.zeros(len(numbers), np.int64), *marks], axis=1)[:, 1:].copy(),
        np.array(weights, float),
        np.array(costs, float),
    )
    told = []
    labels = form_paper_clusters(
        keys, number_columns(sensitive.T), Conditions(k, distinct, theta), told.append
    )
    assert told == sorted(told)
    assert told[-1] == len(sensitive)
    return labels


def agree(*table):
    """Our clusters are the satisfied ones of the literal algorithm."""
    labels = ours(*table)
    literal = Literal(*table)
    everything = literal.labels()
    _, _, sensitive, k, distinct, theta, *_ = table
    good = {
        rows
        for rows in partition(everything)
        if not broken([0 if r in rows else -1 for r in range(len(sensitive))],
                      sensitive.T.tolist(), k, distinct, theta)
    }  # fmt: skip
    assert partition(labels) == good
    assert not broken(labels, sensitive.T.tolist(), k, distinct, theta)
    return literal


# by hand


def test_five_rows_by_hand():
    """L = 2, K = 2, θ = 0.5; values a a b b c at 0, 0.1, 0.2, 1, 0.9.

    Row 0 (a) begins; row 1 (a) is nearest and waits; row 2 (b) joins. Row 3 (b) begins; row 4 (c)
    joins. Row 1 finds no cluster with room, begins one, and is merged with the nearest whose union
    keeps θ: that of rows 0 and 2 would have a in 2 of 3 rows, so it is that of rows 3 and 4.
    """
    numbers = np.array([[0.0], [0.1], [0.2], [1.0], [0.9]])
    sensitive = np.array([[0], [0], [1], [1], [2]])
    table = (numbers, np.empty((5, 0), int), sensitive, 2, 2, 0.5, [1.0], [])
    assert partition(ours(*table)) == {frozenset({0, 2}), frozenset({1, 3, 4})}
    agree(*table)


def test_ties_go_to_the_first_row():
    numbers = np.array([[0.0], [1.0], [-1.0], [1.0], [-1.0], [0.0]])
    sensitive = np.array([[0], [1], [1], [0], [0], [1]])
    table = (numbers, np.empty((6, 0), int), sensitive, 2, 2, 0.5, [1.0], [])
    assert partition(ours(*table)) == {frozenset({0, 5}), frozenset({1, 3}), frozenset({2, 4})}
    agree(*table)


def test_clusters_that_stay_unsatisfied_are_dropped():
    """Two clusters of one value each cannot be merged without breaking θ."""
    numbers = np.array([[0.0], [0.1], [0.2], [0.3], [0.4]])
    sensitive = np.array([[0], [1], [0], [0], [0]])
    table = (numbers, np.empty((5, 0), int), sensitive, 2, 2, 0.5, [1.0], [])
    assert ours(*table).tolist() == [0, 0, -1, -1, -1]
    agree(*table)


# the literal algorithm


@st.composite
def tables(draw):
    n = draw(st.integers(1, 60))
    d, c, m = draw(st.integers(0, 3)), draw(st.integers(0, 2)), draw(st.integers(1, 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    fine = draw(st.sampled_from([2, 5, 1000]))
    values = draw(st.integers(1, 8))
    skew = draw(st.sampled_from([0.0, 1.0, 2.0]))
    chances = (1.0 / np.arange(1, values + 1) ** skew)[::-1]
    return (
        rng.integers(0, fine, (n, d)) / fine,
        rng.integers(0, 4, (n, c)),
        rng.choice(values, (n, m), p=chances / chances.sum()),
        draw(st.integers(2, 8)),
        draw(st.integers(1, 5)),
        draw(st.sampled_from([0.2, 0.3, 0.34, 0.5, 0.75, 1.0])),
        draw(st.lists(st.sampled_from([0.5, 1.0, 2.5]), min_size=d, max_size=d)),
        draw(st.lists(st.sampled_from([0.1, 1.0]), min_size=c, max_size=c)),
    )


@given(tables())
def test_partition_is_that_of_the_literal_algorithm(table):
    agree(*table)


@pytest.mark.parametrize("seed", range(4))
def test_surplus_values_take_many_rounds_and_agree(seed):
    """One value has half of the rows: most rounds place a single row."""
    rng = np.random.default_rng(seed)
    n = 400
    sensitive = rng.choice(4, (n, 1), p=[0.5, 0.2, 0.2, 0.1])
    numbers = rng.integers(0, 30, (n, 2)) / 30
    literal = agree(numbers, rng.integers(0, 3, (n, 1)), sensitive, 6, 3, 0.55, [1, 1], [1])
    assert len(literal.rounds) > 20


@pytest.mark.parametrize(("levels", "values"), [(200, 5), (4, 150), (100, 100)])
def test_many_levels_and_many_values_agree(levels, values):
    """More than 63 levels have random marks, more than 64 values too few bits."""
    rng = np.random.default_rng(levels + values)
    n = 500
    table = (rng.random((n, 1)), rng.integers(0, levels, (n, 2)), rng.integers(0, values, (n, 2)))
    agree(*table, 8, 4, 0.3, [1.0], [1.0, 0.3])


@pytest.fixture(scope="module")
def adult(shared):
    people = pd.read_csv(shared / "data" / "adult.csv.gz")
    codes = {name: people[name].astype("category").cat.codes.to_numpy(np.int64) for name in
             ("race", "education", "sex", "occupation")}  # fmt: skip
    return (
        np.stack([people["age"].to_numpy() / 90, codes["sex"].astype(float)], axis=1),
        np.stack([codes["race"], codes["education"]], axis=1),
        codes["occupation"][:, np.newaxis],
    )


@pytest.mark.parametrize(
    ("rows", "k", "distinct", "theta"),
    [(1500, 10, 5, 0.3), (800, 4, 4, 0.25), (800, 20, 8, 0.2), (1200, 3, 2, 0.5)],
)
def test_some_of_adult_agrees(adult, rows, k, distinct, theta):
    agree(*(part[-rows:] for part in adult), k, distinct, theta, [1.0, 1.0], [1.0, 1.0])


def test_weights_agree_on_adult(adult):
    agree(*(part[:800] for part in adult), 5, 3, 0.4, [5.0, 0.25], [0.5, 3.0])


# the author's program


@pytest.fixture(scope="module")
def oracle(shared):
    found = pd.read_csv(shared / "reference" / "kl_theta" / "adult_k10_l5_theta03_clusters.csv.gz",
                        header=None, names=["row", "cluster"])  # fmt: skip
    return found.set_index("row")["cluster"].sort_index().to_numpy()


@pytest.mark.slow
def test_partition_of_adult_is_that_of_the_authors_program(adult, oracle):
    labels = ours(*adult, 10, 5, 0.3, [1.0, 1.0], [1.0, 1.0])
    assert partition(labels) == partition(oracle)
    sizes = np.unique(labels, return_counts=True)[1]
    assert (len(sizes), sizes.min(), sizes.max()) == (2530, 10, 54)


@pytest.mark.slow
def test_the_literal_algorithm_is_the_authors_program(adult, oracle):
    literal = Literal(*adult, 10, 5, 0.3, [1.0, 1.0], [1.0, 1.0])
    assert partition(literal.labels()) == partition(oracle)
    assert literal.rounds == [(3881, 13158)]
