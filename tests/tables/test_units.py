"""Rows that belong together."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.tables.frame import Table
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Schema
from swapmeet.tables.units import Units, divide_strata, find_levels, list_household_types
from swapmeet.testing.examples import make_household_example

NUMBERS = st.lists(st.integers(0, 5), min_size=1, max_size=30)


def number(units: list[int]) -> Units:
    return Units(np.unique(units, return_inverse=True)[1].astype(np.int64))


@given(NUMBERS, st.randoms(use_true_random=False))
def test_donors_of_a_unit_are_rows_of_one_unit(numbers, random):
    units = number(numbers)
    donors = np.array([random.randrange(units.count) for _ in range(units.count)])
    rows = units.spread(donors)
    assert (units.of_row[rows] == donors[units.of_row]).all()


@given(NUMBERS)
def test_units_that_keep_their_own_keep_it_row_by_row(numbers):
    units = number(numbers)
    assert units.spread(np.arange(units.count)).tolist() == list(range(len(numbers)))


@given(NUMBERS)
def test_a_unit_as_large_gives_every_row_once(numbers):
    units = number(numbers + numbers)
    rows = units.spread(np.arange(units.count)[::-1])
    for unit in range(units.count):
        if units.sizes[unit] == units.sizes[units.count - 1 - unit]:
            given_by = rows[units.of_row == unit]
            assert len(set(given_by.tolist())) == len(given_by)


def test_marks_of_suppressed_and_made_values_stay():
    assert Units(np.array([0, 0, 1])).spread(np.array([-1, -2])).tolist() == [-1, -1, -2]


def test_members_are_ordered_by_rank():
    units = Units(np.array([0, 0, 0, 1]), np.array([2, 0, 1, 0]))
    assert units.member.tolist() == [2, 0, 1, 0]
    assert units.first.tolist() == [1, 3]


def test_a_missing_value_is_a_value():
    units = Units(np.array([0, 0, 1, 1]))
    assert units.is_constant(np.array([np.nan, np.nan, 1.0, 1.0]))
    assert units.count_mixed(np.array([np.nan, 2.0, 1.0, 1.0])) == 1
    assert units.count_mixed(np.array([2.0, np.nan, 1.0, 3.0])) == 2


def test_rows_of_units_are_listed_in_order():
    assert Units(np.array([1, 0, 1, 2])).list_rows(np.array([2, 1])).tolist() == [0, 2, 3]


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


ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=60)


def divide(rows, fewest):
    strata, position = (np.array(column) for column in zip(*rows, strict=True))
    return divide_strata(strata.astype(np.int32), position, fewest), strata, position


def test_positions_that_are_large_enough_stay_apart():
    divided, *_ = divide([(0, 0)] * 5 + [(0, 1)] * 5 + [(1, 0)] * 5, 5)
    assert np.bincount(divided.labels).tolist() == [5, 5, 5]
    assert divided.small == ()


def test_small_positions_become_one_and_take_the_next_larger_only_where_they_must():
    rows = [(0, 0)] * 9 + [(0, 1)] * 4 + [(0, 2)] * 2 + [(0, 3)]
    assert np.bincount(divide(rows, 3)[0].labels).tolist() == [9, 4, 3]
    found = divide(rows, 4)[0]
    assert np.bincount(found.labels).tolist() == [9, 7]
    assert (found.small, found.joined, found.apart) == ((2, 1), (7,), 4)


@given(ROWS, st.integers(1, 12))
def test_every_stratum_has_enough_unless_it_has_too_few_as_a_whole(rows, fewest):
    divided, strata, _ = divide(rows, fewest)
    sizes = np.bincount(divided.labels)
    assert (sizes > 0).all()
    for label, size in enumerate(sizes):
        (stratum,) = set(strata[divided.labels == label])
        assert size >= fewest or size == (strata == stratum).sum()


@given(ROWS, st.integers(1, 12))
def test_nobody_of_one_position_is_parted_and_order_does_not_matter(rows, fewest):
    divided, strata, position = divide(rows, fewest)
    pairs = set(zip(strata, position, divided.labels, strict=True))
    assert len(pairs) == len(set(rows))
    again = divide(rows[::-1], fewest)[0]
    assert again.labels[::-1].tolist() == divided.labels.tolist()


HOUSEHOLDS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), min_size=1, max_size=40)


def read_households(rows, **roles):
    data = pd.DataFrame(rows, columns=["household", "position"])
    data["x"] = np.arange(len(data)) * 1.0
    data["shared"] = data["household"] * 2.0
    schema = Schema.guess(data, {}).assign(household="household", numeric=["x"], **roles)
    return Microdata.of(Table(data), schema)


@given(HOUSEHOLDS)
def test_types_have_all_rows_once_and_one_sequence_of_positions_each(rows):
    data = read_households(rows, position="position")
    types = list_household_types(data)
    members = np.concatenate([kind.members.ravel() for kind in types])
    assert sorted(members.tolist()) == list(range(len(rows)))
    sequences = set()
    for kind in types:
        assert (data.household[kind.members] == data.household[kind.members[:, :1]]).all()
        found = {tuple(line) for line in data.position[kind.members].tolist()}
        assert len(found) == 1
        assert not found & sequences
        sequences |= found


def test_without_positions_households_of_one_size_are_alike():
    types = list_household_types(
        read_households([(0, 1), (0, 2), (1, 0), (1, 0), (2, 0)], keep="position")
    )
    assert [kind.members.shape for kind in types] == [(2, 2), (1, 1)]


def test_a_column_of_persons_has_a_column_for_each_member():
    kind = list_household_types(read_households([(0, 1), (0, 2), (1, 0), (1, 0)], keep="position"))[
        0
    ]
    wide = kind.widen()
    assert wide.names == ("x", "x of member 2", "shared")
    assert wide["x of member 2"].values.tolist() == [1.0, 3.0]
    assert wide.together == (("x", "x of member 2"),)
    assert wide.household is None


def test_rows_take_from_the_member_in_their_place():
    kind = list_household_types(read_households([(0, 1), (0, 2), (1, 0), (1, 0)], keep="position"))[
        0
    ]
    assert kind.spread(np.array([1, -1])).tolist() == [[2, 3], [-1, -1]]
