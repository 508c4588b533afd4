from __future__ import annotations

import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.errors import UsageError

PEOPLE = pd.DataFrame({"town": list("abcd") * 5, "age": range(20)})
METHOD = sm.RecordSwap(columns=["town"], swap_rate=0.5)
PARTS = sm.PerColumn(parts=[(METHOD, ["town"]), (sm.RWN(k=2), ["age"])])


@pytest.mark.parametrize("method", [METHOD, PARTS], ids=["alone", "as a part"])
def test_a_method_that_needs_all_rows_is_refused_in_blocks(method, tmp_path):
    message = "looks at all rows at once, and cannot mask a table block by block"
    with pytest.raises(UsageError, match=message):
        sm.mask(PEOPLE, method, seed=1, engine=sm.Local(block_rows=10))
    file = tmp_path / "people.parquet"
    PEOPLE.to_parquet(file)
    with pytest.raises(UsageError, match=message):
        sm.mask_file(file, tmp_path / "release.parquet", method)
    assert [path.name for path in tmp_path.iterdir()] == ["people.parquet"]


def test_it_masks_a_table_that_is_one_block(masked):
    release = masked(PEOPLE, METHOD, seed=1, engine=sm.Local(block_rows=20))
    assert release.audit.donors.shape == (20, 2)
