from __future__ import annotations

import pandas as pd
import pytest

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
