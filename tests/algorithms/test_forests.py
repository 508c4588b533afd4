"""Forests are those of scikit-learn, to the last digit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from swapmeet.algorithms.forests import Forest


def draw_table(seed, rows, columns):
    """Features with ties, missing values and a constant column, by turns; and a noisy answer."""
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(rows, columns)).astype(np.float32)
    if seed % 2:
        features = np.round(features)
    if seed % 3 == 0:
        features[generator.random(features.shape) < 0.1] = np.nan
    if seed % 4 == 0:
        features[:, 0] = 1.0
    answers = np.nan_to_num(features[:, -1]) + generator.normal(size=rows)
    return features, np.round(answers) if seed % 5 == 0 else answers


def ask_both(features, answers, unseen, seed, looks):
    theirs = RandomForestRegressor if answers.dtype.kind == "f" else RandomForestClassifier
    forest = theirs(10, min_samples_leaf=5, max_features=looks, random_state=seed)
    ours = Forest(trees=10, looks=looks, min_leaf=5, seed=seed)
    return forest.fit(features, answers).predict(unseen), ours.predict(features, answers, unseen)


@given(st.integers(0, 2**31 - 1), st.integers(2, 400), st.integers(1, 9))
def test_numbers_are_those_of_scikit_learn(seed, rows, columns):
    features, answers = draw_table(seed, rows, columns)
    theirs, ours = ask_both(features, answers, features[:40], seed, max(columns // 3, 1))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.slow
@given(st.integers(0, 2**31 - 1), st.integers(2, 400), st.integers(1, 9))
def test_classes_are_those_of_scikit_learn(seed, rows, columns):
    features, answers = draw_table(seed, rows, columns)
    classes = 3 * np.digitize(answers, [-0.5, 0.5])
    theirs, ours = ask_both(features, classes, features[:40], seed, columns)
    np.testing.assert_array_equal(ours, theirs)


def test_values_missing_only_in_unseen_rows_have_an_answer_too():
    features, answers = draw_table(1, 200, 3)
    unseen = np.full((5, 3), np.nan, np.float32)
    theirs, ours = ask_both(features, answers, unseen, 1, 3)
    np.testing.assert_array_equal(ours, theirs)


def test_what_was_learned_is_answered():
    features = np.arange(100, dtype=np.float32).reshape(-1, 1)
    answers = np.where(features[:, 0] < 50, 2.0, 7.0)
    forest = Forest(trees=20, looks=1, min_leaf=5, seed=1)
    np.testing.assert_allclose(forest.predict(features, answers, features[[0, 99]]), [2.0, 7.0])


def test_another_seed_gives_another_forest():
    features, answers = draw_table(2, 300, 4)
    one, other = (
        Forest(trees=5, looks=1, min_leaf=5, seed=seed).predict(features, answers, features)
        for seed in (1, 2)
    )
    assert (one != other).any()


@pytest.mark.parametrize("rows", [1, 4, 9])
def test_few_rows_are_one_leaf(rows):
    features = np.arange(rows, dtype=np.float32).reshape(-1, 1)
    found = Forest(trees=3, looks=1, min_leaf=5, seed=1).predict(features, features[:, 0], features)
    assert len(set(found.tolist())) == 1
