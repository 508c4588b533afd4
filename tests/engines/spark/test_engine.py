"""The release of a Spark frame is the one that Local makes, cell by cell."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from method_examples import BLOCK_EXAMPLES, EVERYDAY_EXAMPLES, METHOD_EXAMPLES

import swapmeet as sm
from swapmeet.engines.protocol import is_spark
from swapmeet.errors import ParameterError, SchemaError, TableError, UsageError
from swapmeet.testing.examples import fit_example

N, BLOCK = 900, 130
DONOR_ROW = "__swapmeet_row"


def arriving(spark, table, partitions=3, seed=1):
    """The rows of a table, in another order."""
    order = np.random.default_rng(seed).permutation(len(table))
    return spark.createDataFrame(table.take(order)).repartition(partitions)


def donors_by_local(release, names):
    return {name: release.audit.donors[:, release.audit.columns.index(name)] for name in names}


def check_equal(one, other, in_order):
    assert in_order(one.data) == repr(other.data.to_pydict())
    donors = one.audit.donors.toArrow().sort_by(DONOR_ROW)
    names = donors.column_names[1:]
    for name, expected in donors_by_local(other, names).items():
        assert np.array_equal(donors[name].to_numpy(), expected), name
    assert one.notes == other.notes
    assert one.changes == other.changes


@pytest.mark.slow
def test_spark_and_local_make_the_same_release(spark, people, both, in_order):
    one, other = both(arriving(spark, people.data), sm.SJPPDS(bins=5))
    check_equal(one, other, in_order)


@pytest.mark.slow
@pytest.mark.parametrize("method", [e for e in BLOCK_EXAMPLES if e in EVERYDAY_EXAMPLES])
def test_every_method_makes_the_same_release(method, spark, people, both, check_written, tmp_path):
    """With other settings, a block of Spark's is masked as one of a file's is: by `mask_block`."""
    check_written(*both(arriving(spark, people.data), method), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("method", [e for e in METHOD_EXAMPLES if e.values[0].needs_all_rows])
def test_what_needs_all_rows_is_refused(method, spark, people, both):
    with pytest.raises(sm.SwapmeetError, match="looks at all rows at once"):
        both(arriving(spark, people.data), method)


@pytest.mark.slow
def test_neither_partitions_nor_arrival_matter(spark, people, both, in_order):
    found = set()
    for partitions, shuffles, adaptive in ((1, 1, "false"), (7, 3, "false"), (4, 9, "true")):
        spark.conf.set("spark.sql.shuffle.partitions", shuffles)
        spark.conf.set("spark.sql.adaptive.enabled", adaptive)
        one, _ = both(arriving(spark, people.data, partitions, partitions), sm.SJPPDS(bins=5))
        found.add(in_order(one.data))
    spark.conf.set("spark.sql.shuffle.partitions", 4)
    assert len(found) == 1


@pytest.mark.slow
def test_a_table_in_one_block_is_masked_as_a_whole(spark, people, both, in_order):
    one, other = both(arriving(spark, people.data), sm.RWN(k=5), block_rows=N)
    assert in_order(one.data) == repr(other.data.to_pydict())


@pytest.mark.slow
def test_columns_and_types_stay(spark, people, both):
    frame = arriving(spark, people.data)
    one, _ = both(frame, sm.NBRS(eps=0.5))
    before = {field.name: field.dataType for field in frame.schema}
    assert {field.name: field.dataType for field in one.data.schema} == {
        name: kind for name, kind in before.items() if name != "id"
    }


@pytest.mark.slow
def test_the_order_of_the_release_does_not_tell_the_rows(spark, people, both):
    one, _ = both(arriving(spark, people.data), sm.SJPPDS(bins=5))
    rows = np.array(one.data.toArrow()["row"])
    assert 0.3 < (np.diff(rows) > 0).mean() < 0.7


@pytest.mark.slow
def test_seeds_differ(spark, people, both, in_order):
    frame = arriving(spark, people.data)
    one, other = (both(frame, sm.SJPPDS(bins=5), seed=seed)[0] for seed in (1, 2))
    assert in_order(one.data) != in_order(other.data)


@pytest.mark.slow
def test_numbers_of_rows_without_a_role_are_not_published(spark, people, masked):
    schema = sm.Schema(tuple(c for c in people.schema if c.name != "row"))
    engine = sm.Spark(block_rows=BLOCK, row_id="row")
    release = masked(arriving(spark, people.data), sm.RWN(k=5), schema=schema, engine=engine)
    assert "row" not in release.data.columns
    assert not release.reproducible


@pytest.mark.slow
def test_names_may_have_any_characters(spark, people, masked):
    table = people.data.select(["income", "town", "row"]).rename_columns(["a.b `c`", "t, u", "r-w"])
    kinds = {"a.b `c`": "numeric", "t, u": "nominal", "r-w": "numeric"}
    schema = sm.Schema(tuple(sm.Column(name, kind) for name, kind in kinds.items()))
    schema = schema.assign(keep=["r-w"])
    engine, local = sm.Spark(block_rows=BLOCK, row_id="r-w"), sm.Local(block_rows=BLOCK)
    frame = spark.createDataFrame(table)
    one = masked(frame, sm.RWN(k=5), schema=schema, seed=3, engine=engine)
    other = masked(table, sm.RWN(k=5), schema=schema, seed=3, engine=local)
    found = one.data.toArrow().sort_by("r-w")
    assert repr(found.to_pydict()) == repr(other.data.to_pydict())
    assert one.audit.donors.columns[1:] == ["a.b `c`", "t, u"]


@pytest.mark.slow
def test_nothing_secret_shows(spark, people, both):
    one, _ = both(arriving(spark, people.data), sm.RWN(k=5), seed=7091823645501928374)
    shown = f"{one} {one!r} {one.audit!r} {one.job!r} {one.job.scan!r}"
    assert "7091823645501928374" not in shown
    assert "Town" not in shown
    assert repr(one).startswith("<SparkRelease of 900 rows and 9 columns by rwn(k=5")


# what is refused


def refused(error, frame, schema, method=None, **options):
    with pytest.raises(error) as caught:
        sm.mask(frame, method or sm.RWN(k=5), schema=schema, **options)
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "told"),
    [("age", "once, in any order"), ("town", "whole numbers"), ("rwo", "did you mean 'row'?")],
)
def test_a_column_that_numbers_no_rows_is_refused(column, told, spark, people):
    engine = sm.Spark(row_id=column)
    frame = spark.createDataFrame(people.data)
    assert told in refused(TableError, frame, people.schema, engine=engine)


@pytest.mark.slow
def test_a_row_number_that_comes_twice_is_refused(spark, people):
    rows = np.arange(N)
    rows[5] = 6
    table = people.data.set_column(people.data.column_names.index("row"), "row", [rows])
    engine = sm.Spark(row_id="row")
    frame = spark.createDataFrame(table)
    assert "899 distinct" in refused(TableError, frame, people.schema, engine=engine)


@pytest.mark.slow
def test_kinds_and_names_are_refused_before_spark_works(spark, people):
    frame, engine = spark.createDataFrame(people.data), sm.Spark(row_id="row")
    nominal = refused(SchemaError, frame, people.schema, sm.Noise(), engine=engine)
    assert "noise cannot mask 'town'" in nominal
    method = sm.Cart(order=["agee"])
    assert "did you mean 'age'?" in refused(
        SchemaError, frame, people.schema, method, engine=engine
    )


def test_other_engines_and_other_tables_are_refused(spark, people):
    frame = spark.createDataFrame(people.data)
    assert "Spark" in refused(UsageError, frame, people.schema, engine=sm.Local())
    assert "Local" in refused(UsageError, people.data, people.schema, engine=sm.Spark())


@pytest.mark.slow
def test_a_frame_without_rows_is_refused(spark, people):
    frame = spark.createDataFrame(people.data).limit(0)
    engine = sm.Spark(row_id="row")
    assert "no rows" in refused(TableError, frame, people.schema, engine=engine)


@pytest.mark.slow
def test_a_block_that_breaks_a_promise_is_refused_by_spark(spark, people, masked):
    from pyspark.errors import PythonException

    schema = people.schema.assign(keep=["town", "member"])
    engine = sm.Spark(block_rows=60, row_id="row")
    method = sm.Microaggregation(k=70)
    release = masked(spark.createDataFrame(people.data), method, schema=schema, engine=engine)
    with pytest.raises(PythonException, match="Or raise `block_rows`"):
        release.data.count()


@pytest.mark.parametrize("settings", [{"block_rows": 1}, {"block_rows": True}, {"row_id": 3}])
def test_settings_are_checked(settings):
    with pytest.raises(ParameterError, match="Spark: "):
        sm.Spark(**settings)


@pytest.mark.slow
def test_without_a_schema_kinds_are_those_of_all_rows(spark, masked, monkeypatch):
    monkeypatch.setattr("swapmeet.engines.spark.engine.HEAD", 64)
    rows = np.arange(600)
    columns = {"few": rows % 3, "late": np.where(rows < 300, rows % 2, rows), "row": rows}
    frame = spark.createDataFrame(pa.table(columns))
    release = masked(frame, sm.RWN(k=5), engine=sm.Spark(row_id="row"))
    kinds = {column.name: str(column.kind) for column in release.schema}
    assert kinds == {"few": "nominal", "late": "numeric", "row": "numeric"}
    assert release.schema.published == ("few", "late")
    assert release.facts[0].startswith("kinds of columns were inferred from all rows")


@pytest.mark.slow
def test_giant_strata_and_duplicates_stay_in_small_blocks(spark, masked):
    """95 % of the rows in one stratum, 90 % of all rows the same one."""
    rows = np.arange(4000)
    same = rows % 10 > 0
    table = pa.table(
        {
            "x": np.where(same, 5.0, rows * 1.0),
            "y": np.where(same, 7.0, rows % 9),
            "s": np.where(rows % 20 > 0, "large", "small"),
        }
    )
    schema = sm.Schema.guess(table, {}).assign(strata=["s"])
    frame = spark.createDataFrame(table).repartition(3)
    engine = sm.Spark(block_rows=200)
    release = masked(frame, sm.SJPPDS(bins=4), schema=schema, seed=1, engine=engine)
    assert "masked in 20 blocks of" in release.notes[0]
    assert int(release.notes[0].split(" to ")[1].split()[0]) < 200 + 7 * 200**0.5 + 16
    found = release.data.toArrow()
    for name in table.column_names:
        assert sorted(found[name].to_pylist()) == sorted(table[name].to_pylist())


def test_only_spark_frames_are_spark_frames(people):
    assert not is_spark(people.data)
    assert not is_spark(None)


@pytest.mark.slow
def test_codes_for_missing_values_count_as_missing(spark, people, masked, in_order):
    """As in memory, and other than where they are values."""
    example = fit_example(sm.RWN(k=5, weights=0.2), people)
    codes = np.unique(example.data["age"].drop_null().to_numpy())[:10].tolist()
    schema = example.schema.assign(missing={"age": codes})
    frame, method = arriving(spark, people.data), sm.RWN(k=5, weights=0.2)
    engine = sm.Spark(block_rows=BLOCK, row_id="row")
    one = masked(frame, method, schema=schema, seed=3, engine=engine)
    other = masked(example.data, method, schema=schema, seed=3, engine=sm.Local(block_rows=BLOCK))
    plain = masked(frame, method, schema=example.schema, seed=3, engine=engine)
    assert in_order(one.data) == repr(other.data.to_pydict())
    assert in_order(one.data) != in_order(plain.data)
