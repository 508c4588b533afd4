"""Numbers of households and persons, dealt anew."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.base.seeds import Seed
from swapmeet.engines.local.mask import _deal, deal_numbers
from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Schema
from swapmeet.tables.units import Units

ROWS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=2, max_size=40)


def deal(data, seed=0):
    schema = Schema.guess(data, {}).assign(
        **{role: role for role in ("household", "person") if role in data}
    )
    table = Table(data)
    found = deal_numbers(table, Microdata.of(table, schema), schema, Seed.chosen_by_user(seed))
    return {name: data[name].to_numpy()[donors] for name, donors in found.items()}


@given(ROWS, st.integers(0, 99))
def test_households_trade_numbers_one_to_one(rows, seed):
    data = pd.DataFrame(rows, columns=["household", "x"])
    dealt = deal(data, seed)["household"]
    pairs = set(zip(data["household"], dealt, strict=True))
    assert len(pairs) == data["household"].nunique() == len(set(dealt))


@given(ROWS, st.integers(0, 99))
def test_persons_numbered_inside_households_stay_in_them(rows, seed):
    data = pd.DataFrame(rows, columns=["household", "person"])
    dealt = deal(data, seed)["person"]
    if data["person"].nunique() < len(data.drop_duplicates()):
        for _, rows_of_one in data.groupby("household"):
            own = data["person"][rows_of_one.index]
            assert set(own) == set(dealt[rows_of_one.index])
            assert len(set(zip(own, dealt[rows_of_one.index], strict=True))) == own.nunique()


def test_each_number_is_equally_likely():
    """Of 3,000 deals, each of 4 numbers comes 750 times; 5 sd are 119: an error below 1e-5."""
    units, seed = Units(np.array([0, 0, 1, 2, 3])), Seed.chosen_by_user(0)
    rows = [_deal(units, seed.stream("test", time))[0] for time in range(3000)]
    first = units.of_row[rows]
    assert (np.abs(np.bincount(first) - 750) < 119).all()


def test_numbers_of_any_type_survive():
    data = pd.DataFrame({"household": ["a-1", "a-1", "b-2", "c-3"], "x": [1, 2, 3, 4]})
    assert sorted(set(deal(data)["household"])) == ["a-1", "b-2", "c-3"]
