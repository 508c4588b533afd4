from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.utility.total_correlation import TotalCorrelation


@pytest.fixture(scope="module")
def pef(shared):
    return pd.read_csv(shared / "data" / "pef.csv", dtype={"educ": str, "occ": str, "sex": str})


def test_two_coins_by_hand(score):
    """Two equal coins share ln 2; two that are independent share nothing."""
    original = pd.DataFrame({"s": list("aabb"), "t": list("aabb")})
    released = pd.DataFrame({"s": list("aabb"), "t": list("abab")})
    found = score(TotalCorrelation(), original, released, schema=sm.Schema.infer(original))
    assert found.details["before"] == pytest.approx(np.log(2))
    assert found.details["after"] == pytest.approx(0.0, abs=1e-12)
    assert found.value == pytest.approx(np.log(2))


def test_bins_of_equal_width_on_each_table_by_hand(score):
    """Eight rows have two bins; 0 1 2 9 is three and one, and so is 100 110 120 190."""
    original = pd.DataFrame({"x": [0.0, 1.0, 2.0, 9.0] * 2, "y": [0.0, 0.0, 0.0, 5.0] * 2})
    found = score(TotalCorrelation(), original, original.assign(x=100 + 10 * original["x"]))
    entropy = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert found.details["bins"] == 2
    assert found.details["before"] == pytest.approx(entropy)
    assert found.value == 0.0


def test_the_figure_of_the_rwn_paper(score, pef):
    found = score(TotalCorrelation(), pef, pef, schema=sm.Schema.infer(pef))
    assert found.details["before"] == pytest.approx(1.133006, abs=5e-7)
    assert found.details["bins"] == 27
    assert found.value == 0.0
    assert not found.details["tells little"]


@pytest.mark.parametrize(("k", "expected"), [(5, 1.190), (10, 1.174), (25, 1.152), (50, 1.133)])
def test_the_table_of_the_rwn_paper(score, masked, pef, k, expected):
    """One release; the sd over releases is below 0.01: three of them, and rounding."""
    schema = sm.Schema.infer(pef)
    release = masked(pef, sm.RWN(k=k, q=0.5), schema=schema, seed=1).data
    found = score(TotalCorrelation(), pef, release, schema=schema)
    assert found.details["after"] == pytest.approx(expected, abs=0.0305)


def test_many_columns_tell_little(score):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 12)))
    frame.columns = [f"x{j}" for j in range(12)]
    found = score(TotalCorrelation(), frame, frame)
    assert found.details["tells little"]
    assert "says little" in found.sentence


def test_more_combinations_than_a_long_number_can_count(score):
    """50 columns of 40 bins: 40⁵⁰ cells; every row is one of a kind, and twins are twins."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 50)))
    frame.columns = [f"x{j}" for j in range(50)]
    twins = pd.concat([frame, frame], ignore_index=True)
    found = score(TotalCorrelation(bins=40), twins, twins)
    assert found.details["entropy of rows"] == pytest.approx(np.log(100))


def test_a_missing_value_is_a_value(score):
    original = pd.DataFrame({"x": [1.0, 1.0, np.nan, np.nan], "t": list("aabb")})
    schema = sm.Schema.infer(original).assign(numeric=["x"])
    found = score(TotalCorrelation(), original, original, schema=schema)
    assert found.details["before"] == pytest.approx(np.log(2))
