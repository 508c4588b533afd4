from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.matching import UNKNOWN
from swapmeet.measures.utility.margins import Margins, kolmogorov_smirnov


def test_three_kinds_by_hand(score):
    """Numbers: of 1 2 3 4 and 1 2 9 9, half against all up to 4. Levels: half would have to change.

    Grades: a quarter.
    """
    original = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "t": list("aabb"), "g": [1, 2, 3, 4]})
    released = pd.DataFrame({"x": [1.0, 2.0, 9.0, 9.0], "t": list("aaaa"), "g": [1, 2, 3, 3]})
    schema = sm.Schema.infer(original).assign(numeric=["x"], ordinal=["g"])
    found = score(Margins(), original, released, schema=schema)
    assert found.details["distances"] == [0.5, 0.5, 0.25]
    assert found.value == pytest.approx(1.25 / 3)
    assert found.details["largest in"] == "x"


def test_permuted_columns_are_at_exactly_0_and_the_sentence_says_why(score, blind):
    frame, schema = sm.datasets.load("fair"), sm.datasets.schema("fair")
    found = score(Margins(), frame, blind(frame), schema=schema)
    assert found.value == 0.0
    assert "permutes" in found.sentence
    assert "relations" in found.sentence


def test_numbers_are_compared_as_by_scipy():
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(0)
    for _ in range(20):
        one, other = np.sort(rng.integers(0, 12, (2, 50)) * 1.0)
        expected = ks_2samp(one, other).statistic
        assert kolmogorov_smirnov(one, other) == pytest.approx(expected, abs=1e-12)


def test_suppressed_values_count(score):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "t": list("abab")})
    schema = sm.Schema.infer(frame).assign(numeric=["x"])
    holed = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan], "t": ["a", None, "a", "b"]})
    found = score(Margins(), frame, holed, schema=schema)
    assert found.details["distances"] == [0.25, 0.25]


def test_infinite_values_have_a_place_in_the_order(score):
    frame = pd.DataFrame({"x": [1.0, 2.0, np.inf, -np.inf]})
    assert score(Margins(), frame, frame).value == 0.0
    assert score(Margins(), frame, frame.assign(x=[1.0, 2.0, 3.0, -np.inf])).value == 0.25


def test_only_masked_columns_count(score):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0]})
    schema = sm.Schema.infer(frame).assign(numeric=["x", "y"], keep=["y"])
    found = score(Margins(), frame, frame.assign(y=[9.0, 9.0]), schema=schema, match=UNKNOWN)
    assert found.details["columns"] == ["x"]
    assert found.value == 0.0
