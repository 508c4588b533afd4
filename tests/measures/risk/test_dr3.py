from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr
from sdcmicro_golden import table

import swapmeet as sm
from swapmeet.measures.risk.dr3 import DR3, expect_unrelated


def dr3(original, released, match="rows"):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    return sm.assess(original, released, match=match, schema=schema, measures=[DR3()])["dr3"]


def test_of_two_columns_it_is_the_squared_rank_correlation_of_the_other():
    rng = np.random.default_rng(0)
    original = pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"])
    released = original + rng.normal(scale=0.5, size=(60, 2))
    score = dr3(original, released)
    for column, other in (("x", "y"), ("y", "x")):
        one, two = original.sort_values(column)[other], released.sort_values(column)[other]
        expected = spearmanr(one, two).statistic ** 2
        assert score.details[f"sorted by {column}"] == pytest.approx(expected)
    assert score.value == pytest.approx(1 - score.details["CM3"])


def test_true_pairs_are_compared_where_they_are_known():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["x", "y"])
    details = dr3(frame, frame).details
    assert details["CM2"] == pytest.approx(0.0, abs=1e-12)
    assert details["canonical correlations"] == pytest.approx([1.0, 1.0])
    assert "CM2" not in dr3(frame, frame, match="unknown").details


def test_a_missing_value_tells_nothing():
    """y is missing in the whole release: sorted by x there is nothing to compare with."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["x", "y"])
    score = dr3(frame, frame.assign(y=np.nan))
    assert score.details["sorted by x"] == 0.0


def test_what_unrelated_columns_are_expected_to_give():
    """Wilks: for one column with one it is the mean of a squared correlation, 1 / (n - 1)."""
    assert expect_unrelated(1, 1, 101) == pytest.approx(1 / 100)
    rng = np.random.default_rng(0)
    values = []
    for _ in range(400):
        left, right = (np.linalg.qr(m - m.mean(0))[0] for m in rng.normal(size=(2, 40, 3)))
        values.append(1 - np.prod(1 - np.linalg.svd(left.T @ right, compute_uv=False) ** 2))
    assert np.mean(values) == pytest.approx(expect_unrelated(3, 3, 40), abs=4 * np.std(values) / 20)


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"x": np.arange(9.0)}, "it takes two known columns with numbers"),
        ({"x": np.ones(9), "y": np.ones(9)}, "all records are alike"),
        ({"x": [1.0, 2.0, 4.0], "y": [3.0, 1.0, 2.0]}, "3 rows are too few to correlate 2 columns"),
    ],
)
def test_where_there_is_nothing_to_correlate(columns, reason):
    frame = pd.DataFrame(columns)
    assert dr3(frame, frame).undefined.startswith(reason)


def test_the_order_of_columns_does_not_matter(shared):
    frame = table(shared, "bodyfat").astype(float)
    released = pd.read_csv(
        shared / "reference" / "sdcmicro" / "bodyfat" / "microaggregation_mdav_aggr5_mx.csv"
    ).astype(float)
    released.columns = frame.columns
    one, other = dr3(frame, released), dr3(frame[frame.columns[::-1]], released)
    assert one.details["CM2"] == pytest.approx(other.details["CM2"], rel=1e-9)


def test_cm2_of_the_true_pairs_is_that_of_r(shared):
    folder = shared / "reference" / "sdcmicro" / "census"
    file = folder / "canonical_correlation_CM2_CM3_of_mdav_pairs.json"
    golden = json.loads(file.read_text())["mdav_aggr5"]
    frame = table(shared, "census").astype(float)
    released = pd.read_csv(folder / "microaggregation_mdav_aggr5_mx.csv").astype(float)
    score = dr3(frame, released.set_axis(frame.columns, axis=1))
    assert score.details["CM2"] == pytest.approx(golden["cm2"], rel=1e-8)
    assert score.details["canonical correlations"] == pytest.approx(golden["rho"], abs=1e-10)
    assert score.details["worst column"] == golden["cm3_argmin_column"]
    assert score.details["CM3"] == pytest.approx(golden["cm3"], rel=0.05)
