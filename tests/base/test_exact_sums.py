from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swapmeet.base.exact_sums import (
    AT_ONCE,
    UNIT,
    _root,
    exact_squares,
    exact_sum,
    mean_of,
    sd_of,
)

FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e-300, 1e-300),
    st.floats(-100, 100),
    st.integers(-3, 3).map(float),
)
COLUMNS = st.lists(FLOATS, min_size=1, max_size=40)
LARGEST = np.finfo(float).max
SMALLEST = 5e-324


def fractions(values):
    return [Fraction(value) for value in values]


def is_nearest(found: float, square: Fraction) -> bool:
    """Whether no other double is nearer to the root of `square`."""
    below, above = (Fraction(math.nextafter(found, to)) for to in (0.0, math.inf))
    return ((below + Fraction(found)) / 2) ** 2 <= square <= ((Fraction(found) + above) / 2) ** 2


@given(COLUMNS)
@example([1e308, 1e308, -1e308])
@example([SMALLEST, -SMALLEST, 3 * SMALLEST, 2.3e-308])
@example([1e16, 1.0, -1e16])
def test_sums_are_exact(values):
    column = np.array(values)
    assert Fraction(exact_sum(column), 1 << UNIT) == sum(fractions(values))
    squares = sum(value**2 for value in fractions(values))
    assert Fraction(exact_squares(column), 1 << 2 * UNIT) == squares


@given(COLUMNS)
@example([LARGEST, LARGEST])
@example([SMALLEST, 0.0])
def test_a_mean_is_the_nearest_double(values):
    column = np.array(values)
    exact = sum(fractions(values)) / len(values)
    assert mean_of(exact_sum(column), len(values)) == float(exact)


@given(COLUMNS)
@example([0.1, 0.1, 0.1, 0.1000000001])
@example([SMALLEST, 0.0])
@example([1e150, -1e150, 1.0])
def test_a_standard_deviation_is_the_nearest_double(values):
    column = np.array([*values, values[0] / 3 + 1.0])
    exact = fractions(column)
    mean = sum(exact) / len(exact)
    variance = sum((value - mean) ** 2 for value in exact) / (len(exact) - 1)
    if variance < Fraction(LARGEST) ** 2 / 4:
        found = sd_of(exact_sum(column), exact_squares(column), len(column))
        assert is_nearest(found, variance)


def test_a_long_column_adds_up_like_fsum():
    values = np.random.default_rng(1).lognormal(0.0, 20.0, 3 * AT_ONCE + 17)
    assert exact_sum(values) / (1 << UNIT) == math.fsum(values)
    assert exact_sum(values) == sum(map(exact_sum, np.array_split(values, 7)))
    assert exact_squares(values) == sum(map(exact_squares, np.array_split(values[::-1], 5)))


def test_values_that_are_not_finite_do_not_count():
    values = np.array([np.nan, 2.0, np.inf, -np.inf, 3.0])
    assert exact_sum(values) == 5 << UNIT
    assert exact_squares(values) == 13 << 2 * UNIT


@pytest.mark.parametrize("values", [[], [0.0, -0.0], [np.nan]])
def test_nothing_adds_up_to_nothing(values):
    assert exact_sum(np.array(values, float)) == exact_squares(np.array(values, float)) == 0


def test_the_order_in_memory_does_not_matter():
    values = np.random.default_rng(1).normal(size=(100, 3))
    assert exact_sum(values[:, 1]) == exact_sum(values[:, 1].copy())


def test_a_spread_beyond_all_doubles_is_infinite():
    values = np.array([LARGEST, -LARGEST])
    assert sd_of(exact_sum(values), exact_squares(values), 2) == math.inf


def test_a_root_just_above_the_middle_of_two_doubles_is_rounded_up():
    middle = 2**53 + 1
    assert _root(middle**2, 1) == 2.0**53
    assert _root((middle**2 << 800) + 1, 1 << 800) == 2.0**53 + 2.0
