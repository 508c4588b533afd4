from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from swapmeet.measures.side_by_side.profile import compare_correlations

RNG = np.random.default_rng(8)
PEOPLE = pd.DataFrame({"age": RNG.normal(40, 9, 120), "sex": RNG.choice(["f", "m"], 120)})
PEOPLE["wage"] = PEOPLE["age"] + RNG.normal(0, 9, 120)
PEOPLE["size"] = RNG.normal(0, 1, 120)


def test_matrices_are_those_of_pandas(compared):
    released = PEOPLE.assign(wage=np.roll(PEOPLE["wage"], 1))
    found = compare_correlations(compared(PEOPLE, released))
    assert found.columns == ("age", "wage", "size")
    for matrix, frame in ((found.original, PEOPLE), (found.released, released)):
        assert np.array(matrix) == pytest.approx(frame[list(found.columns)].corr().to_numpy())


def test_pairs_of_few_common_rows_are_not_told(compared):
    holed = PEOPLE.copy()
    holed.loc[9:, "age"] = np.nan
    found = compare_correlations(compared(PEOPLE, holed))
    assert found.original[0][1] is found.released[1][0] is None
    assert found.original[1][2] == pytest.approx(PEOPLE["wage"].corr(PEOPLE["size"]))
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["original"][0][1] is None


def test_nothing_to_correlate(compared):
    for frame in (PEOPLE[["age", "sex"]], PEOPLE.assign(wage=1.0, size=np.inf)):
        assert compare_correlations(compared(frame, frame)) is None
