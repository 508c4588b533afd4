from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from swapmeet.methods.microaggregation.pursuit import orient, principal_scores

NAN = np.nan


def test_two_columns_that_rise_together_are_summed_in_standard_units():
    scores = principal_scores(np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
    assert np.allclose(scores, np.array([-1.0, 0.0, 1.0]) * np.sqrt(1.5) * np.sqrt(2.0))


def test_the_first_column_rises_in_the_direction():
    falling = principal_scores(np.array([[1.0, 2.0, 3.0], [30.0, 20.0, 10.0]]))
    assert (np.diff(falling) > 0).all()


@pytest.mark.parametrize(
    ("direction", "expected"),
    [([-0.6, 0.8], [0.6, -0.8]), ([0.6, -0.8], [0.6, -0.8]), ([1e-17, -1.0], [-1e-17, 1.0])],
)
def test_a_loading_that_is_mere_rounding_does_not_orient(direction, expected):
    assert orient(np.array(direction)).tolist() == expected


def test_scores_are_those_of_scikit_learn():
    columns = np.random.default_rng(1).standard_normal((5, 200))
    columns[1] += 2 * columns[0]
    expected = PCA(1).fit_transform(StandardScaler().fit_transform(columns.T))[:, 0]
    scores = principal_scores(columns)
    assert np.allclose(scores, expected) or np.allclose(scores, -expected)


def test_a_missing_value_counts_as_the_mean():
    columns = np.array([[1.0, 2.0, 3.0, NAN], [1.0, 2.0, 3.0, 2.0]])
    assert np.isclose(principal_scores(columns)[3], 0.0)


@pytest.mark.parametrize("column", [[0.1] * 4, [NAN] * 4])
def test_a_column_without_spread_takes_no_part(column):
    telling = np.array([[3.0, 1.0, 2.0, 5.0]])
    scores = principal_scores(np.concatenate([[column], telling]))
    assert np.allclose(scores, principal_scores(telling))


def test_all_rows_alike_have_one_score():
    assert principal_scores(np.ones((2, 3))).tolist() == [0.0, 0.0, 0.0]


def test_rows_that_are_alike_have_the_same_score():
    columns = np.tile(np.random.default_rng(2).standard_normal((7, 501)), 2)
    scores = principal_scores(columns)
    assert (scores[:501] == scores[501:]).all()


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_tiny_and_huge_numbers_are_like_others(scale):
    columns = np.random.default_rng(3).standard_normal((3, 50))
    assert np.allclose(principal_scores(columns * scale), principal_scores(columns))
