"""However rows are cut and mixed, their scan is that of the whole table."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swapmeet as sm
from swapmeet.engines.spark.names import ROW
from swapmeet.engines.spark.scan import Piece
from swapmeet.errors import TableError, UsageError
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.scan import columns_to_scan


def piece_of(table, schema, rows):
    numbered = table.take(rows).append_column(ROW, pa.array(rows))
    halves = [numbered.slice(0, len(rows) // 2), numbered.slice(len(rows) // 2)]
    tables = [half for half in halves if len(half)]
    piece = Piece.of(tables, columns_to_scan(schema, table.schema), schema)
    return pickle.loads(pickle.dumps(piece))


def survey_of(table, schema, cuts, order):
    parts = [rows for rows in np.array_split(order, cuts) if len(rows)]
    return Piece.merged([piece_of(table, schema, rows) for rows in parts], schema)


def check_same(table, schema, cuts, order):
    scan = survey_of(table, schema, cuts, order)
    one, other = scan.microdata(table), Microdata.of(Table(table), schema)
    assert np.array_equal(one.strata, other.strata)
    assert np.array_equal(scan.strata.sizes, np.bincount(other.strata))
    for ours, theirs in zip(one.variables, other.variables, strict=True):
        assert np.array_equal(ours.values, theirs.values, equal_nan=True)
        assert (ours.levels, ours.kind, ours.role) == (theirs.levels, theirs.kind, theirs.role)
        for fact in ("rows", "missing", "low", "high", "mean", "sd", "whole"):
            found, expected = getattr(ours.statistics, fact), getattr(theirs.statistics, fact)
            assert found == expected or np.isnan([found, expected]).all()
        if theirs.statistics.levels is not None:
            assert np.array_equal(ours.statistics.levels.values, theirs.statistics.levels.values)
            assert np.array_equal(ours.statistics.levels.counts, theirs.statistics.levels.counts)


@pytest.mark.parametrize("cuts", [1, 7])
def test_people_in_pieces(people, cuts):
    check_same(people.data, people.schema, cuts, np.random.default_rng(2).permutation(900))


def test_days_stay_days_if_all_pieces_have_days(people):
    order = np.arange(900)
    whole = survey_of(people.data, people.schema, 3, order)
    assert whole.grains == {"since": 86_400 * 10**6}


def test_nothing_shows_what_was_seen(people):
    piece = piece_of(people.data, people.schema, np.arange(900))
    shown = f"{piece!r} {piece.columns!r} {Piece.merged([piece], people.schema)!r}"
    assert "Town" not in shown


def test_a_column_with_too_many_levels_is_refused(monkeypatch, people):
    monkeypatch.setattr("swapmeet.engines.spark.scan.LEVELS", 10)
    with pytest.raises(TableError, match="more distinct values than the memory holds"):
        piece_of(people.data, people.schema, np.arange(900))


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from([0.0, -0.0, 1.5, float("nan"), None]),
            st.sampled_from([True, False, None]),
            st.sampled_from(["a", "b", None]),
        ),
        min_size=1,
        max_size=12,
    ),
    cuts=st.integers(1, 4),
    random=st.randoms(use_true_random=False),
)
def test_odd_values_in_pieces(rows, cuts, random):
    x, flag, town = zip(*rows, strict=True)
    columns = {"x": (x, pa.float64()), "n": (x, pa.float32()), "flag": (flag, pa.bool_())}
    columns |= {"member": (flag, pa.bool_()), "town": (town, pa.string())}
    columns |= {"s": (town, pa.string()), "t": (x, pa.float64())}
    table = pa.table({name: pa.array(values, kind) for name, (values, kind) in columns.items()})
    kinds = {"x": "numeric", "n": "nominal", "flag": "ordinal", "member": "numeric"}
    schema = sm.Schema(tuple(sm.Column(n, kinds.get(n, "nominal")) for n in columns))
    order = random.sample(range(len(rows)), len(rows))
    check_same(table, schema.assign(strata=["s", "t"]), cuts, np.array(order))


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
