from __future__ import annotations

import numpy as np
import pandas as pd

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.tables.frame import Table
from swapmeet.ties.orders import find_orders

RNG = np.random.default_rng(5)
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
