from __future__ import annotations

import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import SchemaError
from swapmeet.measures.side_by_side.tables import compare_table


def test_tables_count_what_moved(compared):
    """Cells fa, fb, ma: 2, 1, 1 before and 1, 1, 1 and a new mb after: a quarter misplaced."""
    before = pd.DataFrame({"sex": list("fffm"), "town": list("aaba")})
    after = pd.DataFrame({"sex": list("ffmm"), "town": list("abba")})
    found = compare_table(compared(before, after), ["sex", "town"])
    assert (found.cells, found.misplaced, found.largest) == (4, 0.25, 1)
    assert (found.appeared, found.vanished) == (1, 0)
    assert compare_table(compared(before, before), ["sex"]).misplaced == 0.0


def test_a_table_of_an_unknown_column_is_refused(compared):
    people = pd.DataFrame({"sex": list("fm")})
    with pytest.raises(SchemaError, match="no column 'sexx' in both tables; did you mean 'sex'"):
        compare_table(compared(people, people), ["sexx"])


def test_records_count_by_their_weights(compared):
    """Of a weight of 4, 3 are in f before and 1 after: half of it is misplaced."""
    before = pd.DataFrame({"sex": list("ffm"), "w": [1.0, 2.0, 1.0]})
    after = pd.DataFrame({"sex": list("fmm"), "w": [1.0, 2.0, 1.0]})
    schema = sm.Schema((sm.Column("sex", "nominal"), sm.Column("w", "numeric")))
    found = compare_table(compared(before, after, schema), ["sex", "weight=w"])
    assert (found.columns, found.weight, found.cells) == (("sex",), "w", 2)
    assert found.misplaced == pytest.approx(0.5)
    assert found.largest == pytest.approx(3 * 0.5)
    assert compare_table(compared(before, after, schema), ["sex"]).misplaced == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("names", "message"),
    [(["sex", "weight=ww"], "no column 'ww'"), (["sex", "weight=sex"], "'sex' is nominal"),
     (["weight=w"], "name at least one column")],
)  # fmt: skip
def test_weights_that_cannot_be_used_are_refused(compared, names, message):
    people = pd.DataFrame({"sex": list("fm"), "w": [1.0, 2.0]})
    schema = sm.Schema((sm.Column("sex", "nominal"), sm.Column("w", "numeric")))
    with pytest.raises(SchemaError, match=message):
        compare_table(compared(people, people, schema), names)
