from __future__ import annotations

import os
import shutil
import sys
import warnings

import numpy as np
import pyarrow as pa
import pytest

import swapmeet as sm
from swapmeet.engines.local.pair import TableRows
from swapmeet.engines.spark.session import _quiet
from swapmeet.io import read
from swapmeet.release.audit import AuditRecord
from swapmeet.release.record_check import check_record
from swapmeet.tables.frame import Table
from swapmeet.testing.examples import (
    FACTS,
    Example,
    add_missing,
    add_regions,
    fit_example,
    make_people,
)

N, BLOCK = 900, 130
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
}


@pytest.fixture(scope="session")
def needs_spark():
    """Skips without Spark or Java."""
    pytest.importorskip("pyspark", reason="needs swapmeet[spark]")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("Spark needs Java 17 or later, which is not here")


@pytest.fixture(scope="session")
def spark(needs_spark):
    """A Spark session on two cores of this machine."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("swapmeet")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    with _quiet(wanted=True):
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def people():
    """People of every kind, with missing values and strata; `row` is their number."""
    frame = add_regions(add_missing(make_people(N)))
    grade = frame["grade"].cat.codes.astype("Int64").mask(frame["grade"].isna())
    frame = frame.assign(grade=grade, row=np.arange(N))
    facts = {**FACTS, "row": (sm.Kind.NUMERIC, sm.Role.KEEP)}
    schema = sm.Schema(tuple(sm.Column(name, *facts[name]) for name in frame))
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    return Example("people", table, schema.assign(strata=["region"]))


@pytest.fixture(scope="session")
def both(people, masked):
    """The releases of the same people by Spark, as a table in the order of rows, and by Local."""

    def releases(frame, method, example=people, seed=3, block_rows=BLOCK):
        found = fit_example(method, example)
        engine = sm.Spark(block_rows=block_rows, row_id="row")
        one = masked(frame, method, schema=found.schema, seed=seed, engine=engine)
        other = masked(
            found.data,
            method,
            schema=found.schema,
            seed=seed,
            engine=sm.Local(block_rows=block_rows),
        )
        return one, other

    return releases


@pytest.fixture(scope="session")
def in_order(people):
    """The cells of a Spark frame, by row, as text: so that NaN equals NaN."""

    def cells(frame):
        table = frame.toArrow().sort_by("row")
        types = people.data.select(table.column_names).schema
        return repr(table.cast(types).to_pydict())

    return cells


@pytest.fixture(scope="session")
def check_written():
    """Write a release of Spark and its record; both, and what is told, are those of Local."""

    def check(one, other, folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sm.SwapmeetWarning)
            done = one.write(folder / "release", audit=folder / "record")
        record = AuditRecord.load(folder / "record")
        assert np.array_equal(record.donors, other.audit.donors)
        assert np.array_equal(np.sort(record.owner), np.arange(len(record.owner)))
        found, expected = read(folder / "release").frame, other.data.take(record.owner)
        assert repr(found.cast(expected.schema).to_pydict()) == repr(expected.to_pydict())
        assert {name: rows.tolist() for name, rows in record.stuck.items()} == {
            name: rows.tolist() for name, rows in other.audit.stuck.items() if len(rows)
        }
        assert (done.notes, done.changes) == (other.notes, other.changes)
        assert record.seed.key == other.audit.seed.key
        assert record.owned == other.audit.owned
        one, other = record.fingerprint, other.audit.fingerprint
        assert np.array_equal(one.prints.rows, other.prints.rows)
        assert one.precisions == other.precisions
        assert check_record(record, TableRows(Table(found))).notes == ()

    return check
