from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.utility.propensity import Propensity
from swapmeet.measures.utility.screened_propensity import ScreenedPropensity


def people(n=3_000, seed=0):
    """Height by sex, among columns with so many levels that no model holds all products."""
    rng = np.random.default_rng(seed)
    male = rng.random(n) < 0.5
    frame = pd.DataFrame({
        "sex": np.where(male, "m", "f"),
        "height": 165.0 + 13.0 * male + rng.normal(0.0, 7.0, n),
        **{f"x{i}": rng.normal(size=n) for i in range(4)},
        **{f"t{i}": rng.integers(0, 9, n).astype(str) for i in range(5)},
    })  # fmt: skip
    return frame, sm.Schema.infer(frame).assign(nominal=["sex", *(f"t{i}" for i in range(5))])


def draw(frame, seed):
    rows = np.random.default_rng(seed).integers(0, len(frame), len(frame))
    return frame.iloc[rows].reset_index(drop=True)


def test_what_only_a_product_with_levels_tells_is_seen(score):
    frame, schema = people()
    lost = frame.assign(height=np.random.default_rng(1).permutation(frame["height"]))
    found = score(ScreenedPropensity(), frame, lost, schema=schema)
    assert found.details["products"] == "chosen in one half, judged in the other"
    assert found.value > 0.1
    assert score(Propensity(), frame, lost, schema=schema).value < 0.01


@pytest.mark.slow
def test_rows_drawn_at_random_from_the_original_score_0_on_average(score):
    """Products that chance made telling in one half tell nothing in the other.

    A draw has -.003 ± .005, so that ten are off by .01 in fewer than one of 10,000 sets; had each
    half chosen its own products, a draw would have .053.
    """
    frame, schema = people(1_000)
    beyond = []
    for seed in range(10):
        found = score(ScreenedPropensity(), frame, draw(frame, seed), schema=schema).details
        beyond.append(
            found["value with what chance gives"] - found["expectation for rows drawn at random"]
        )
    assert abs(np.mean(beyond)) < 0.01


def test_where_all_products_fit_it_is_propensity_less_chance(score, blind):
    rng = np.random.default_rng(2)
    common = rng.normal(size=600)
    frame = pd.DataFrame({name: common + rng.normal(size=600) for name in "abcd"})
    for release in (frame, draw(frame, 0), blind(frame)):
        found = score(ScreenedPropensity(), frame, release)
        known = score(Propensity(), frame, release)
        chance = known.details["expectation for rows drawn at random"]
        expected = max((known.value - chance) / (1.0 - chance), 0.0)
        assert found.details["products"] == "all"
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_a_few_extreme_rows_decide_nothing(score):
    """By values, one product of a thousand times the spread would hide all others."""
    frame, schema = people()
    frame.loc[:4, ["x0", "x1"]] = 1e9
    lost = frame.assign(height=np.random.default_rng(1).permutation(frame["height"]))
    assert score(ScreenedPropensity(), frame, lost, schema=schema).value > 0.1


def test_too_few_rows_for_the_columns_are_told(score):
    frame, schema = people(30)
    found = score(ScreenedPropensity(), frame, frame, schema=schema)
    assert "too few rows for so many columns" in found.undefined
