from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import swapmeet as sm
from swapmeet.algorithms.normal import condition
from swapmeet.base.parallel import Workers
from swapmeet.base.seeds import Seed
from swapmeet.errors import SchemaError
from swapmeet.methods.data_shuffle import (
    DataShuffle,
    _average_ranks,
    _normal_scores,
    _product_moment,
    _rank,
    _spearman,
)
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

EXAMPLES = [sm.DataShuffle(), sm.DataShuffle(predictors=["age"])]
"""For the contract of all methods."""

STREAMS = Seed.chosen_by_user(3).within("test")


def numeric(frame):
    return sm.Schema(tuple(sm.Column(name, "numeric") for name in frame))


def donors_of(columns, seed=1, strata=None, **parameters):
    """Donors for columns given as arrays, straight from the method."""
    variables = tuple(
        Variable(f"x{j}", Kind.NUMERIC, np.asarray(values, float))
        for j, values in enumerate(columns)
    )
    codes = np.zeros(len(columns[0]), np.int32) if strata is None else strata
    data = Microdata(variables, np.asarray(codes, np.int32))
    method = DataShuffle(**parameters)
    method.check(data)
    return method.outcome(data, Seed.chosen_by_user(seed).within("shuffle"), Workers(1))


def correlated(n, correlation, seed=0):
    rng = np.random.default_rng(seed)
    cov = [[1.0, correlation], [correlation, 1.0]]
    return np.exp(rng.multivariate_normal([0.0, 0.0], cov, n)).T


# anchors


def test_every_column_keeps_exactly_its_values(masked):
    frame = sm.datasets.load("breast_cancer").drop(columns="diagnosis")
    release = masked(frame, DataShuffle(), seed=1)
    assert release.audit.map.is_permutation().all()
    assert release.audit.moved.mean() > 0.99
    assert np.array_equal(np.sort(release.data, axis=0), np.sort(frame, axis=0))


def test_rank_correlations_stay():
    """The standard error of the difference is about 0.003 for each pair of columns."""
    columns = correlated(50_000, 0.8)
    matrix = donors_of(columns).donors.matrix
    shuffled = [column[matrix[:, j]] for j, column in enumerate(columns)]
    assert stats.spearmanr(*shuffled)[0] == pytest.approx(stats.spearmanr(*columns)[0], abs=0.012)


def test_released_rows_have_nothing_to_do_with_their_owners():
    columns = correlated(50_000, 0.8)
    matrix = donors_of(columns).donors.matrix
    assert abs(stats.spearmanr(columns[0], columns[0][matrix[:, 0]])[0]) < 0.02
    assert abs(stats.spearmanr(columns[0], columns[1][matrix[:, 1]])[0]) < 0.02


def test_predictors_stay_in_place_and_keep_their_relations():
    columns = correlated(50_000, 0.8)
    outcome = donors_of(columns, predictors=["x0"])
    matrix = outcome.donors.matrix
    assert np.array_equal(matrix[:, 0], np.arange(50_000))
    before = stats.spearmanr(*columns)[0]
    after = stats.spearmanr(columns[0], columns[1][matrix[:, 1]])[0]
    assert after == pytest.approx(before, abs=0.012)
    # given the predictor, the new value is independent of the old one: r = 0.8 * 0.8
    own = stats.spearmanr(columns[1], columns[1][matrix[:, 1]])[0]
    assert 2 * np.sin(np.pi * own / 6) == pytest.approx(0.64, abs=0.02)
    assert outcome.notes == ("predictors stay in place and are released as they are: x0.",)


# invariances


def test_only_ranks_count():
    columns = correlated(500, 0.5)
    plain = donors_of(columns).donors.matrix
    bent = donors_of([np.log(columns[0]), columns[1] ** 3]).donors.matrix
    assert np.array_equal(plain, bent)


def test_threads_do_not_matter(masked):
    frame = sm.datasets.load("diabetes")
    schema = numeric(frame)
    one, two = (
        masked(frame, DataShuffle(), schema=schema, seed=1, engine=sm.Local(threads=threads))
        for threads in (1, 2)
    )
    assert one.data.equals(two.data)


def test_seeds_matter():
    columns = correlated(200, 0.5)
    one, two = (donors_of(columns, seed=seed).donors.matrix for seed in (1, 2))
    assert (one != two).mean() > 0.9


# by hand


def test_values_go_where_the_scores_have_the_same_rank():
    values = np.array([30.0, 10.0, 20.0, 50.0])
    scores = np.array([0.4, 0.3, 0.1, 0.2])
    strata = np.zeros(4, np.int32)
    donors = np.empty(4, np.int64)
    donors[_rank(scores, strata, STREAMS).order] = _rank(values, strata, STREAMS).order
    assert values[donors].tolist() == [50.0, 30.0, 10.0, 20.0]


def test_average_ranks_by_hand():
    values = np.array([7.0, np.nan, 5.0, 7.0, 1.0, 1.0])
    strata = np.array([0, 0, 0, 0, 1, 1], np.int32)
    ranks = _average_ranks(_rank(values, strata, STREAMS), 6)
    assert np.array_equal(ranks, [2.5, np.nan, 1.0, 2.5, 1.5, 1.5], equal_nan=True)


def test_average_ranks_of_a_column_without_values():
    values, strata = np.full(3, np.nan), np.zeros(3, np.int32)
    assert np.isnan(_average_ranks(_rank(values, strata, STREAMS), 3)).all()


def test_product_moment_by_hand():
    spearman = np.array([[1.0, 0.5], [0.5, 1.0]])
    assert _product_moment(spearman)[0, 1] == pytest.approx(2 * np.sin(np.pi / 12))


def test_impossible_correlations_become_possible_ones():
    """Three columns cannot all be that opposed; the nearest is -1/2 for each pair."""
    spearman = np.full((3, 3), -0.9) + 1.9 * np.eye(3)
    normal = _product_moment(spearman)
    assert normal[np.triu_indices(3, 1)] == pytest.approx([-0.5] * 3)
    assert np.diag(normal) == pytest.approx([1.0] * 3)


def test_conditional_normal_by_hand():
    """Columns 0 and 2 given column 1; correlations 0.6, 0.5 with it and 0.3 of each other."""
    normal = np.array([[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]])
    known = np.array([False, True, False])
    weights, root = condition(normal, ~known, known)
    assert weights == pytest.approx(np.array([[0.6], [0.5]]))
    assert root @ root.T == pytest.approx(np.array([[0.64, 0.0], [0.0, 0.75]]))


def test_a_predictor_given_twice_counts_once():
    normal = np.array([[1.0, 0.6, 0.6], [0.6, 1.0, 1.0], [0.6, 1.0, 1.0]])
    known = np.array([False, True, True])
    weights, root = condition(normal, ~known, known)
    assert weights == pytest.approx(np.array([[0.3, 0.3]]))
    assert root == pytest.approx(np.array([[0.8]]))


def test_normal_scores_by_hand():
    scores = _normal_scores(np.array([[1.0, 2.0, np.nan, 3.0]]))
    expected = [stats.norm.ppf(1 / 6), 0.0, np.nan, stats.norm.ppf(5 / 6)]
    assert scores[0] == pytest.approx(expected, nan_ok=True)


def test_rank_correlation_over_pairs_that_are_complete_is_that_of_pandas():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.integers(0, 9, (60, 4)).astype(float))
    frame = frame.mask(rng.random(frame.shape) < 0.3)
    expected = frame.corr("spearman").to_numpy()
    assert _spearman(frame.rank().to_numpy().T) == pytest.approx(expected)


def test_columns_in_the_same_order_travel_together():
    values = np.arange(50.0)
    matrix = donors_of([values, values**3, -values]).donors.matrix
    assert np.array_equal(matrix[:, 0], matrix[:, 1])
    assert np.array_equal(matrix[:, 0], matrix[:, 2])


# chance


def test_one_column_is_permuted_uniformly():
    """Chi-square over 600 fixed seeds; of all such sets of seeds 1e-4 would fail."""
    seen = [tuple(donors_of([[1.0, 2.0, 3.0]], seed=s).donors.matrix[:, 0]) for s in range(600)]
    counts = pd.Series(seen).value_counts()
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-4


def test_tied_values_are_given_in_random_order():
    """Rows 0 and 1 are equal: either of them gives to the lower of the two lowest places."""
    first = [
        int(donors_of([[1.0, 1.0, 2.0, 3.0]], seed=s).donors.matrix[:, 0].argmin())
        for s in range(400)
    ]
    assert stats.chisquare(np.bincount(first, minlength=4)).pvalue > 1e-4


def test_a_constant_column_is_permuted():
    matrix = donors_of([np.ones(100), np.arange(100.0)]).donors.matrix
    assert (matrix[:, 0] != np.arange(100)).mean() > 0.9


def test_two_rows_are_permuted_column_by_column():
    """With two rows every rank correlation is 1 or -1, which says nothing."""
    outcomes = {
        tuple(donors_of([[1.0, 2.0], [5.0, 6.0]], seed=s).donors.matrix.ravel()) for s in range(60)
    }
    assert outcomes == {(0, 0, 1, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 1, 0, 0)}


# missing values and strata


def test_missing_values_stay_and_are_counted(masked):
    frame = pd.DataFrame({"a": [1.0, None, 3, 4, 5], "b": [None, None, 1.0, 2, 3], "c": range(5)})
    release = masked(frame, DataShuffle(), schema=numeric(frame), seed=1)
    assert release.data.isna().equals(frame.isna())
    assert release.audit.map.is_permutation().all()
    assert release.notes[0] == "missing values that stay with their row, among 5 rows: a 1, b 2."


def test_where_a_predictor_is_missing_the_others_predict():
    """Column 2 follows both predictors; without them it is drawn from the whole column."""
    rng = np.random.default_rng(2)
    one = rng.normal(size=30_000)
    two, value = one + 0.5 * rng.normal(size=30_000), one + 0.01 * rng.normal(size=30_000)
    one[:20_000], two[:10_000] = np.nan, np.nan
    donors = donors_of([one, two, value], predictors=["x0", "x1"]).donors.matrix[:, 2]
    released = value[donors]
    none, second, both = np.split(np.arange(30_000), [10_000, 20_000])
    assert released[none].std() == pytest.approx(value.std(), rel=0.05)
    assert abs(stats.spearmanr(value[none], released[none])[0]) < 0.05
    expected = stats.spearmanr(two[second], value[second])[0]
    assert stats.spearmanr(two[second], released[second])[0] == pytest.approx(expected, abs=0.02)
    assert stats.spearmanr(one[both], released[both])[0] > 0.99


def test_relations_are_those_inside_each_stratum():
    rng = np.random.default_rng(4)
    strata = np.arange(4000) % 2
    x = rng.normal(size=4000)
    y = np.where(strata == 0, x, -x)
    matrix = donors_of([x, y], strata=strata).donors.matrix
    assert np.array_equal(strata[matrix[:, 0]], strata)
    shuffled = x[matrix[:, 0]], y[matrix[:, 1]]
    for stratum, sign in ((0, 1.0), (1, -1.0)):
        rows = strata == stratum
        assert stats.spearmanr(shuffled[0][rows], shuffled[1][rows])[0] == pytest.approx(sign)


def test_rows_alone_in_their_stratum_are_stuck():
    outcome = donors_of([[1.0, 2, 3, 4], [1.0, 2, np.nan, 4]], strata=[0, 1, 2, 2])
    assert {name: rows.tolist() for name, rows in outcome.stuck.items()} == {
        "x0": [0, 1],
        "x1": [0, 1, 3],
    }


def test_one_row_stays():
    assert donors_of([[1.5], [2.5]]).donors.matrix.tolist() == [[0, 0]]


def test_infinite_values_are_the_first_and_last():
    values = np.array([np.inf, 3.0, -np.inf, 1.0, 2.0])
    matrix = donors_of([values, [5.0, 4.0, 1.0, 2.0, 3.0]]).donors.matrix
    assert np.array_equal(matrix[:, 0], matrix[:, 1])


@given(
    n=st.integers(1, 40),
    kinds=st.lists(st.sampled_from(["normal", "ties", "constant", "missing", "holes"]), min_size=1,
                   max_size=5),
    strata=st.integers(1, 4),
    predictors=st.integers(0, 2),
    seed=st.integers(0, 2**32),
)  # fmt: skip
def test_every_column_is_permuted_among_the_rows_present(n, kinds, strata, predictors, seed):
    rng = np.random.default_rng(seed)
    make = {
        "normal": lambda: rng.normal(size=n),
        "ties": lambda: rng.integers(0, 3, n).astype(float),
        "constant": lambda: np.full(n, 4.0),
        "missing": lambda: np.full(n, np.nan),
        "holes": lambda: np.where(rng.random(n) < 0.4, np.nan, rng.normal(size=n)),
    }
    columns = [make[kind]() for kind in kinds]
    codes = np.unique(rng.integers(0, strata, n), return_inverse=True)[1]
    names = [f"x{j}" for j in range(min(predictors, len(kinds) - 1))] or None
    matrix = donors_of(columns, strata=codes, predictors=names).donors.matrix
    for j, values in enumerate(columns):
        donors = matrix[:, j]
        assert np.array_equal(np.sort(donors), np.arange(n))
        assert np.array_equal(codes[donors], codes)
        gone = np.isnan(values)
        assert np.array_equal(donors[gone], np.flatnonzero(gone))
        if f"x{j}" in (names or ()):
            assert np.array_equal(donors, np.arange(n))


# bad input


def test_unknown_predictor_is_refused():
    frame = sm.datasets.load("diabetes")[["age", "bmi"]]
    with pytest.raises(SchemaError, match="'bmj' is not a masked column; did you mean 'bmi'"):
        sm.mask(frame, DataShuffle(predictors=["bmj"]))


def test_nothing_left_to_shuffle_is_refused():
    frame = sm.datasets.load("diabetes")[["age", "bmi"]]
    with pytest.raises(SchemaError, match="none is left to shuffle"):
        sm.mask(frame, DataShuffle(predictors=["age", "bmi"]))


def test_nominal_columns_are_refused():
    frame = pd.DataFrame({"x": [1.0, 2, 3], "town": list("abc")})
    with pytest.raises(SchemaError, match="data-shuffle cannot mask 'town', a nominal column"):
        sm.mask(frame, DataShuffle())


# golden values of sdcMicro

GOLDEN = {
    "census": (["FICA", "WSALVAL", "ERNVAL"], ["AFNLWGT", "AGI", "FEDTAX", "STATETAX"]),
    "tarragona": (["GROSS.PROFIT", "NET.PROFIT"], ["SALES", "LABOR.COSTS", "DEPRECIATION"]),
}
RUNS = 60


def statistics(original, released, responses):
    """What the file of Monte Carlo values has of a release."""
    pairs = np.triu_indices(original.shape[1], 1)

    def difference(kind):
        both = [frame.corr(kind).to_numpy()[pairs] for frame in (original, released)]
        return np.abs(both[0] - both[1]).mean()

    return {
        "mean_abs_pearson_diff_over_responses_and_predictors": difference("pearson"),
        "mean_abs_spearman_diff_over_responses_and_predictors": difference("spearman"),
        "share_response_cells_changed": (original != released)[responses].to_numpy().mean(),
        "mean_own_spearman": np.mean(
            [original[name].corr(released[name], "spearman") for name in responses]
        ),
    }


@pytest.mark.slow_case("census")
@pytest.mark.slow_beyond(2)
@pytest.mark.parametrize("name", GOLDEN)
def test_statistics_are_those_of_sdcmicro(shared, masked, name):
    """z-tests at 4 standard errors: 1 in 16,000 such comparisons is a false alarm."""
    folder = shared / "reference" / "sdcmicro" / name
    golden = json.loads((folder / "shuffle_montecarlo.json").read_text())["ds"]
    responses, predictors = GOLDEN[name]
    frame = pd.read_csv(folder / "input.csv")[responses + predictors].astype(float)
    method, schema = DataShuffle(predictors=predictors), numeric(frame)
    ours = pd.DataFrame(
        statistics(frame, masked(frame, method, schema=schema, seed=seed).data, responses)
        for seed in range(RUNS)
    )
    for statistic, values in ours.items():
        theirs = golden[statistic]
        error = np.hypot(theirs["sd"] / theirs["n"] ** 0.5, values.std() / RUNS**0.5)
        assert abs(values.mean() - theirs["mean"]) < 4 * error, statistic


def test_blocks_of_noise_differ():
    """Rows of different blocks have streams of their own."""
    n = 3 * 65_536
    matrix = donors_of([np.arange(float(n))]).donors.matrix[:, 0]
    orders = [np.argsort(matrix[begin : begin + 65_536]) for begin in range(0, n, 65_536)]
    assert all((one != two).mean() > 0.99 for one, two in pairwise(orders))
