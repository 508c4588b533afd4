from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.measures.side_by_side.components import compare_component_scores, compare_components

RNG = np.random.default_rng(8)
BASE = RNG.normal(0, 1, (300, 1))
PEOPLE = pd.DataFrame(
    BASE @ [[2.0, -1.0, 0.5, 0.0]] + RNG.normal(0, 1, (300, 4)), columns=list("abcd")
)


def test_shares_and_loadings_are_those_of_a_decomposition(compared):
    found = compare_components(compared(PEOPLE, PEOPLE))
    scores = (PEOPLE - PEOPLE.mean()) / PEOPLE.std()
    _, sizes, axes = np.linalg.svd(scores.to_numpy(), full_matrices=False)
    assert found.original_shares == pytest.approx(sizes**2 / (sizes**2).sum())
    assert len(found.original_loadings) == 3
    for ours, theirs in zip(found.original_loadings, axes, strict=False):
        assert abs(np.dot(ours, theirs)) == pytest.approx(1.0)
        assert max(ours, key=abs) > 0


def test_the_release_has_the_sign_that_brings_it_nearest(compared):
    released = PEOPLE.assign(d=np.roll(PEOPLE["d"], 1))
    found = compare_components(compared(PEOPLE, released))
    for before, after in zip(found.original_loadings, found.released_loadings, strict=True):
        assert np.dot(before, after) >= 0.0
        assert np.linalg.norm(after) == pytest.approx(1.0)
    assert found.original_loadings != found.released_loadings


def test_two_columns_by_hand(compared):
    """With correlation r, the shares are (1 + r) / 2 and (1 - r) / 2."""
    r = PEOPLE["a"].corr(PEOPLE["b"])
    found = compare_components(compared(PEOPLE[["a", "b"]], PEOPLE[["a", "b"]]))
    assert found.original_shares == pytest.approx([(1 - r) / 2, (1 + r) / 2])
    assert np.abs(found.original_loadings) == pytest.approx(np.sqrt(0.5))


def test_none_where_columns_have_few_rows_in_common(compared):
    holed = PEOPLE.assign(a=PEOPLE["a"].where(np.arange(300) < 9))
    assert compare_components(compared(holed, PEOPLE)) is None
    assert compare_components(compared(PEOPLE[["a"]], PEOPLE[["a"]])) is None


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
