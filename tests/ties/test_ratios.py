from __future__ import annotations

import numpy as np
import pandas as pd

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.tables.frame import Table
from swapmeet.ties.ratios import find_ratios

RNG = np.random.default_rng(7)


def findings(**columns):
    table = Table(pd.DataFrame(columns))
    return list(find_ratios(Columns(table, sm.Schema.guess(table, {})), ()))


def ratios(**columns):
    return [one.about for one in findings(**columns)]


def test_the_body_mass_index_in_metres_and_centimetres():
    metres, kilos = RNG.normal(1.7, 0.1, 300).round(2), RNG.normal(70, 9, 300).round(1)
    bmi = (kilos / metres**2).round(1)
    assert ratios(kilos=kilos, metres=metres, bmi=bmi) == ["bmi = kilos / metres ** 2"]
    cm = (metres * 100).round()
    assert ratios(kilos=kilos, cm=cm, bmi=bmi) == ["bmi = 10000 * kilos / cm ** 2"]


def test_price_times_amount():
    price, amount = RNG.integers(100, 9_999, 300) / 100, RNG.integers(1, 200, 300)
    value = (price * amount).round(2)
    assert ratios(price=price, amount=amount, value=value) == ["value = price * amount"]


def test_a_few_exceptions_leave_a_rest():
    price, amount = RNG.integers(100, 9_999, 300) / 100, RNG.integers(1, 200, 300)
    value = (price * amount).round(2)
    value[7] *= 2.0
    (found,) = findings(price=price, amount=amount, value=value)
    assert (found.rows, found.reason) == (299, "in 299 of 300 rows")
    assert found.options == ("--derive", "value = price * amount + rest")


def test_a_quotient_of_numbers_that_were_rounded_later_is_found():
    metres, kilos = RNG.normal(1.7, 0.1, 900), RNG.normal(70, 9, 900)
    bmi = (kilos / metres**2).round(1)
    (found,) = findings(kilos=kilos.round(1), metres=metres.round(2), bmi=bmi)
    assert found.columns == ("bmi", "kilos", "metres")
    assert "up to rounding" in found.reason
    assert found.options == ("--derive", "bmi = kilos / metres ** 2 + rest")


def test_a_column_that_is_mostly_one_says_nothing_of_a_product():
    price, size = RNG.integers(100, 9_999, 300) / 100, np.where(RNG.random(300) < 0.05, 2, 1)
    assert ratios(price=price, size=size, value=np.where(size > 1, price + 9, price)) == []


def test_columns_at_random_are_no_ratios():
    assert ratios(**{name: RNG.lognormal(size=300).round(2) for name in "abcdef"}) == []


def test_numbers_near_the_largest_double_are_looked_at_without_a_word():
    huge = np.append(RNG.random(30), RNG.random(30) * 1.7e308)
    assert ratios(a=huge, b=RNG.random(60), c=RNG.random(60)) == []
