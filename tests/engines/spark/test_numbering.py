"""Rows are numbered by their place in the files a frame was read from."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

import swapmeet as sm
from swapmeet.engines.spark.numbering import ROW, numbered
from swapmeet.errors import TableError

BLOCK = 130


@pytest.fixture(scope="module")
def files(people, tmp_path_factory):
    """Three Parquet files with several row groups, the last in order written first."""
    folder = tmp_path_factory.mktemp("people")
    bounds = {"c": (700, 900), "a": (0, 450), "b b": (450, 700)}
    for name, (begin, end) in bounds.items():
        rows = people.data.slice(begin, end - begin)
        pq.write_table(rows, folder / f"{name}.parquet", row_group_size=100)
    return folder


def test_files_in_the_order_of_their_paths_number_rows(spark, files):
    table = numbered(spark.read.parquet(str(files)), None).select("row", ROW).toArrow()
    assert table["row"].to_pylist() == table[ROW].to_pylist()
    assert sorted(table[ROW].to_pylist()) == list(range(900))


@pytest.mark.parametrize("partitions", [None, 5])
def test_a_folder_is_masked_like_the_table(partitions, spark, files, people, masked, in_order):
    method, engine = sm.RWN(k=5), sm.Spark(block_rows=BLOCK)
    frame = spark.read.parquet(str(files))
    frame = frame.repartition(partitions) if partitions else frame
    one = masked(frame, method, schema=people.schema, seed=3, engine=engine)
    local = sm.Local(block_rows=BLOCK)
    other = masked(people.data, method, schema=people.schema, seed=3, engine=local)
    assert in_order(one.data) == repr(other.data.to_pydict())


def test_a_part_of_the_files_has_no_numbers(spark, files, people):
    frame = spark.read.parquet(str(files)).where("age > 40")
    with pytest.raises(TableError, match="not the whole of its files"):
        sm.mask(frame, sm.RWN(k=5), schema=people.schema)
