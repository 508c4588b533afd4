from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.measures.side_by_side.components import compare_components

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
