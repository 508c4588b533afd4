from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.measures.utility.loadings import Loadings


@pytest.mark.parametrize(("k", "row"), [(2, 0), (3, 1), (5, 3)])
def test_figure_13_of_the_rwn_paper_for_mdav(score, shared, bodyfat, aggregated, k, row):
    curve = pd.read_csv(shared / "reference" / "rwn" / "bodyfat_mdav_curves.csv")
    assert curve["k"][row] == k
    found = score(Loadings(), bodyfat, aggregated(bodyfat, "mdav", k))
    expected = [curve["IL2a"][row], curve["IL2b"][row]]
    assert found.details["change per component"] == pytest.approx(expected, rel=1e-9)
    assert found.value == pytest.approx(np.mean(expected), rel=1e-9)


def test_two_columns_by_hand(score):
    """Two correlated columns load (1, 1)/√2 on the first component and (1, -1)/√2 on the second.

    With the sign of the correlation reversed the two trade places: half of the loadings differ by
    2/√2, whichever sign is taken.
    """
    original = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 4.0, 3.0]})
    reversed_ = original.assign(y=-original["y"])
    found = score(Loadings(), original, reversed_)
    assert found.details["change per component"] == pytest.approx([1 / np.sqrt(2)] * 2)
    assert found.details["explained before"] == pytest.approx([0.9, 0.1])
    assert score(Loadings(), original, -original).value == pytest.approx(0.0, abs=1e-15)


def test_components_beyond_the_columns_are_not_asked_for(score):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("xyz"))
    found = score(Loadings(components=9), frame, frame)
    assert len(found.details["change per component"]) == 3
    assert found.value == 0.0


def test_columns_that_never_meet_have_no_components(score):
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan, np.nan], "y": [np.nan, np.nan, 1.0, 2.0]})
    assert "no values in the same rows" in score(Loadings(), frame, frame).undefined
