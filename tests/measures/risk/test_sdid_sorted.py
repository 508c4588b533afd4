from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.risk.sdid import SDID, SDIDSorted


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
