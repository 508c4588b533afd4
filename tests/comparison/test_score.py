from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.comparison.score import Direction, Family, Score

SHARES = st.floats(0.0, 1.0)


def make(value, direction=Direction.LOWER, **more):
    return Score("some", value, "In words.", direction, (0.0, 1.0), Family.RISK, **more)


@given(st.tuples(SHARES, SHARES, SHARES).map(sorted), SHARES)
def test_a_limit_is_met_by_the_unfavourable_end_of_the_interval(ends, limit):
    low, value, high = ends
    lower = make(value, interval=(low, high))
    higher = make(value, Direction.HIGHER, interval=(low, high))
    assert lower.keeps(limit) == (high <= limit)
    assert higher.keeps(limit) == (low >= limit)


@given(SHARES, SHARES)
def test_without_an_interval_the_value_itself_decides(value, limit):
    assert make(value).keeps(limit) == (value <= limit)
    assert make(value, Direction.HIGHER).keeps(limit) == (value >= limit)


@pytest.mark.parametrize("direction", Direction)
def test_a_score_without_a_value_keeps_no_limit(direction):
    assert not make(np.nan, direction, undefined="owners are unknown").keeps(1.0)
    assert not make(np.nan, direction).keeps(1.0)
    assert not make(0.5, direction, interval=(0.5, np.nan)).keeps(0.5)


def test_an_interval_beside_its_value_does_not_help():
    """An interval that does not hold the value, as a bootstrap may give, is no better than it."""
    assert not make(0.3, interval=(0.1, 0.2)).keeps(0.25)


def test_the_finding_is_there_for_machines():
    score = replace(make(0.37), finding="an intruder finds 37 of 100 people")
    assert score.to_dict()["finding"] == "an intruder finds 37 of 100 people"
    assert make(0.37).to_dict()["finding"] is None
