from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.measures.side_by_side.components import compare_component_scores


def people(n, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, n)
    return pd.DataFrame({"a": x, "b": x + rng.normal(0, 0.5, n), "c": rng.normal(5, 3, n)})


@given(n=st.integers(12, 400), least=st.integers(2, 12))
def test_no_cell_tells_of_few_rows_and_all_rows_are_counted(compared, n, least):
    frame = people(n)
    found = compare_component_scores(compared(frame, frame.iloc[::-1].reset_index(drop=True)),
                                     least=least)  # fmt: skip
    for grid, left_out in (
        (found.original, found.original_left_out),
        (found.released, found.released_left_out),
    ):
        counts = np.array(grid)
        assert not ((counts > 0) & (counts < least)).any()
        assert counts.sum() + left_out == n
        assert counts.shape == (len(found.first_edges) + 1, len(found.second_edges) + 1)


def test_an_unchanged_release_lies_where_the_original_does(compared):
    frame = people(500)
    found = compare_component_scores(compared(frame, frame))
    assert found.original == found.released
    assert sum(map(sum, found.original)) > 300


def test_scores_are_those_of_the_components_by_hand(compared):
    """Of two standardised columns, the first component is their sum over the root of two."""
    frame = people(800)[["a", "b"]]
    found = compare_component_scores(compared(frame, frame))
    standard = (frame - frame.mean()) / frame.std(ddof=0)
    first = (standard["a"] + standard["b"]) / np.sqrt(2)
    outer = [-np.inf, *found.first_edges, np.inf]
    counts = np.histogram(first, outer)[0]
    shown = np.array(found.original).sum(axis=1)
    assert (shown <= counts).all()
    assert (counts - shown).sum() == found.original_left_out
    assert found.shares == pytest.approx(((1 + frame.corr().iloc[0, 1]) / 2,
                                          (1 - frame.corr().iloc[0, 1]) / 2))  # fmt: skip


def test_the_release_stands_on_the_axes_of_the_original(compared):
    """A release that moved as a whole is seen to have moved."""
    frame = people(800)
    found = compare_component_scores(compared(frame, frame + 2.0 * frame.std()))
    before, after = np.array(found.original), np.array(found.released)
    places = np.arange(len(before))
    assert places @ after.sum(axis=1) / after.sum() > places @ before.sum(axis=1) / before.sum() + 1


def test_rows_with_missing_values_have_no_score(compared):
    frame = people(300)
    holed = frame.copy()
    holed.loc[:99, "c"] = np.nan
    found = compare_component_scores(compared(frame, holed))
    assert np.sum(found.released) + found.released_left_out == 200


def test_one_column_and_few_rows_have_no_scores(compared):
    frame = people(300)
    assert compare_component_scores(compared(frame[["a"]], frame[["a"]])) is None
    assert compare_component_scores(compared(frame.head(5), frame.head(5))) is None


def test_it_becomes_json(compared):
    frame = people(300)
    found = compare_component_scores(compared(frame, frame))
    assert json.loads(json.dumps(found.to_dict()))["columns"] == ["a", "b", "c"]
