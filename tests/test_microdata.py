from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from swapmeet.frame import Table
from swapmeet.microdata import Microdata, Variable
from swapmeet.schema import Column, Kind, Role, Schema

TABLE = pd.DataFrame(
    {
        "age": [30.0, np.nan, 50.0, 30.0],
        "sex": ["f", "m", None, "f"],
        "region": ["n", "n", None, "s"],
        "year": [1, 2, 2, 1],
        "id": ["a", "b", "c", "d"],
    }
)


def microdata(**roles):
    kinds = {"age": Kind.NUMERIC}
    columns = (Column(name, kinds.get(name, Kind.NOMINAL)) for name in TABLE)
    schema = Schema(tuple(columns)).assign(drop=["id"], **roles)
    return Microdata.of(Table(TABLE), schema)


def test_only_masked_columns_are_seen():
    data = microdata(strata=["region"], keep=["year"])
    assert data.names == ("age", "sex")
    assert data.n == 4


def test_numbers_are_doubles_and_levels_are_codes():
    data = microdata(keep=["region", "year"])
    assert np.array_equal(data["age"].values, [30.0, np.nan, 50.0, 30.0], equal_nan=True)
    assert data["sex"].values.tolist() == [0, 1, -1, 0]
    assert data["sex"].levels == 2


def test_without_strata_all_rows_are_one():
    assert microdata(keep=["region", "year"]).strata.tolist() == [0, 0, 0, 0]


def test_a_missing_value_is_a_stratum_of_its_own():
    strata = microdata(strata=["region"], keep=["year"]).strata
    assert strata[0] == strata[1]
    assert len(set(strata)) == 3


def test_two_strata_columns_make_one_stratum_per_combination_that_occurs():
    strata = microdata(strata=["region", "year"]).strata
    assert len(set(strata)) == 4
    assert sorted(strata) == [0, 1, 2, 3]
    assert strata.dtype == np.int32


def test_missing_values_of_two_strata_columns_are_not_mixed_up():
    values = ["a", "b", None]
    frame = pd.DataFrame([(one, two) for one in values for two in values], columns=["x", "y"])
    schema = Schema(tuple(Column(n, Kind.NOMINAL, Role.STRATA) for n in frame))
    assert sorted(Microdata.of(Table(frame), schema).strata) == list(range(9))


def test_many_strata_columns_do_not_overflow():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"s{i}": rng.integers(0, 200, 200) for i in range(30)})
    schema = Schema(tuple(Column(n, Kind.NOMINAL, Role.STRATA) for n in frame))
    strata = Microdata.of(Table(frame), schema).strata
    assert sorted(strata) == list(range(200))


def test_select_keeps_strata_and_the_order_asked_for():
    data = microdata(strata=["region"]).select(["year", "age"])
    assert data.names == ("year", "age")
    assert len(set(data.strata)) == 3


@pytest.mark.parametrize(
    ("variable", "donors", "differs"),
    [
        (Variable("x", Kind.NUMERIC, np.array([1.0, 2.0, 1.0])), [2, 0, -1], [0, 1, 1]),
        (Variable("x", Kind.ORDINAL, np.array([np.nan, np.nan, 1.0])), [1, 2, 0], [0, 1, 1]),
        (Variable("x", Kind.NOMINAL, np.array([0, -1, -1]), 1), [1, 2, 1], [1, 0, 0]),
    ],
)
def test_a_value_differs_when_it_is_another_not_when_it_comes_from_elsewhere(
    variable, donors, differs
):
    assert variable.differs(np.array(donors)).astype(int).tolist() == differs


def test_reprs_show_names_and_counts_only():
    data = microdata(strata=["region"])
    assert repr(data) == "<Microdata of 4 rows and 3 columns>"
    assert repr(data["age"]) == "<Variable 'age', numeric>"
