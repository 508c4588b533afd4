from __future__ import annotations

import numpy as np

from swapmeet.intruders.evidence import Evidence
from swapmeet.methods.ordered_levels import order_known_levels, order_levels
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
