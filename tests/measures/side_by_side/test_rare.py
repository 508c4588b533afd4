from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.measures.side_by_side.answers import compare_rare
from swapmeet.tables.conditions import Condition
from swapmeet.tables.frame import Table


@pytest.mark.parametrize("known", [True, False])
def test_rare_records_and_what_became_of_their_owners(known):
    before = pd.DataFrame({"sex": ["f", "f", "m", "m"], "age": [25, 30, 25, 60]})
    after = pd.DataFrame({"sex": ["f", "m", "f", "m"], "age": [25, 30, 25, 60]})
    order = np.array([3, 0, 2, 1])
    shuffled = after.iloc[order].reset_index(drop=True)
    found = compare_rare(
        Table(before), Table(shuffled), Condition('sex = "f" and age < 31'),
        np.argsort(order), owners_known=known,
    )  # fmt: skip
    assert (found.original, found.released) == (2, 2)
    assert (found.stayed, found.strangers) == ((1, 1) if known else (None, None))
    assert "2 people meet the condition" in found.sentence


def test_a_condition_that_nobody_meets_tells_how_many_values_there_are():
    table = Table(pd.DataFrame({"sex": ["f", "m"] * 5, "age": range(10)}))
    found = compare_rare(table, table, Condition('sex = "w" and age < 3'), None, owners_known=True)
    assert found.sentence == (
        "Nobody meets the condition: 'sex' has 2 values and 'age' has 10 values; see how they are "
        "written."
    )
