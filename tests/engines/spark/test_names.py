"""Rows are numbered by their place in the files a frame was read from."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import swapmeet as sm
from swapmeet.engines.spark.names import BY_CONTENT, ROW, number_rows

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
    frame = number_rows(spark.read.parquet(str(files)), None).frame
    table = frame.select("row", ROW).toArrow()
    assert table["row"].to_pylist() == table[ROW].to_pylist()
    assert sorted(table[ROW].to_pylist()) == list(range(900))


@pytest.mark.slow
@pytest.mark.parametrize("partitions", [None, 5])
def test_a_folder_is_masked_like_the_table(partitions, spark, files, people, masked, in_order):
    method, engine = sm.RWN(k=5), sm.Spark(block_rows=BLOCK)
    frame = spark.read.parquet(str(files))
    frame = frame.repartition(partitions) if partitions else frame
    one = masked(frame, method, schema=people.schema, seed=3, engine=engine)
    local = sm.Local(block_rows=BLOCK)
    other = masked(people.data, method, schema=people.schema, seed=3, engine=local)
    assert in_order(one.data) == repr(other.data.to_pydict())


@pytest.mark.slow
def test_a_part_of_the_files_is_numbered_by_content(spark, files, people):
    found = number_rows(spark.read.parquet(str(files)).where("age > 40"), None)
    assert found.facts[0].startswith("rows are numbered by their content")
    assert sorted(found.frame.select(ROW).toArrow()[ROW].to_pylist()) == list(range(found.rows))


def rows_by_number(frame):
    table = number_rows(frame, None).frame.toArrow().sort_by(ROW)
    return repr(table.to_pydict())


@pytest.mark.slow
def test_content_numbers_rows_however_they_come(spark, monkeypatch):
    """Three rows are the same, and two differ in the sign of a zero only."""
    monkeypatch.setattr("swapmeet.engines.spark.names.BUCKET_ROWS", 4)
    numbers = [0.0, -0.0, float("nan"), None, 1.5, 1.5, 1.5, 2.0]
    table = pa.table({"x": numbers, "s": ["a", "a", None, "", "b", "b", "b", "c"]})
    found = {
        rows_by_number(spark.createDataFrame(table.take(order)).repartition(cuts))
        for order, cuts in (([0, 1, 2, 3, 4, 5, 6, 7], 1), ([7, 5, 3, 1, 0, 2, 4, 6], 3))
    }
    assert len(found) == 1


@pytest.mark.slow
def test_a_frame_without_numbers_is_masked_like_its_rows_in_order(spark, people, masked, in_order):
    frame = spark.createDataFrame(people.data).repartition(4)
    order = number_rows(frame, None).frame.toArrow().sort_by(ROW).drop_columns([ROW])
    engine, local = sm.Spark(block_rows=BLOCK), sm.Local(block_rows=BLOCK)
    one = masked(frame, sm.RWN(k=5), schema=people.schema, seed=3, engine=engine)
    other = masked(order, sm.RWN(k=5), schema=people.schema, seed=3, engine=local)
    expected = repr(other.data.sort_by("row").to_pydict())
    assert repr(one.data.toArrow().sort_by("row").to_pydict()) == expected
    assert one.facts == (BY_CONTENT,)
