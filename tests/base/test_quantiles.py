from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.stats import rankdata

from swapmeet.base.quantiles import (
    beta_quantile,
    chi_squared_quantile,
    chi_squared_share,
    coin_quantile,
    normal_quantile,
    rank_by_middle,
    student_quantile,
)

LEVELS = st.floats(0.001, 0.999)
SIZES = st.floats(0.5, 1e5)


@given(LEVELS)
def test_normal_quantiles_are_those_of_scipy(level):
    assert normal_quantile(level) == stats.norm.ppf(level)


@given(LEVELS, SIZES)
def test_student_quantiles_are_those_of_scipy(level, freedom):
    assert student_quantile(level, freedom) == pytest.approx(stats.t.ppf(level, freedom), rel=1e-12)


@given(LEVELS, SIZES, SIZES)
def test_beta_quantiles_are_those_of_scipy(level, a, b):
    assert beta_quantile(level, a, b) == pytest.approx(stats.beta.ppf(level, a, b), rel=1e-12)


@given(LEVELS, st.integers(1, 200))
def test_chi_squared_is_that_of_scipy(level, freedom):
    value = stats.chi2.ppf(level, freedom)
    assert chi_squared_quantile(level, freedom) == pytest.approx(value, rel=1e-12)
    assert chi_squared_share(value, freedom) == pytest.approx(level, rel=1e-9)


@pytest.mark.parametrize("level", [0.001, 0.025, 0.4, 0.975])
def test_tosses_of_a_coin_are_those_of_scipy(level):
    for tosses in range(1, 200):
        assert coin_quantile(level, tosses) == stats.binom.ppf(level, tosses, 0.5)


def test_quantiles_are_plain_numbers():
    assert type(normal_quantile(0.9)) is float
    assert np.isfinite(student_quantile(0.999, 1.5))


FEW = st.integers(-3, 3).map(float)
ANY = st.floats(allow_nan=False)


@given(arrays(np.float64, st.integers(0, 40), elements=FEW | ANY))
def test_ranks_are_those_of_scipy(values):
    np.testing.assert_array_equal(rank_by_middle(values), rankdata(values))


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.float32, bool])
def test_every_type_of_number_has_ranks(kind):
    values = np.array([1, 0, 1, 1, 0]).astype(kind)
    assert rank_by_middle(values).tolist() == [4.0, 1.5, 4.0, 4.0, 1.5]
