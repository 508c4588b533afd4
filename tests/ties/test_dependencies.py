from __future__ import annotations

import numpy as np
import pandas as pd

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.tables.frame import Table
from swapmeet.ties.dependencies import find_dependencies, find_orders

RNG = np.random.default_rng(5)
AGE = RNG.integers(0, 90, 800)


def together(frame, household=None, leave_out=()):
    table = Table(frame)
    columns = Columns(table, sm.Schema.guess(table, {}))
    return [one.columns for one in find_dependencies(columns, leave_out, household)]


def test_groups_of_ages_belong_to_ages():
    frame = pd.DataFrame({"group": AGE // 10, "age": AGE, "adult": AGE >= 18})
    assert together(frame) == [("age", "group", "adult")]


def test_codes_and_labels_say_the_same_twice():
    code = RNG.integers(0, 5, 800)
    frame = pd.DataFrame({"code": code, "label": np.array(list("vwxyz"))[code]})
    assert together(frame) == [("code", "label")]


def test_intervals_of_numbers_that_never_repeat_are_groups():
    income = RNG.lognormal(10, 1, 800)
    frame = pd.DataFrame({"income": income, "class": np.digitize(income, [1e4, 3e4, 6e4])})
    assert together(frame) == [("income", "class")]


def findings(frame):
    table = Table(frame)
    return list(find_dependencies(Columns(table, sm.Schema.guess(table, {})), (), None))


def test_what_has_a_few_exceptions_is_found_with_their_number():
    group = AGE // 10
    group[[5, 70, 600]] += 1
    (found,) = findings(pd.DataFrame({"age": AGE, "group": group}))
    assert found.columns == ("age", "group")
    assert (found.rows, found.reason) == (797, "in 797 of 800 rows")
    assert found.options == ("--together", "age,group")
    assert [one.text for one in found.ties] == ["group follows from age"]


def test_what_has_many_exceptions_is_none():
    group = np.where(RNG.random(800) < 0.1, 0, AGE // 10)
    assert together(pd.DataFrame({"age": AGE, "group": group})) == []


def test_a_column_that_nearly_always_says_the_same_follows_from_nothing():
    rare = (RNG.random(800) < 0.02).astype(int)
    assert together(pd.DataFrame({"age": AGE, "rare": rare})) == []


def test_what_follows_from_a_follower_is_found_too():
    age = AGE // 2
    born, group = 2_023_000 - age * 1_000 - RNG.integers(0, 1_000, 800), age // 10
    group[5] += 1
    frame = pd.DataFrame({"born": born, "age": age, "group": group})
    assert together(frame) == [("born", "age"), ("age", "group")]


def test_numbers_that_never_repeat_determine_nothing_by_chance():
    frame = pd.DataFrame({"income": RNG.normal(size=800), "sex": RNG.integers(0, 2, 800)})
    assert together(frame) == []


def test_what_a_household_shares_does_not_follow_from_its_rent():
    home = np.repeat(np.arange(200), 4)
    rent, water = RNG.normal(900, 200, 200).round(2), RNG.integers(0, 2, 200)
    frame = pd.DataFrame({"hid": home, "rent": rent[home], "water": water[home], "age": AGE})
    assert together(frame, household="hid", leave_out=["hid"]) == []


def test_a_rare_value_that_one_group_has_alone_is_chance():
    rare = np.zeros(800, int)
    rare[0] = 1
    assert together(pd.DataFrame({"age": AGE, "rare": rare})) == []


START = pd.Timestamp("2023-01-01")


def days(numbers):
    return START + pd.to_timedelta(numbers, unit="D")


def orders(**columns):
    table = Table(pd.DataFrame(columns))
    return list(find_orders(Columns(table, sm.Schema.guess(table, {})), ()))


ADMIT = RNG.integers(0, 365, 600)
STAY = RNG.geometric(0.2, 600)


def test_nobody_is_discharged_before_admission():
    (found,) = orders(admit=days(ADMIT), discharge=days(ADMIT + STAY))
    assert found.about == "discharge is not before admit"
    assert (found.rows, found.reason) == (600, "in all 600 rows that have both")
    assert found.options == ("--derive", "discharge = admit + rest")
    assert [one.text for one in found.ties] == ["admit <= discharge"]


def test_a_few_rows_may_be_wrong():
    late = np.where(np.arange(600) < 5, ADMIT - 3, ADMIT + STAY)
    (found,) = orders(admit=days(ADMIT), discharge=days(late))
    assert (found.rows, found.reason) == (595, "in 595 of 600 rows")
    assert found.options == ("--derive", "discharge = admit + rest")


def test_dates_far_apart_are_kept_in_order_by_a_rule():
    first = RNG.integers(0, 3_000, 600)
    second = first + RNG.integers(0, 3_000 - first + 1)
    (found,) = orders(first=days(first), last=days(second))
    assert found.options == ("--rule", "first <= last")


def test_a_chain_of_dates_is_told_link_by_link():
    found = orders(a=days(ADMIT), b=days(ADMIT + STAY), c=days(ADMIT + STAY + STAY[::-1]))
    assert [one.columns for one in found] == [("b", "a"), ("c", "b")]


def test_dates_in_no_order_and_those_that_cannot_be_otherwise_are_none():
    assert orders(a=days(ADMIT), b=days(ADMIT[::-1])) == []
    assert orders(a=days(ADMIT), b=days(ADMIT[::-1] + 400)) == []
