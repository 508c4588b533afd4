from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.base.parallel import Workers
from swapmeet.methods.microaggregation.pursuit import BLOCK, pursuit_scores

NAN = np.nan


def literal_scores(columns):
    """Every direction's deviation; the last of the largest, up to rounding."""
    median = np.array([np.median(x[~np.isnan(x)]) for x in columns])
    seen = np.nan_to_num(columns - median[:, np.newaxis])
    lengths = np.sqrt((seen**2).sum(axis=0))
    rows = np.flatnonzero(lengths > 0)
    along = (seen[:, rows] / lengths[rows]).T @ seen
    deviations = np.median(np.abs(along - np.median(along, axis=1)[:, np.newaxis]), axis=1)
    best = deviations.max()
    winner = np.flatnonzero(deviations >= best * (1 - 1e-12))[-1]
    direction = seen[:, rows[winner]] / lengths[rows[winner]]
    return along[winner] * (np.sign(direction[np.abs(direction) > 1e-8][0])), best


def deviation(scores):
    return np.median(np.abs(scores - np.median(scores)))


def test_the_direction_is_that_of_the_record_with_the_largest_deviation():
    """Seen from the medians (3, 0): the first column has deviation 2, all other directions less."""
    columns = np.array([[1.0, 2.0, 3.0, 5.0, 9.0], [0.0, 0.0, 0.0, 0.0, 0.5]])
    assert np.allclose(pursuit_scores(columns, Workers(1)), columns[0] - 3.0)


def test_outliers_do_not_turn_the_direction():
    rng = np.random.default_rng(1)
    columns = rng.standard_normal((2, 300)) * [[5.0], [1.0]]
    columns[:, :20] = rng.standard_normal((2, 20)) * [[1.0], [500.0]]
    scores = pursuit_scores(columns, Workers(1))
    assert abs(np.corrcoef(scores[20:], columns[0, 20:])[0, 1]) > 0.99


@pytest.mark.parametrize("n", [7, 400, 3 * BLOCK + 1])
@pytest.mark.parametrize("threads", [1, 2])
def test_scores_are_those_of_the_literal_search(n, threads):
    columns = np.random.default_rng(n).standard_normal((6, n))
    expected, _ = literal_scores(columns)
    assert np.allclose(pursuit_scores(columns, Workers(threads)), expected)


def test_skewed_columns_are_searched_the_same():
    columns = np.random.default_rng(9).lognormal(0.0, 2.0, (5, 501))
    expected, _ = literal_scores(columns)
    assert np.allclose(pursuit_scores(columns, Workers(1)), expected)


@st.composite
def tables(draw):
    n, p = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = rng.integers(-3, 4, (p, n)) * 1.0 + draw(st.booleans()) * rng.random((p, n))
    columns[rng.random((p, n)) < draw(st.sampled_from([0.0, 0.2]))] = NAN
    columns[:, 0], columns[:, 1] = [0.5, -7.0, 2.0, 1.0][:p], 9.0
    return columns


@given(tables())
def test_no_record_has_a_direction_of_larger_deviation(columns):
    scores = pursuit_scores(columns, Workers(1))
    _, best = literal_scores(columns)
    assert np.isclose(deviation(scores), best)


def test_a_missing_value_counts_as_the_median():
    columns = np.array([[1.0, 2.0, 3.0, NAN, 9.0]])
    assert np.allclose(pursuit_scores(columns, Workers(1)), [-1.5, -0.5, 0.5, 0.0, 6.5])


def test_records_that_equal_the_medians_are_no_direction():
    """sdcMicro divides 0 by 0 here."""
    columns = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    assert np.allclose(pursuit_scores(columns, Workers(1)), [-np.sqrt(2.0), 0.0, np.sqrt(2.0)])


@pytest.mark.parametrize("column", [[4.0] * 5, [NAN] * 5])
def test_without_any_direction_all_scores_are_0(column):
    assert pursuit_scores(np.array([column]), Workers(1)).tolist() == [0.0] * 5


def test_of_equally_good_directions_the_last_one_wins():
    """All four records have deviation 1; the last one points along the second column."""
    columns = np.array([[2.0, -2.0, 0.0, 0.0], [0.0, 0.0, 2.0, -2.0]])
    assert pursuit_scores(columns, Workers(1)).tolist() == [0.0, 0.0, 2.0, -2.0]
