from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sdcmicro_golden import table

import swapmeet as sm
from swapmeet.measures.risk.sdid import SDID, SDIDSorted

PAIRS = [
    ("census", "mdav", "mdav_aggr5"),
    ("tarragona", "onedims_and_pca", "onedims_aggr3"),
    ("bodyfat", "onedims_and_pca", "onedims_aggr3"),
]


def sdid(original, released):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    return sm.assess(original, released, match="rows", schema=schema, measures=[SDID()])["sdid"]


def test_distances_in_standard_deviations_of_the_release():
    """Released -1, 0, 1 have standard deviation 1; the original is 0, 0.05 and 0.2 away."""
    original = pd.DataFrame({"x": [-1.0, 0.05, 1.2]})
    released = pd.DataFrame({"x": [-1.0, 0.0, 1.0]})
    score = sdid(original, released)
    assert score.records == pytest.approx([1.0, 0.6, 0.0])
    assert score.value == pytest.approx(1.6 / 3)


def test_it_is_the_released_column_that_has_the_deviation():
    original, released = (
        pd.DataFrame({"x": [0.0, 0.05, 20.0]}),
        pd.DataFrame({"x": [0.0, 0.0, 2.0]}),
    )
    assert sdid(original, released).records == pytest.approx([1.0, 0.6, 0.0])


def test_all_columns_must_be_right():
    original = pd.DataFrame({"x": [-1.0, 0.05, 1.0], "y": [-1.0, 0.08, 1.5]})
    released = pd.DataFrame({"x": [-1.0, 0.0, 1.0], "y": [-1.0, 0.0, 1.0]})
    assert sdid(original, released).records == pytest.approx([1.0, 0.3, 0.0])


def test_a_constant_release_discloses_those_who_have_the_constant():
    original, released = pd.DataFrame({"x": [4.0, 5.0, 6.0]}), pd.DataFrame({"x": [5.0, 5.0, 5.0]})
    assert sdid(original, released).records.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(("name", "file", "pair"), PAIRS)
def test_it_is_the_mean_of_sdcmicros_interval_disclosure(shared, name, file, pair):
    folder = shared / "reference" / "sdcmicro" / name
    golden = json.loads((folder / f"dRisk_dRiskRMD_dUtility_of_{file}_pairs.json").read_text())
    shares = golden[pair]["dRisk"]
    assert list(shares) == [f"k={width / 100:.2f}" for width in range(1, 11)]
    original = table(shared, name).astype(float)
    released = pd.read_csv(folder / f"microaggregation_{pair}_mx.csv").astype(float)
    score = sdid(original, released.set_axis(original.columns, axis=1))
    assert score.value == pytest.approx(sum(shares.values()) / 10, abs=1e-12)
    found = [score.details[f"share within {width}%"] for width in range(1, 11)]
    assert found == list(shares.values())


def scores(original, released):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    measures = [SDID(), SDIDSorted()]
    return sm.assess(original, released, match="rows", schema=schema, measures=measures)


def test_it_is_sdid_of_the_sorted_files():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    original = pd.DataFrame({"x": x, "y": x + rng.normal(scale=0.01, size=300)})
    released = original + rng.normal(scale=0.02, size=original.shape)
    card = scores(original, released)
    by_column = {
        name: scores(
            original.sort_values(name, ignore_index=True),
            released.sort_values(name, ignore_index=True),
        )["sdid"].value
        for name in original
    }
    details = card["sdid-sorted"].details
    assert {name: details[f"sorted by {name}"] for name in original} == pytest.approx(by_column)
    assert card["sdid-sorted"].value == pytest.approx(max(by_column.values()))
    assert card["sdid-sorted"].value != card["sdid"].value


def test_a_shuffled_copy_looks_disclosed_only_after_sorting():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 2)), columns=["x", "y"])
    card = scores(frame, frame.sample(frac=1.0, random_state=1, ignore_index=True))
    assert card["sdid"].value < 0.05
    assert card["sdid-sorted"].value == 1.0
