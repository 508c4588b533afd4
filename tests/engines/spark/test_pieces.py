"""However rows are cut and mixed, their census is that of the whole table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swapmeet.engines.spark.census import Census
from swapmeet.engines.spark.pieces import Piece, Questions

import swapmeet as sm
from swapmeet.frame import Table
from swapmeet.microdata import Microdata


def census_of(table, schema, cuts, order):
    questions = Questions.of(schema, Table(table.slice(0, 0)))
    pieces = [
        Piece.of(Table(table.take(rows)), rows, questions)
        for rows in np.array_split(order, cuts)
        if len(rows)
    ]
    return Census(schema, questions, Piece.merged(pieces, questions).in_order(questions))


def check_same(table, schema, cuts, order):
    census = census_of(table, schema, cuts, order)
    one, other = census.microdata(Table(table)), Microdata.of(Table(table), schema)
    assert np.array_equal(one.strata, other.strata)
    assert np.array_equal(census.whole.sizes, np.bincount(other.strata))
    for ours, theirs in zip(one.variables, other.variables, strict=True):
        assert np.array_equal(ours.values, theirs.values, equal_nan=True)
        assert (ours.levels, ours.kind, ours.role) == (theirs.levels, theirs.kind, theirs.role)
        for fact in ("rows", "missing", "low", "high", "mean", "sd", "whole"):
            found, expected = getattr(ours.facts, fact), getattr(theirs.facts, fact)
            assert found == expected or np.isnan([found, expected]).all()
        if theirs.facts.levels is not None:
            assert np.array_equal(ours.facts.levels.values, theirs.facts.levels.values)
            assert np.array_equal(ours.facts.levels.counts, theirs.facts.levels.counts)


@pytest.mark.parametrize("cuts", [1, 7])
def test_people_in_pieces(people, cuts):
    check_same(people.data, people.schema, cuts, np.random.default_rng(2).permutation(900))


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
@settings(max_examples=60, deadline=None)
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
