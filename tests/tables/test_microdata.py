from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from swapmeet.base.cache import Cache
from swapmeet.errors import TableError
from swapmeet.release import changes
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Column, Kind, Role, Schema

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


def test_other_rows_or_columns_share_nothing():
    data = replace(microdata(strata=["region"]), cache=Cache())
    assert data.select(["age"]).cache is None
    assert data.take(np.array([0, 1])).cache is None
    assert data.cache is not None


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
    assert changes.differs(variable, np.array(donors)).astype(int).tolist() == differs


def test_reprs_show_names_and_counts_only():
    data = microdata(strata=["region"])
    assert repr(data) == "<Microdata of 4 rows and 3 columns>"
    assert repr(data["age"]) == "<Variable 'age', numeric>"


# two tables


def both(one, other, **kinds):
    columns = tuple(Column(name, kind) for name, kind in kinds.items())
    return Microdata.of_both(Table(one), Table(other), columns)


def test_a_level_has_one_code_in_both_tables():
    one = pd.DataFrame({"t": ["b", "a", None]})
    other = pd.DataFrame({"t": pd.Categorical(["a", "c", "b"], categories=["c", "b", "a"])})
    first, second = both(one, other, t="nominal")
    assert first["t"].levels == second["t"].levels == 3
    assert first["t"].values[0] == second["t"].values[2]
    assert first["t"].values[1] == second["t"].values[0]
    assert first["t"].values[2] == -1


def test_ordered_levels_keep_the_order_of_the_first_table():
    order = ["low", "mid", "high"]
    one = pd.DataFrame({"g": pd.Categorical(["mid", "high"], order, ordered=True)})
    for other in (
        pd.Categorical(["high", "low"], ["low", "high"], ordered=True),
        ["high", "low"],
    ):
        first, second = both(one, pd.DataFrame({"g": other}), g="ordinal")
        assert first["g"].values.tolist() == [1.0, 2.0]
        assert second["g"].values.tolist() == [2.0, 0.0]


def test_levels_that_the_original_lacks_are_counted_not_shown():
    one = pd.DataFrame({"g": pd.Categorical(["mid"], ["low", "mid"], ordered=True)})
    with pytest.raises(TableError, match="1 released values are not among") as told:
        both(one, pd.DataFrame({"g": ["secret"]}), g="ordinal")
    assert "secret" not in str(told.value)


def test_moments_are_in_the_unit_of_the_first_table():
    day = pd.Timestamp("2020-01-02")
    one = pd.DataFrame({"d": pd.Series([day]).astype("datetime64[s]")})
    other = pd.DataFrame({"d": pd.Series([day]).astype("datetime64[ns]")})
    first, second = both(one, other, d="numeric")
    assert first["d"].values.tolist() == second["d"].values.tolist()


def test_rows_can_be_taken_in_another_order():
    data = both(pd.DataFrame({"x": [1.5, 2.5, 3.5]}), pd.DataFrame({"x": [1.0]}), x="numeric")[0]
    assert data.take(np.array([2, 0]))["x"].values.tolist() == [3.5, 1.5]
    assert data.take(np.array([2, 0])).n == 2


# facts of columns, and blocks that know them


def test_a_block_knows_the_whole_and_other_rows_only_themselves():
    data = microdata(keep=["region", "year"])
    rows = np.array([0, 3])
    assert data["age"].statistics.high == 50.0
    assert data.block(rows)["age"].statistics is data["age"].statistics
    assert data.block(rows).select(["age"])["age"].statistics.missing == 1
    assert data.take(rows)["age"].statistics.high == 30.0
    assert data.block(rows).take(np.array([0]))["age"].statistics.rows == 1


def test_a_block_of_a_block_knows_the_whole():
    data = microdata(keep=["region", "year"])
    assert data.block(np.array([0, 1])).block(np.array([0]))["age"].statistics.rows == 4


def test_strata_of_a_block_have_no_gaps():
    data = microdata(strata=["region", "year"])
    block = data.block(np.array([1, 3]))
    assert sorted(block.strata) == [0, 1]
    assert block.strata.dtype == np.int32
    assert (block.strata[0] < block.strata[1]) == (data.strata[1] < data.strata[3])


def test_ordered_values_are_ranked_among_the_levels_of_the_whole():
    values = np.array([30.0, np.nan, 10.0, 20.0, 30.0])
    data = Microdata((Variable("g", Kind.ORDINAL, values),), np.zeros(5, np.int32))
    block = data.block(np.array([0, 1, 2]))["g"]
    assert np.array_equal(block.ranks(), [2.0, np.nan, 0.0], equal_nan=True)
    assert block.known.values.tolist() == [10.0, 20.0, 30.0]


def test_very_many_levels_are_ranked_among_those_here(monkeypatch):
    monkeypatch.setattr("swapmeet.tables.statistics.MOST_ORDINAL_LEVELS", 2)
    data = Microdata(
        (Variable("g", Kind.ORDINAL, np.array([3.0, 1.0, 2.0])),), np.zeros(3, np.int32)
    )
    assert data["g"].ranks().tolist() == [2.0, 0.0, 1.0]
    assert data.block(np.array([0, 1]))["g"].ranks().tolist() == [1.0, 0.0]


def test_units_are_numbered_and_stay_without_gaps_in_parts():
    data = microdata(household=["year"])
    assert data.household.tolist() == [0, 1, 1, 0]
    assert data.names == ("age", "sex", "region")
    part = data.block(np.array([1, 2]))
    assert (part.household.tolist(), part.person) == ([0, 0], None)


def test_context_is_what_was_asked_for_and_is_not_masked():
    schema = Schema(tuple(Column(name, Kind.NOMINAL) for name in TABLE)).assign(keep=["year"])
    data = Microdata.of(Table(TABLE), schema, ["year", "sex"])
    assert [variable.name for variable in data.context] == ["year"]
    assert data.take(np.array([2, 0])).context[0].values.tolist() == [1, 0]


def test_the_weight_is_looked_for_once():
    looks = []

    class Columns(tuple):
        def __iter__(self):
            looks.append(1)
            return super().__iter__()

    column = Variable("w", Kind.NUMERIC, np.array([1.0, 2.0]), role=Role.WEIGHT)
    data = Microdata(Columns([column]), np.zeros(2, np.int32))
    begun = len(looks)
    assert data.weight is data.weight is column
    assert len(looks) == begun + 1
