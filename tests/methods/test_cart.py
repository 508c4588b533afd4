from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import swapmeet as sm
from swapmeet.algorithms.groups.leaves.trees import DecisionTree, Predictors, Response
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import ParameterError, SchemaError
from swapmeet.methods.cart import Cart
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind
from swapmeet.tables.ties import Ties

EXAMPLES = [sm.Cart(), sm.Cart(min_leaf=20, order=["town", "age"], min_gain=0.01)]
"""For the contract of all methods."""

NAN = np.nan


def numeric(frame):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))


def microdata(columns, strata=None):
    """Columns given as arrays: whole numbers are nominal codes, others numbers."""
    variables = []
    for j, column in enumerate(columns):
        values = np.asarray(column)
        if values.dtype.kind == "i":
            codes, levels = values.astype(np.int32), max(int(values.max()) + 1, 1)
            variables.append(Variable(f"x{j}", Kind.NOMINAL, codes, levels))
        else:
            variables.append(Variable(f"x{j}", Kind.NUMERIC, values))
    codes = np.zeros(len(variables[0].values), np.int32) if strata is None else strata
    return Microdata(tuple(variables), np.asarray(codes, np.int32))


def outcome_of(data, seed=1, threads=1, **parameters):
    method = Cart(**parameters)
    method.check(data)
    return method.outcome(data, Seed.chosen_by_user(seed).within("cart"), Workers(threads))


def donors_of(columns, strata=None, **options):
    return outcome_of(microdata(columns, strata), **options).donors.matrix


# anchors


def test_first_column_is_a_bootstrap():
    """Chi-square over 50,000 draws from 100 rows; of all seeds 1e-4 would fail."""
    donors = donors_of([np.repeat(np.arange(100.0), 500), np.zeros(50_000)])[:, 0] // 500
    assert stats.chisquare(np.bincount(donors, minlength=100)).pvalue > 1e-4


def test_rows_of_a_leaf_are_equally_likely():
    """One leaf of 10 rows among 20, which the first column tells apart."""
    x, y = np.repeat([0.0, 1.0], 10), np.repeat([0.0, 9.0], 10)
    counts = np.zeros(20, int)
    for seed in range(300):
        donors = donors_of([x, y], seed=seed)
        counts += np.bincount(donors[x[donors[:, 0]] == 0, 1], minlength=20)
    assert not counts[10:].any()
    assert stats.chisquare(counts[:10]).pvalue > 1e-4


def test_one_leaf_makes_columns_independent():
    """Leaves cannot hold more than all rows, so every column is a bootstrap of its own."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000)
    matrix = donors_of([x, x.copy()], min_leaf=20_000)
    assert abs(np.corrcoef(x[matrix[:, 0]], x[matrix[:, 1]])[0, 1]) < 0.03
    assert (matrix[:, 0] == matrix[:, 1]).mean() < 0.001


def test_relations_are_kept():
    rng = np.random.default_rng(1)
    x = rng.normal(size=5000)
    y = np.abs(x) + 0.1 * rng.normal(size=5000)
    matrix = donors_of([x, y])
    drawn_x, drawn_y = x[matrix[:, 0]], y[matrix[:, 1]]
    assert np.corrcoef(np.abs(drawn_x), drawn_y)[0, 1] == pytest.approx(
        np.corrcoef(np.abs(x), y)[0, 1], abs=0.02
    )


def test_released_rows_have_nothing_to_do_with_their_owners():
    rng = np.random.default_rng(2)
    x = rng.normal(size=20_000)
    matrix = donors_of([x, x + 0.1 * rng.normal(size=20_000)])
    assert abs(np.corrcoef(x, x[matrix[:, 0]])[0, 1]) < 0.03
    assert abs(np.corrcoef(x, x[matrix[:, 1]])[0, 1]) < 0.03


def test_deterministic_relation_is_kept_exactly():
    """Town decides region, and leaves of a classification tree become pure."""
    town = np.arange(600) % 12
    matrix = donors_of([town, town // 3])
    assert np.array_equal(town[matrix[:, 0]] // 3, (town // 3)[matrix[:, 1]])


# order


def test_order_names_the_columns_that_come_first():
    """The first column to be drawn is a bootstrap of its own stream, whatever the table's order."""
    rng = np.random.default_rng(3)
    data = microdata([rng.normal(size=300), rng.normal(size=300), rng.normal(size=300)])
    plain, turned = outcome_of(data).donors.matrix, outcome_of(data, order=["x2", "x0"]).donors
    words = Seed.chosen_by_user(1).within("cart").random_bits(300, "cells", "x2")
    assert np.array_equal(turned.matrix[:, 2], words % 300)
    assert not np.array_equal(turned.matrix[:, 0], plain[:, 0])


def test_order_in_full_equals_the_default():
    rng = np.random.default_rng(3)
    data = microdata([rng.normal(size=200), rng.normal(size=200)])
    assert np.array_equal(
        outcome_of(data).donors.matrix, outcome_of(data, order=["x0", "x1"]).donors.matrix
    )


# donors come from the leaf that the drawn values lead to


def leaf_of_each(tree, codes):
    """The leaf, named by its first place, of each training row and of each fresh row."""
    begin, size = tree.leaves(codes)
    places = np.empty(codes.shape[1], np.int64)
    places[tree.rows] = np.arange(len(tree.rows))
    return begin, size, places


@pytest.mark.parametrize("dataset", ["diabetes", "fair", "anes96"])
def test_donors_lie_in_the_leaf_that_the_values_before_lead_to(masked, dataset):
    frame = sm.datasets.load(dataset)
    schema = replace(sm.datasets.schema(dataset), ties=Ties())
    release = masked(frame, Cart(min_leaf=7), schema=schema, seed=1)
    variables = Microdata.of(Table(frame), schema).variables
    names = list(release.audit.columns)
    donors = release.audit.donors[:, [names.index(v.name) for v in variables]]
    rows = np.arange(len(frame))
    drawn = tuple(
        Variable(v.name, v.kind, v.values[donors[:, j]], v.levels) for j, v in enumerate(variables)
    )
    for turn in range(1, len(variables)):
        variable = variables[turn]
        both = [
            Variable(v.name, v.kind, np.concatenate([v.values, d.values]), v.levels)
            for v, d in zip(variables[:turn], drawn, strict=False)
        ]
        fresh = Predictors.of(both, np.arange(2 * len(frame))).codes[:, len(frame) :]
        of = Response.of_classes if variable.kind is Kind.NOMINAL else Response.of_numbers
        tree = DecisionTree.grow(
            Predictors.of(variables[:turn], rows), of(variable.values), min_leaf=7, min_gain=1e-8
        )
        begin, size, places = leaf_of_each(tree, np.ascontiguousarray(fresh))
        assert len(np.unique(begin)) > 1
        assert (size >= 7).all()
        place = places[donors[:, turn]]
        assert ((begin <= place) & (place < begin + size)).all()


# missing values


def test_missing_values_are_drawn_as_often_as_they_occur():
    """y is missing where x is high: a leaf of its own. Elsewhere a tenth is missing at random."""
    rng = np.random.default_rng(4)
    x = rng.random(20_000)
    y = np.where((x > 0.8) | (rng.random(20_000) < 0.1), NAN, x)
    matrix = donors_of([x, y])
    drawn_x, drawn_y = x[matrix[:, 0]], y[matrix[:, 1]]
    assert np.isnan(drawn_y[drawn_x > 0.801]).all()
    assert np.isnan(drawn_y[drawn_x < 0.799]).mean() == pytest.approx(0.1, abs=0.01)
    present = ~np.isnan(drawn_y)
    assert np.abs(drawn_x - drawn_y)[present].max() < 0.01


def test_missing_predictor_tells_about_the_next_column():
    rng = np.random.default_rng(5)
    x = np.where(rng.random(4000) < 0.3, NAN, rng.normal(size=4000))
    y = np.where(np.isnan(x), 5.0, 0.0) + rng.normal(size=4000) * 0.1
    matrix = donors_of([x, y])
    assert np.array_equal(np.isnan(x[matrix[:, 0]]), y[matrix[:, 1]] > 2.5)


def test_missing_class_is_a_class():
    x = np.arange(300) % 3
    y = np.array([-1, 0, 1])[x]
    matrix = donors_of([x, y])
    assert np.array_equal(np.array([-1, 0, 1])[x[matrix[:, 0]]], y[matrix[:, 1]])


# strata


def test_trees_are_grown_inside_each_stratum():
    rng = np.random.default_rng(6)
    strata = np.arange(2000) % 2
    x = rng.normal(size=2000)
    y = np.where(strata == 0, x, -x)
    matrix = donors_of([x, y], strata)
    assert np.array_equal(strata[matrix[:, 0]], strata)
    assert np.array_equal(strata[matrix[:, 1]], strata)
    for stratum, sign in ((0, 1.0), (1, -1.0)):
        rows = strata == stratum
        drawn = x[matrix[rows, 0]], y[matrix[rows, 1]]
        assert np.corrcoef(*drawn)[0, 1] == pytest.approx(sign, abs=0.02)


def test_rows_alone_in_their_stratum_are_stuck():
    outcome = outcome_of(microdata([[1.0, 2.0, 3.0], [1, 0, 1]], [0, 1, 0]))
    assert {name: rows.tolist() for name, rows in outcome.stuck.items()} == {"x0": [1], "x1": [1]}
    assert outcome.donors.matrix[1].tolist() == [1, 1]


def test_one_row_stays():
    assert donors_of([[1.5], [2.5]]).tolist() == [[0, 0]]


# contract


def make_columns(rng, n, kinds):
    make = {
        "normal": lambda: rng.normal(size=n),
        "ties": lambda: rng.integers(0, 3, n).astype(float),
        "constant": lambda: np.full(n, 4.0),
        "missing": lambda: np.full(n, NAN),
        "holes": lambda: np.where(rng.random(n) < 0.4, NAN, rng.normal(size=n)),
        "infinite": lambda: rng.choice([np.inf, -np.inf, 1.0, 2.0], n),
        "nominal": lambda: rng.integers(-1, 5, n),
        "no level": lambda: np.full(n, -1),
    }
    return [make[kind]() for kind in kinds]


KINDS = ["normal", "ties", "constant", "missing", "holes", "infinite", "nominal", "no level"]


@given(
    n=st.integers(1, 80),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
    strata=st.integers(1, 5),
    min_leaf=st.integers(1, 20),
    copies=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_donors_stay_in_their_stratum_and_threads_do_not_matter(
    n, kinds, strata, min_leaf, copies, seed
):
    rng = np.random.default_rng(seed)
    columns = make_columns(rng, n, kinds)
    if copies:
        columns = [column[np.arange(n) // 3] for column in columns]
    codes = np.unique(rng.integers(0, strata, n), return_inverse=True)[1]
    matrix = donors_of(columns, codes, min_leaf=min_leaf)
    assert matrix.min() >= 0
    assert np.array_equal(codes[matrix], np.repeat(codes[:, np.newaxis], len(kinds), axis=1))
    assert np.array_equal(matrix, donors_of(columns, codes, min_leaf=min_leaf, threads=2))


def test_seeds_matter():
    columns = make_columns(np.random.default_rng(0), 100, ["normal", "nominal", "holes"])
    assert (donors_of(columns, seed=1) != donors_of(columns, seed=2)).mean() > 0.9


def test_rows_beyond_one_block_are_drawn():
    rng = np.random.default_rng(9)
    x = rng.normal(size=70_000)
    matrix = donors_of([x, 2 * x], min_leaf=50, threads=2)
    assert np.abs(2 * x[matrix[:, 0]] - 2 * x[matrix[:, 1]])[65_536:].mean() < 0.02


# bad input


def test_unknown_column_in_the_order_is_refused():
    frame = sm.datasets.load("diabetes")
    with pytest.raises(SchemaError, match="`order`: 'bmj' is not a masked column; did you mean"):
        sm.mask(frame, Cart(order=["age", "bmj"]))


@pytest.mark.parametrize("parameters", [{"min_leaf": 0}, {"min_gain": 2.0}, {"order": ["a", "a"]}])
def test_parameters_outside_their_domain_are_refused(parameters):
    with pytest.raises(ParameterError, match=f"cart: `{next(iter(parameters))}` must"):
        Cart(**parameters)


# golden values of synthpop

RUNS = 40


def statistics(original, released):
    pairs = np.triu_indices(original.shape[1], 1)

    def difference(kind):
        both = [frame.corr(kind).to_numpy()[pairs] for frame in (original, released)]
        return np.abs(both[0] - both[1]).mean()

    return {
        "mean_abs_pearson_diff": difference("pearson"),
        "mean_abs_spearman_diff": difference("spearman"),
        "mean_sd_ratio": (released.std() / original.std()).mean(),
    }


@pytest.mark.slow_case("census")
@pytest.mark.parametrize("name", ["census", "tarragona"])
def test_statistics_are_those_of_synthpop(shared, masked, name):
    """z-tests at 4 standard errors, far inside the 3 standard deviations of single runs."""
    folder = shared / "reference" / "sdcmicro" / name
    golden = json.loads((folder / "synthpop_cart_montecarlo.json").read_text())
    frame = pd.read_csv(folder / "input.csv").astype(float)
    schema = numeric(frame)
    releases = [masked(frame, Cart(), schema=schema, seed=seed).data for seed in range(RUNS)]
    ours = pd.DataFrame(statistics(frame, release) for release in releases)
    for statistic, values in ours.items():
        theirs = golden[statistic]
        error = np.hypot(theirs["sd"] / theirs["n"] ** 0.5, values.std() / RUNS**0.5)
        assert abs(values.mean() - theirs["mean"]) < 4 * error, statistic
    originals = set(map(tuple, frame.to_numpy()))
    copied = [sum(tuple(row) in originals for row in release.to_numpy()) for release in releases]
    assert np.mean(copied) / len(frame) < 0.001
