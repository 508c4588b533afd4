from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.inspecting.units import (
    find_positions,
    find_sizes,
    find_units,
    list_unit_columns,
    name_unit,
)
from swapmeet.tables.frame import Table
from swapmeet.tables.role import Role


def see(frame):
    table = Table(frame)
    return Columns(table, sm.Schema.guess(table, {}))


def make_homes(name, homes=60, size=3, seed=2):
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(homes), size)
    return pd.DataFrame(
        {
            name: home,
            "rooms": rng.integers(1, 8, homes)[home],
            "water": rng.choice(["yes", "no"], homes)[home],
            "age": rng.integers(0, 90, homes * size),
            "size": size,
        }
    )


def test_a_number_without_a_telling_name_is_known_by_what_its_rows_share():
    columns = see(make_homes("v1"))
    assert name_unit(columns, Role.HOUSEHOLD) == "v1"
    (found,) = find_units(columns)
    assert found.options == ("--household", "v1")
    assert "60 distinct values in 180 rows; rows with the same value are adjacent" in found.reason
    assert list_unit_columns(columns, "v1") == ["rooms", "water"]


def test_what_is_the_same_inside_is_listed_and_the_rest_counted():
    homes = make_homes("v1").assign(**{f"v{at}": lambda data: data["rooms"] for at in range(2, 8)})
    (found,) = find_units(see(homes))
    assert found.reason.endswith("; the same inside each: rooms, water, v2, v3 and 4 more")


def test_numbers_of_households_are_a_finding_and_no_concern():
    found = sm.inspect(make_homes("household_id"))
    assert any(one.is_unit for one in found.findings)
    assert [column.name for column in found.columns if column.concern] == []


def test_shuffled_rows_need_a_name():
    shuffled = make_homes("v1").sample(frac=1, random_state=1)
    assert name_unit(see(shuffled), Role.HOUSEHOLD) is None
    assert name_unit(see(shuffled.rename(columns={"v1": "HH-ID"})), Role.HOUSEHOLD) == "HH-ID"


def test_ages_in_order_are_no_households():
    people = make_homes("v1").sort_values("age").drop(columns=["v1", "size"])
    assert name_unit(see(people), Role.HOUSEHOLD) is None


@pytest.mark.parametrize("name", ["hh_income", "hhsize", "household_type"])
def test_what_is_said_of_households_is_not_their_number(name):
    frame = make_homes("v1").rename(columns={"rooms": name}).drop(columns="v1")
    assert name_unit(see(frame), Role.HOUSEHOLD) is None


def test_persons_with_several_rows_are_found_by_name():
    events = make_homes("patient_id").drop(columns="size")
    (found,) = find_units(see(events))
    assert found.options == ("--person", "patient_id")


def test_numbers_that_count_persons_inside_a_household_are_no_persons():
    homes = make_homes("v1").assign(person_no=np.tile(np.arange(1, 13), 15))
    assert name_unit(see(homes), Role.PERSON) is None


def test_the_position_has_one_head_in_each_household():
    homes = make_homes("hid").assign(relation=["head", "partner", "child"] * 60)
    (found,) = find_positions(see(homes), "hid")
    assert found.options == ("--position", "relation")
    two_heads = homes.assign(relation=["head", "head", "child"] * 30 + ["child"] * 90)
    assert not list(find_positions(see(two_heads), "hid"))


def test_the_number_of_rows_of_a_household_is_known_to_all():
    (found,) = find_sizes(see(make_homes("hid")), "hid")
    assert found.options == ("--keep", "size")


@pytest.mark.parametrize(("trait", "role"), [("sex", Role.PERSON), ("water", Role.HOUSEHOLD)])
def test_rows_of_one_sex_are_those_of_a_person(trait, role):
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(80), 3)
    visits = pd.DataFrame(
        {
            "patient": unit,
            trait: rng.integers(0, 2, 80)[unit],
            "town": rng.integers(0, 9, 80)[unit],
            "cost": rng.normal(size=240),
        }
    )
    (found,) = find_units(see(visits))
    assert found.options == (f"--{role}", "patient")


def test_persons_in_several_households_keep_their_own_rows_together():
    person = np.repeat(np.arange(60), 4)
    homes = np.where(np.arange(240) == 7, 20, person // 3)
    frame = pd.DataFrame({"hhid": homes, "pid": person, "sex": person % 2})
    home, person = find_units(see(frame))
    assert home.options == ("--drop", "hhid")
    assert "1 person with several rows is in more than one household" in home.reason
    assert person.options == ("--person", "pid")
    table = Table(frame)
    given = Columns(table, sm.Schema.guess(table, {}).assign(household=["hhid"]))
    assert [one.options for one in find_units(given)] == [("--drop", "pid")]
