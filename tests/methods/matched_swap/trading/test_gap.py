from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from matched_examples import make_goal, make_numbers, multiply_out, tables, widen

from swapmeet.methods.matched_swap.trading import Keeping, encode_features
from swapmeet.methods.matched_swap.trading.matching import (
    objective_of,
    pull_of,
    sum_products,
    weigh_directions,
)


@given(tables())
def test_sums_of_products_are_those_of_dense_rows(found):
    products = sum_products(found.feature, found.value, found.total)
    expected = multiply_out(found.feature, found.value, found.total)
    np.testing.assert_allclose(products, expected, atol=1e-9)


@given(tables(least=2))
def test_weights_are_symmetric_and_never_below_one(found):
    weights = weigh_directions(found)
    assert weights.shape == (found.numbers, found.numbers)
    np.testing.assert_allclose(weights, weights.T, atol=1e-6)
    if found.numbers:
        assert np.linalg.eigvalsh(weights).min() > 1 - 1e-6


def test_numbers_that_are_unrelated_weigh_one():
    corners = [[one, other] for one in (-1, 1) for other in (-1, 1)]
    weights = weigh_directions(encode_features(make_numbers(corners), Keeping()))
    np.testing.assert_allclose(weights, np.eye(2), atol=1e-12)


def test_of_many_numbers_in_few_rows_only_the_directions_that_vary_are_looked_for():
    few = make_numbers(np.random.default_rng(2).normal(size=(4, 30)))
    found = encode_features(few, Keeping())
    weights = weigh_directions(found)
    moments = sum_products(found.feature, found.value, found.total) / 4
    variances, directions = np.linalg.eigh(moments)
    expected = np.maximum(0.2 / (np.maximum(variances, 0.0) + 1e-3), 1.0)
    np.testing.assert_allclose(weights, (directions * expected) @ directions.T, atol=1e-8)


def test_a_sum_weighs_more_in_the_direction_in_which_nothing_varies():
    parts = np.random.default_rng(0).normal(size=(200, 2))
    parts = (parts - parts.mean(axis=0)) / parts.std(axis=0)
    data = make_numbers(np.column_stack([parts, parts.sum(axis=1)]))
    weights = weigh_directions(encode_features(data, Keeping()))
    scale = data.variables[2].values.std()
    less = np.array([1.0, 1.0, -scale])
    assert less @ weights @ less / (less @ less) == pytest.approx(0.2 / 1e-3, rel=0.02)


def test_the_objective_is_half_of_the_trace():
    rng = np.random.default_rng(1)
    gap, root = rng.normal(size=(4, 4)), rng.normal(size=(2, 2))
    gap, weights = gap + gap.T, root @ root.T + np.eye(2)
    full = widen(weights, 4)
    np.testing.assert_allclose(pull_of(gap, weights), full @ gap @ full)
    assert objective_of(make_goal(gap, weights)) == pytest.approx(
        np.trace(full @ gap @ full @ gap) / 2
    )


@given(tables(least=2))
def test_the_pull_weighs_numbers_and_leaves_levels_as_they_are(found):
    weights, size = weigh_directions(found), found.total
    gap = np.random.default_rng(size).normal(size=(size, size))
    full = np.eye(size)
    full[: found.numbers, : found.numbers] = weights
    np.testing.assert_allclose(pull_of(gap, weights), full @ gap @ full, rtol=1e-6, atol=1e-6)
