from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.measures.utility.cell_distance import CellDistance


def test_two_rows_by_hand(score):
    """0 and 2 have the sd √2, so that a step of 1 is a distance of ½."""
    original, released = pd.DataFrame({"x": [0.0, 2.0]}), pd.DataFrame({"x": [1.0, 2.0]})
    found = score(CellDistance(), original, released)
    assert found.value == pytest.approx(0.25)
    assert found.records.tolist() == pytest.approx([0.5, 0.0])


@pytest.mark.parametrize("name", ["census", "tarragona", "bodyfat"])
@pytest.mark.parametrize(
    ("method", "aggr"), [("mdav", 3), ("mdav", 5), ("mdav", 10), ("onedims", 3), ("pca", 3)]
)
def test_utility_figures_of_sdcmicro(score, golden, name, method, aggr):
    pair = golden(name, method, aggr)
    found = score(CellDistance(), pair.original, pair.released)
    assert found.value == pytest.approx(pair.figures["dUtility_IL1old"], rel=1e-9)
    for ours, theirs in (
        ("IL1 (sdcMicro)", "dUtility_IL1"),
        ("IL1s (sdcMicro)", "dUtility_IL1s"),
        ("IL_variables (sdcMicro)", "IL_variables"),
    ):
        if theirs in pair.figures:
            assert found.details[ours] == pytest.approx(pair.figures[theirs], rel=1e-9)
    assert found.interval[0] < found.value < found.interval[1]


def test_normal_values_traded_at_random_are_as_far_as_the_sentence_says(score, blind):
    """2/√(2π) = 0.798; the sd of the mean of 20,000 is 0.0043."""
    frame = pd.DataFrame({"x": np.random.default_rng(0).normal(size=20_000)})
    found = score(CellDistance(), frame, blind(frame))
    assert found.value == pytest.approx(0.798, abs=0.015)
    assert "0.80" in found.sentence


def test_missing_cells_are_left_out(score):
    original = pd.DataFrame({"x": [0.0, 2.0, np.nan], "y": [0.0, 2.0, 4.0]})
    released = pd.DataFrame({"x": [1.0, np.nan, 5.0], "y": [0.0, 2.0, 4.0]})
    found = score(CellDistance(), original, released)
    assert found.details["cells"] == 4
    assert found.value == pytest.approx(0.5 / 4)
    gone = released.assign(x=np.nan, y=np.nan)
    assert "no numeric cell" in score(CellDistance(), original, gone).undefined


def test_without_owners_it_is_not_defined(score):
    frame = pd.DataFrame({"x": [0.0, 2.0]})
    assert "not known" in score(CellDistance(), frame, frame, match="unknown").undefined
