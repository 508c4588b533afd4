from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from swapmeet import io
from swapmeet.io.release_table import restore_columns


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "parquet"])
@pytest.mark.parametrize("original", ["csv", "xlsx", "sav"])
def test_a_column_without_a_value_has_the_type_of_the_original(tmp_path, suffix, original):
    table = pd.DataFrame({"age": [1.5, 2.5, 3.5], "sex": ["m", "f", "m"]})
    io.write(tmp_path / f"in.{original}", table)
    io.write(tmp_path / f"out.{suffix}", table.assign(age=pd.Series([None] * 3, dtype="float")))
    before = io.read(tmp_path / f"in.{original}")
    after = restore_columns(io.read(tmp_path / f"out.{suffix}"), before).frame
    column = after["age"]
    kind = column.type if isinstance(after, pa.Table) else pa.array(column).type
    assert pa.types.is_floating(kind)
    assert after["sex"].to_pylist() if isinstance(after, pa.Table) else list(after["sex"])


def test_what_is_the_same_stays_the_same_object(tmp_path):
    (tmp_path / "in.csv").write_text("age,sex\n1,m\n2,f\n")
    document = io.read(tmp_path / "in.csv")
    assert restore_columns(document, document) is document
