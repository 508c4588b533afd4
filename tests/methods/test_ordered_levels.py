from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.intruders.evidence import Evidence
from swapmeet.methods import ordered_levels
from swapmeet.methods.ordered_levels import FREQUENCY, LevelOrder, order_known_levels, order_levels
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind


def people():
    """Towns 0, 1 and 2 by income: 1, 2, 0; the last town is missing."""
    town = np.array([0, 1, 2, 0, 1, 2, -1], np.int32)
    member = np.array([0, 1, 1, 0, 1, 0, -1], np.int32)
    income = np.array([9.0, 1.0, 5.0, 8.0, 2.0, 4.0, 3.0])
    variables = (
        Variable("town", Kind.NOMINAL, town, 3),
        Variable("member", Kind.NOMINAL, member, 2),
        Variable("income", Kind.NUMERIC, income),
    )
    return Microdata(variables, np.zeros(7, np.int32))


def test_a_nominal_column_becomes_the_places_of_its_levels():
    town, member, income = order_levels(people(), "similar").variables
    assert town.kind is member.kind is Kind.ORDINAL
    assert (town.levels, member.levels, income.levels) == (3, 2, 0)
    forth = [2.0, 0.0, 1.0, 2.0, 0.0, 1.0]
    assert town.values[:6].tolist() in (forth, [2.0 - place for place in forth])
    assert np.isnan(town.values).tolist() == [False] * 6 + [True]
    assert income.values.tolist() == people()["income"].values.tolist()


def test_the_release_is_put_in_the_order_of_the_people():
    data = people()
    released = Microdata(
        (
            Variable("town", Kind.NOMINAL, np.array([1, 1, 1, 3], np.int32), 4),
            data["member"],
            data["income"],
        ),
        np.zeros(4, np.int32),
    )
    seen = order_known_levels(Evidence(data, released), "similar")
    place = seen.people["town"].values[1]
    assert seen.released["town"].values[:3].tolist() == [place] * 3
    assert np.isnan(seen.released["town"].values[3])


def test_an_intruder_who_lacks_columns_does_not_know_the_order_they_give():
    data = people()
    seen = Evidence(data, data).select(["town", "member"])
    assert order_known_levels(seen, "similar").names == ("town", "member")
    lacking = Evidence(data, data).select(["town", "member", "unknown"])
    assert order_known_levels(lacking, "similar").names == ("member",)
    assert order_known_levels(lacking, "frequency").names == ("town", "member")


def test_an_intruder_who_knows_one_person_does_not_know_the_order_of_everybody():
    data = people()
    seen = Evidence(data, data, everybody=False)
    assert order_known_levels(seen, "similar").names == ("member", "income")
    assert order_known_levels(seen, "frequency").names == ("town", "member", "income")


def nominal(name, codes, levels=None):
    codes = np.asarray(codes, np.int32)
    return Variable(name, Kind.NOMINAL, codes, int(codes.max()) + 1 if levels is None else levels)


def numeric(name, values):
    return Variable(name, Kind.NUMERIC, np.asarray(values, float))


def table(*variables):
    return Microdata(variables, np.zeros(len(variables[0].values), np.int32))


def in_a_row(places):
    """The order without its direction."""
    order = np.argsort(places).tolist()
    return min(order, order[::-1])


# by hand


def test_the_most_frequent_level_comes_first_and_equals_by_their_codes():
    data = table(nominal("x", [2, 0, 1, 1, 3, 1, 2, 0]))
    assert LevelOrder(data, FREQUENCY).find_places("x").tolist() == [1.0, 0.0, 2.0, 3.0]


def test_levels_stand_in_the_order_of_a_number_that_goes_with_them():
    data = table(nominal("x", [0, 1, 2, 3] * 3), numeric("y", [5, 1, 9, 3, 6, 1, 9, 2, 5, 0, 8, 3]))
    assert in_a_row(LevelOrder(data).find_places("x")) == [1, 3, 0, 2]


def test_levels_stand_beside_those_that_share_levels_of_another_column():
    """0 and 2 go with the first level of the other column, 1 and 3 with the second."""
    data = table(nominal("x", [0, 1, 2, 3] * 5), nominal("z", [0, 1, 0, 1] * 4 + [0, 1, 1, 0]))
    places = LevelOrder(data).find_places("x")
    assert abs(places[0] - places[2]) == 1
    assert abs(places[1] - places[3]) == 1


def test_the_order_of_the_rows_and_the_direction_of_numbers_do_not_matter():
    rng = np.random.default_rng(4)
    codes, other = rng.integers(0, 6, 300), rng.integers(0, 3, 300)
    number = codes * 3 % 7 + rng.normal(0, 1, 300)
    one = LevelOrder(table(nominal("x", codes), nominal("z", other), numeric("y", number)))
    rows = rng.permutation(300)
    variables = nominal("x", codes[rows]), nominal("z", other[rows]), numeric("y", -number[rows])
    two = LevelOrder(table(*variables))
    assert one.find_places("x").tolist() == two.find_places("x").tolist()


def test_what_levels_are_called_does_not_matter():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 6, 300)
    number = codes * 3 % 7 + rng.normal(0, 1, 300)
    renamed = np.array([3, 5, 0, 1, 4, 2])
    one = LevelOrder(table(nominal("x", codes), numeric("y", number))).find_places("x")
    two = LevelOrder(table(nominal("x", renamed[codes]), numeric("y", number))).find_places("x")
    assert two[renamed].tolist() == one.tolist()


def test_a_rare_pair_of_levels_does_not_make_the_axis():
    """One row has a level of its own in both columns, which says nothing of the other levels."""
    codes, number = np.append(np.tile([0, 1, 2], 200), 3), np.append(np.tile([5, 1, 3], 200), 3)
    other = np.append(np.zeros(600, int), 1)
    data = table(nominal("x", codes), nominal("z", other), numeric("y", number))
    assert in_a_row(LevelOrder(data).find_places("x")[:3]) == [0, 2, 1]


def test_infinite_and_missing_numbers_are_ranks_and_nothing():
    number = np.array([np.inf, 1, 3, np.inf, -np.inf, 3, np.nan, 0, 2])
    data = table(nominal("x", [0, 1, 2] * 3), numeric("y", number))
    assert in_a_row(LevelOrder(data).find_places("x")) == [0, 2, 1]


# what is put in order by frequency all the same


def test_two_levels_do_not_need_other_columns():
    data = table(nominal("x", [0, 1, 1] * 4), numeric("y", [1, 2, 3] * 4))
    order = LevelOrder(data)
    assert not order.needs_others("x")
    assert order.find_places("x").tolist() == [1.0, 0.0]


def test_a_column_alone_is_in_order_of_frequency():
    data = table(nominal("x", [2, 0, 1, 1, 3, 1, 2, 2, 2]))
    assert LevelOrder(data).find_places("x").tolist() == [2.0, 1.0, 0.0, 3.0]


def test_very_many_levels_are_in_order_of_frequency(monkeypatch):
    monkeypatch.setattr(ordered_levels, "MOST_COMPARED", 3)
    data = table(nominal("x", [0, 1, 2, 3] * 3), numeric("y", [5, 1, 9, 3, 6, 1, 9, 2, 5, 0, 8, 3]))
    assert LevelOrder(data).find_places("x").tolist() == [0.0, 1.0, 2.0, 3.0]


def test_frequencies_are_those_of_the_whole_column_in_every_block():
    data = table(nominal("x", [0, 1, 1, 2, 2, 2, 0, 0, 0, 0]))
    block = data.block(np.array([1, 2, 3, 6]))
    whole = LevelOrder(data, FREQUENCY).find_places("x")
    assert LevelOrder(block, FREQUENCY).find_places("x").tolist() == whole.tolist() == [0, 2, 1]


@pytest.mark.parametrize("by", ordered_levels.ORDERS)
@given(
    rows=st.lists(
        st.tuples(st.integers(-1, 6), st.integers(-1, 3), st.sampled_from([np.nan, 0.0, 1.0, 5.0])),
        min_size=1,
        max_size=40,
    )
)
def test_each_level_that_occurs_has_one_place(by, rows):
    codes, other, number = zip(*rows, strict=True)
    data = table(nominal("x", codes, 7), nominal("z", other, 4), numeric("y", number))
    places = LevelOrder(data, by).find_places("x")
    found = np.unique([code for code in codes if code >= 0])
    assert np.flatnonzero(~np.isnan(places)).tolist() == found.tolist()
    assert sorted(places[found.astype(int)].tolist()) == list(range(len(found)))


# wide tables


def test_of_many_other_columns_some_are_looked_at(monkeypatch):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, 60)
    others = [numeric(f"x{j}", codes + rng.normal(size=60)) for j in range(50)]
    data = table(*others[:20], nominal("x", codes), *others[20:])
    whole = LevelOrder(data).find_places("x")
    monkeypatch.setattr(ordered_levels, "MOST_OTHERS", 7)
    looked_at = []
    plain = ordered_levels._rank
    monkeypatch.setattr(ordered_levels, "_rank", lambda v: looked_at.append(v.name) or plain(v))
    assert in_a_row(LevelOrder(data).find_places("x")) == in_a_row(whole)
    assert looked_at == ["x0", "x7", "x14", "x21", "x28", "x35", "x42"]
