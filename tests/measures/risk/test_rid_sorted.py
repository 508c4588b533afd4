from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.risk.rid import RIDSorted


def rid_sorted(original, released):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    return sm.assess(original, released, schema=schema, measures=[RIDSorted()])["rid-sorted"]


def test_the_worst_column_counts():
    """Sorted by x, y is reversed, and right in the middle only; sorted by y, likewise x."""
    up, down = np.arange(100.0), np.arange(100.0)[::-1]
    score = rid_sorted(pd.DataFrame({"x": up, "y": up}), pd.DataFrame({"x": up, "y": down}))
    off = np.abs(up - down)
    expected = np.clip((11 - np.maximum(off, 1)) / 10, 0, 1).mean()
    assert score.details["sorted by x"] == pytest.approx(expected)
    assert score.details["sorted by y"] == pytest.approx(expected)
    assert score.value == pytest.approx(expected)


def test_a_column_that_orders_all_others_discloses_everybody():
    rng = np.random.default_rng(0)
    x = rng.permutation(200) * 1.0
    original = pd.DataFrame({"x": x, "y": np.exp(x / 50), "z": -x})
    score = rid_sorted(original, original.sample(frac=1.0, random_state=1))
    assert score.value == 1.0
    assert score.details["worst column"] == "x"


def test_the_sentence_says_that_nobody_knows_the_owners():
    frame = pd.DataFrame({"x": np.arange(10.0)})
    assert rid_sorted(frame, frame).sentence == (
        "When both files are sorted by x, the ranks of records in the same place differ by at most "
        "1 to 10 % of the records in x for 1000 of 1,000 people (with the other columns "
        "shuffled at random, for 1000 of 1,000); this is the paper's worst-case sorting, which "
        "does not know the owners: where rid has a value, rely on that instead."
    )
