from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.utility.propensity import Propensity, fit_logistic


def second_order(original, released):
    values = np.concatenate([original.to_numpy(), released.to_numpy()])
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    products = [z[:, i] * z[:, j] for i in range(z.shape[1]) for j in range(i + 1)]
    return np.column_stack([z, *products])


def test_two_groups_by_hand(score):
    """x is 1 in 1 of 4 original and 3 of 4 released rows: p is ¼ or ¾, and 4·PS = 4/16."""
    original = pd.DataFrame({"x": [0.0, 0.0, 0.0, 1.0] * 5})
    released = pd.DataFrame({"x": [0.0, 1.0, 1.0, 1.0] * 5})
    found = score(Propensity(), original, released)
    assert found.value == pytest.approx(0.25)
    assert found.details["terms"] == 1
    assert found.details["terms dropped"] == 1
    assert found.details["expectation for rows drawn at random"] == 1 / 80


@pytest.mark.slow
def test_census_has_90_terms_and_the_fit_is_the_maximum_of_the_likelihood(score, golden):
    """There the logits are linear in the terms, and what is left of the truth is orthogonal."""
    pair = golden("census", aggr=3)
    found = score(Propensity(), pair.original, pair.released)
    terms = second_order(pair.original, pair.released)
    truth = np.repeat([False, True], len(pair.original))
    fit = fit_logistic(terms, truth)
    whole = np.column_stack([np.ones(len(terms)), terms])
    logits = np.log(fit.probabilities / (1.0 - fit.probabilities))
    weights = np.linalg.lstsq(whole, logits, rcond=None)[0]
    assert whole @ weights == pytest.approx(logits, abs=1e-6)
    assert whole.T @ (truth - fit.probabilities) == pytest.approx(np.zeros(91), abs=1e-5)
    assert found.value == pytest.approx(4.0 * ((fit.probabilities - 0.5) ** 2).mean(), rel=1e-9)
    assert found.value == pytest.approx(0.154640545442, abs=1e-11)
    assert found.details["terms"] == 90
    assert found.details["expectation for rows drawn at random"] == pytest.approx(0.021, abs=5e-4)
    assert found.details["converged"]


def test_extreme_firms_do_not_drive_the_fit_away(score, golden):
    """A penalty-free fit by plain Newton steps diverges here and calls every row certain."""
    pair = golden("tarragona", aggr=3)
    found = score(Propensity(), pair.original, pair.released)
    assert found.details["converged"]
    assert found.value == pytest.approx(0.1054, abs=1e-4)
    assert 0 < found.details["share of rows recognised with certainty"] < 0.02


@pytest.mark.slow
def test_rows_drawn_at_random_score_their_expectation_and_a_fresh_sample_twice_that(score):
    """The mean of 40 ratios, each with sd √(2/14) times its mean, has sd 6 %: four of them."""
    drawn, fresh = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        one, other = (
            pd.DataFrame(rng.normal(size=(500, 4)), columns=list("abcd")) for _ in range(2)
        )
        again = one.iloc[rng.integers(0, 500, 500)].reset_index(drop=True)
        drawn.append(score(Propensity(), one, again).details["ratio to expectation"])
        fresh.append(score(Propensity(), one, other).details["ratio to expectation"])
    assert np.mean(drawn) == pytest.approx(1.0, abs=0.24)
    assert np.mean(fresh) == pytest.approx(2.0, abs=0.48)


def test_tables_apart_are_told_apart_entirely(score):
    original = pd.DataFrame({"x": np.arange(50.0)})
    found = score(Propensity(), original, original + 100.0)
    assert found.value == pytest.approx(1.0, abs=1e-6)
    assert found.details["converged"]
    assert found.details["share of rows recognised with certainty"] == 1.0


def test_shuffled_columns_are_told_by_their_products(score, blind):
    rng = np.random.default_rng(0)
    x = rng.normal(size=2_000)
    frame = pd.DataFrame({"x": x, "y": x + 0.5 * rng.normal(size=2_000)})
    found = score(Propensity(), frame, blind(frame))
    assert found.details["ratio to expectation"] > 100
    assert score(Propensity(), frame, frame).value < 1e-20


def test_suppressed_values_are_told_by_their_absence(score):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 2)), columns=list("xy"))
    found = score(Propensity(), frame, frame.assign(y=frame["y"].where(frame.index % 2 == 0)))
    assert found.value > 0.2


def test_nominal_levels_count_with_those_only_one_table_has(score):
    original = pd.DataFrame({"t": ["a", "b"] * 100})
    released = pd.DataFrame({"t": ["a", "c"] * 100})
    schema = sm.Schema.infer(original)
    found = score(Propensity(), original, released, schema=schema)
    assert found.value == pytest.approx(0.5, abs=1e-6)
    assert found.details["terms"] == 2


def test_products_are_left_out_where_there_are_too_few_rows_for_them(score):
    rng = np.random.default_rng(0)
    orders = []
    for columns, rows in ((5, 100), (10, 100), (20, 60), (10, 200)):
        frame = pd.DataFrame(rng.normal(size=(rows, columns)))
        frame.columns = [f"x{j}" for j in range(columns)]
        found = score(Propensity(), frame, frame)
        orders.append((found.details["order of terms"], found.details["terms"]))
    assert orders == [
        ("columns, squares and products", 20),
        ("columns and squares", 20),
        ("columns only", 20),
        ("columns, squares and products", 65),
    ]


def test_large_tables_are_sampled_and_an_unchanged_release_stays_at_0(score):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(3_000, 3)), columns=list("abc"))
    found = score(Propensity(sample=500), frame, frame)
    assert found.details["rows of each table"] == 500
    assert found.value < 1e-20


def test_collinear_terms_do_not_change_the_probabilities():
    rng = np.random.default_rng(0)
    terms = rng.normal(size=(200, 3))
    truth = terms[:, 0] + rng.normal(size=200) > 0
    plain = fit_logistic(terms, truth)
    again = fit_logistic(np.column_stack([terms, terms @ [1.0, 2.0, 3.0], np.ones(200)]), truth)
    assert again.terms == plain.terms == 3
    assert again.probabilities == pytest.approx(plain.probabilities, rel=1e-9)


def test_nothing_that_varies_is_nothing_to_tell_by(score):
    frame = pd.DataFrame({"x": [1.0] * 20})
    assert score(Propensity(), frame, frame).undefined == "no column varies"
