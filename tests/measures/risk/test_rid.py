from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.measures.risk.rid import RID, RIDSorted


def rid(original, released):
    schema = sm.Schema(tuple(sm.Column(name, "numeric") for name in original))
    return sm.assess(original, released, match="rows", schema=schema, measures=[RID()])["rid"]


def test_a_rank_that_is_off_by_a_tenth_is_inside_the_widest_interval_only():
    """Ten records, of which two trade places; 10 % of 10 is one rank, ends included."""
    original = pd.DataFrame({"x": np.arange(10.0)})
    released = pd.DataFrame({"x": [1.0, 0.0, *range(2, 10)]})
    score = rid(original, released)
    assert score.records == pytest.approx([0.1, 0.1] + [1.0] * 8)
    assert score.value == pytest.approx(0.82)
    assert score.details["share within 9%"] == 0.8
    assert score.details["share within 10%"] == 1.0


@pytest.mark.parametrize(("off", "share"), [(0, 1.0), (1, 1.0), (4, 0.7), (10, 0.1), (11, 0.0)])
def test_the_share_of_the_intervals_that_hold_a_rank(off, share):
    """A hundred records: a rank that is off by d is inside the intervals from d % on."""
    values = np.arange(100.0)
    moved = np.roll(values, off)
    middle = slice(off, 100 - off)
    score = rid(pd.DataFrame({"x": values}), pd.DataFrame({"x": moved}))
    assert score.records[middle] == pytest.approx(share)


def test_all_columns_must_be_right():
    values = np.arange(100.0)
    original = pd.DataFrame({"x": values, "y": values})
    released = pd.DataFrame({"x": values, "y": values[::-1]})
    score = rid(original, released)
    assert score.records[0] == 0.0
    assert score.records[49:51].tolist() == [1.0, 1.0]


def test_only_ranks_count():
    rng = np.random.default_rng(0)
    original = pd.DataFrame({"x": rng.normal(size=50)})
    assert rid(original, np.exp(original) * 1000).value == 1.0


def test_ties_have_their_mean_rank():
    """Released in two groups of ten: every rank is off by at most 4.5 of 20, the middle by 0.5."""
    original = pd.DataFrame({"x": np.arange(20.0)})
    released = pd.DataFrame({"x": np.repeat([0.0, 1.0], 10)})
    off = np.abs(np.tile(np.arange(10.0), 2) - 4.5)
    expected = np.clip((11 - np.ceil(100 * off / 20)) / 10, 0, 1)
    assert rid(original, released).records == pytest.approx(expected)


def test_ranks_are_among_the_values_that_are_there():
    """Half of the release is missing: a rank is a share of what is there."""
    original = pd.DataFrame({"x": np.arange(100.0)})
    released = original.where(original["x"] % 2 == 0)
    score = rid(original, released)
    assert score.records[::2].tolist() == [1.0] * 50
    assert score.records[1::2].tolist() == [0.0] * 50


def test_the_sentence_says_how_many_and_what_chance_would_give():
    original = pd.DataFrame({"x": np.arange(10.0)})
    released = pd.DataFrame({"x": [1.0, 0.0, *range(2, 10)]})
    assert rid(original, released).sentence == (
        "An intruder who assumes that the true ranks differ from the released ones by at most 1 to "
        "10 % of the records is right about x for 820 of 1,000 people; with columns shuffled at "
        "random, for 118 of 1,000."
    )


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
