from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.matching import UNKNOWN
from swapmeet.measures.utility.margins import Margins, Spread, kolmogorov_smirnov


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


FOUR = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [0.0, 0.0, 8.0, 8.0]})


def test_half_the_spread_and_twice_the_spread_by_hand(score):
    """A quarter of the variance of x is left, and y has four times as much: both count 0.75."""
    found = score(Spread(), FOUR, FOUR.assign(x=FOUR["x"] / 2, y=FOUR["y"] * 2))
    assert found.value == pytest.approx(0.75)
    assert found.details["variance ratios"] == pytest.approx([0.25, 4.0])
    assert found.details["columns that vary less"] == found.details["columns that vary more"] == 1
    assert found.sentence == (
        "Of 2 masked numbers 1 varies less and 1 varies more than in the original; x changes most: "
        "of its variance 75 % is lost."
    )


def test_a_column_that_became_constant_has_lost_all(score):
    found = score(Spread(), FOUR[["x"]], FOUR[["x"]] * 0 + 2.5)
    assert found.value == 1.0
    assert found.sentence == "Of the variance of x, the only masked number, all is lost."


def test_noise_is_told_as_variance_that_was_added(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
    found = score(Spread(), frame, frame + rng.normal(size=frame.shape))
    assert found.value == pytest.approx(0.5, abs=0.1)
    assert found.sentence.startswith("All 3 masked numbers vary more than in the original; ")
    assert "lost" not in found.sentence


def test_values_that_only_trade_places_keep_their_variance(score, bodyfat, blind):
    found = score(Spread(), bodyfat, blind(bodyfat))
    assert found.value == 0.0
    assert found.sentence == (
        "Every masked number varies as much in the release as in the original, within 1 %."
    )


def test_missing_values_and_kept_columns_are_left_out(score):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, np.nan], "w": [1.0, 2.0, 3.0, 9.0]})
    schema = sm.Schema((sm.Column("x", "numeric"), sm.Column("w", "numeric"))).assign(keep=["w"])
    found = score(Spread(), frame, frame.assign(x=[2.0, np.nan, 3.0, np.nan]), schema=schema)
    assert found.details["columns"] == ["x"]
    assert found.details["variance ratios"] == pytest.approx([0.5])


def test_a_table_without_masked_numbers_has_no_spread(score):
    frame = pd.DataFrame({"t": list("aabb")})
    found = score(Spread(), frame, frame, schema=sm.Schema((sm.Column("t", "nominal"),)))
    assert found.undefined == "no masked column has numbers that vary"


@pytest.mark.parametrize(
    ("method", "mean_ratio"), [(sm.RWN(k=5), 0.77), (sm.Microaggregation(k=5), 0.78)]
)
def test_random_draws_from_neighbours_lose_as_much_as_their_means(
    score, masked, bodyfat, method, mean_ratio
):
    """Found before on bodyfat by independent scripts: .77 with RWN, .78 with MDAV, both k = 5."""
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in bodyfat))
    released = masked(bodyfat, method, schema=schema, seed=1).data
    found = score(Spread(), bodyfat, released)
    assert np.mean(found.details["variance ratios"]) == pytest.approx(mean_ratio, abs=0.01)
    assert found.sentence.startswith("All 14 masked numbers vary less than in the original; ankle")
