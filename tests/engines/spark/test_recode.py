"""Spark frames that are recoded wherever their rows are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import swapmeet as sm
from swapmeet.errors import TableError, UsageError

STEPS = ["age: top 60", "job: suppress rare 40", "when: month"]
METHOD = sm.RWN(k=4, weights=0.1)


@pytest.fixture(scope="module")
def frame(spark, tmp_path_factory):
    random = np.random.default_rng(2)
    data = pd.DataFrame(
        {
            "age": random.integers(18, 95, 300),
            "job": random.choice(["cook", "nurse", "pilot"], 300, p=[0.5, 0.45, 0.05]),
            "when": pd.Timestamp("2020-01-03") + pd.to_timedelta(np.arange(300), unit="D"),
        }
    )
    path = tmp_path_factory.mktemp("recode") / "people.parquet"
    table = pa.Table.from_pandas(data, preserve_index=False)
    pq.write_table(table, path, coerce_timestamps="us")
    return spark.read.parquet(str(path)), table


@pytest.mark.slow
def test_spark_recodes_as_a_table_in_memory(frame):
    one, data = frame
    found = sm.mask(one, METHOD, seed=3, recode=STEPS, engine=sm.Spark(block_rows=120))
    other = sm.mask(data, METHOD, seed=3, recode=STEPS, engine=sm.Local(block_rows=120))
    assert found.recodes == other.recodes
    rows = found.data.toArrow().cast(other.data.schema).to_pylist()
    assert sorted(map(str, rows)) == sorted(map(str, other.data.to_pylist()))
    with pytest.raises(UsageError, match="was recoded"):
        sm.assess(one, found, measures=["margins"])
    with pytest.raises(TableError, match="leave one value in column 'age'"):
        sm.mask(one, METHOD, recode=["age: top 3"])
