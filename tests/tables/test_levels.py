"""Which columns belong to households, persons and rows."""

import numpy as np

from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.units import find_levels
from swapmeet.testing.households import make_household_example


def read(example):
    return Microdata.of(Table(example.data), example.schema)


def test_a_column_belongs_to_the_coarsest_unit_in_which_it_is_constant():
    household, row = find_levels(read(make_household_example()))
    assert household.columns == ("region", "district", "water", "rooms", "income")
    assert row.columns == ("age", "sex", "wage")
    assert row.coarser == household.columns


def test_a_household_level_has_one_row_per_household():
    example = make_household_example()
    household, row = find_levels(read(example))
    homes = example.data["household"].nunique()
    assert household.reduce(read(example)).n == homes
    assert row.reduce(read(example)).n == len(example.data)


def test_persons_have_their_positions_and_households_none():
    example = make_household_example()
    household, row = find_levels(read(example))
    positions = row.reduce(read(example)).position
    assert len(set(zip(positions, example.data["position"], strict=True))) == 3
    assert household.reduce(read(example)).position is None


def test_a_level_of_some_rows_is_that_of_the_whole_table():
    data = read(make_household_example())
    rows = np.flatnonzero(data.household < 20)
    for level in find_levels(data):
        part = level.take(rows)
        assert part.columns == level.columns
        assert part.reduce(data.take(rows)).n == (20 if level.units else len(rows))


def test_places_belong_where_all_of_them_are_constant():
    example = make_household_example()
    data = example.data.assign(district=[f"D{i % 7}" for i in range(len(example.data))])
    levels = find_levels(Microdata.of(Table(data), example.schema))
    assert levels[-1].columns[:2] == ("region", "district")


def test_persons_with_the_same_number_in_two_households_are_two():
    example = make_household_example()
    data = example.data.assign(person=example.data.groupby("household").cumcount())
    from swapmeet.tables.schema import Schema

    schema = Schema.guess(data, {}).assign(household="household", person="person")
    found = Microdata.of(Table(data), schema)
    assert len(np.unique(found.person)) == len(data)
