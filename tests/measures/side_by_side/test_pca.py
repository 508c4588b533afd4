from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.errors import SchemaError, TableError
from swapmeet.measures.side_by_side.components import compare_pca

RNG = np.random.default_rng(5)
PEOPLE = pd.DataFrame({"age": RNG.normal(40, 9, 300), "sex": RNG.choice(["f", "m"], 300)})
PEOPLE["wage"] = 3.0 * PEOPLE["age"] - 7.0 * (PEOPLE["sex"] == "m") + RNG.normal(0, 5, 300)


def test_components_shares_and_agreement(compared):
    same = compare_pca(compared(PEOPLE, PEOPLE), ["age", "wage"]).components
    assert [c.agreement for c in same] == pytest.approx([1.0, 1.0])
    r = np.corrcoef(PEOPLE["age"], PEOPLE["wage"])[0, 1]
    assert [c.original_share for c in same] == pytest.approx([(1 + r) / 2, (1 - r) / 2])
    turned = PEOPLE.assign(wage=-PEOPLE["wage"])
    found = compare_pca(compared(PEOPLE, turned), ["age", "wage"]).components
    assert found[0].released_share == pytest.approx(same[0].original_share)
    assert found[0].agreement == pytest.approx(0.0, abs=1e-9)


def test_components_of_unknown_or_unfit_columns_are_refused(compared):
    with pytest.raises(SchemaError, match="no column 'agee'"):
        compare_pca(compared(PEOPLE, PEOPLE), ["agee", "age"])
    with pytest.raises(SchemaError, match="not sex"):
        compare_pca(compared(PEOPLE, PEOPLE), ["age", "sex"])
    with pytest.raises(SchemaError, match="got 1"):
        compare_pca(compared(PEOPLE, PEOPLE), ["age"])
    flat = PEOPLE.assign(wage=1.0)
    with pytest.raises(TableError, match="wage do not vary"):
        compare_pca(compared(flat, flat), ["age", "wage"])
