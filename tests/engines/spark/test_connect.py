"""Through Spark Connect the release is the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
import os, sys, warnings
warnings.simplefilter("ignore")
os.environ["PYSPARK_PYTHON"] = sys.executable
import numpy as np, pyarrow as pa
import swapmeet as sm
from swapmeet import io
from swapmeet.errors import TableError
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote("local[2]").getOrCreate()
assert "connect" in type(spark).__module__
rng, n = np.random.default_rng(1), 900
columns = {"x": rng.normal(size=n), "t": rng.choice(["a", "b", "c"], n), "row": np.arange(n)}
table = pa.table(columns)
schema = sm.Schema.guess(table, {}).assign(keep=["row"])
frame = spark.createDataFrame(table).repartition(3)
engine, local = sm.Spark(block_rows=200, row_id="row"), sm.Local(block_rows=200)
release = sm.mask(frame, sm.RWN(k=5), schema=schema, seed=1, engine=engine)
other = sm.mask(table, sm.RWN(k=5), schema=schema, seed=1, engine=local)
done = release.write(sys.argv[1] + "/release", audit=sys.argv[1] + "/record")
assert done.notes == other.notes
found = io.read(sys.argv[1] + "/release").frame.sort_by("row")
assert found.to_pydict() == other.data.to_pydict()
small = sm.Spark(block_rows=60, row_id="row")
numbers = schema.in_order(["x", "row"])
failing = sm.mask(frame.select("x", "row"), sm.Microaggregation(k=70), schema=numbers, engine=small)
try:
    failing.write(sys.argv[1] + "/failing")
except TableError as error:
    print(error)
spark.stop()
"""


def test_the_release_is_the_same_through_spark_connect(needs_spark, tmp_path):
    pytest.importorskip("grpc", reason="Spark Connect needs pyspark[connect]")
    words = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    run = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.startswith("in a block of")
    assert run.stdout.count("\n") == 1
