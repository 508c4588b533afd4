from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.inspecting.columns import Columns
from swapmeet.inspecting.findings import find_weights
from swapmeet.tables.frame import Table

RNG = np.random.default_rng(4)
GAMMA = RNG.gamma(5, 40, 500)
KILOS = RNG.normal(72, 12, 500).round(1)


def weights(household=None, **columns):
    table = Table(pd.DataFrame(columns))
    found = find_weights(Columns(table, sm.Schema.guess(table, {})), household)
    return [one.columns[0] for one in found]


@pytest.mark.parametrize("name", ["fnlwgt", "design_weight", "PERWT", "Hochrechnungsfaktor"])
def test_names_that_only_weights_have(name):
    assert weights(**{name: GAMMA.round()}) == [name]


def test_weights_of_bodies_are_none():
    assert weights(weight=KILOS) == []
    assert weights(weight=KILOS / 0.4536, height=KILOS) == []
    assert weights(birth_weight=GAMMA * 20) == []


def test_weights_of_a_mean_of_one_are_known_even_beside_heights():
    assert weights(weight=GAMMA / GAMMA.mean(), height=KILOS) == ["weight"]


def test_a_weight_that_a_household_shares_is_one():
    home = np.repeat(np.arange(100), 5)
    assert weights("hid", hid=home, weight=KILOS[home]) == ["weight"]


def test_negative_numbers_zeros_and_constants_are_none():
    assert weights(wgt=np.append(GAMMA[1:], -1.0)) == []
    assert weights(wgt=np.append(GAMMA[1:], 0.0)) == []
    assert weights(weight=np.ones(500)) == []


def test_a_constant_is_a_weight_where_its_name_leaves_no_doubt():
    assert weights(sampling_weight=np.ones(500)) == ["sampling_weight"]


def test_a_number_divided_by_the_size_of_households_is_none():
    sizes = np.repeat(RNG.integers(1, 6, 100), 5)
    assert weights(weight=100 / sizes) == []
    home = np.repeat(np.arange(100), np.arange(100) % 4 + 1)
    size = np.bincount(home)[home]
    assert weights("hid", hid=home, weight=50 / size) == []


def test_single_precision_is_no_reason_to_be_a_weight():
    assert weights(weight=KILOS.astype("float32")) == []
    assert weights(weight=(GAMMA / 7).astype("float32")) == ["weight"]


def test_a_weight_with_gaps_is_kept_as_it_is():
    table = Table(pd.DataFrame({"wgt": np.append(GAMMA[2:], [np.nan, np.nan])}))
    (found,) = find_weights(Columns(table, sm.Schema.guess(table, {})), None)
    assert found.options == ("--keep", "wgt")
    assert "2 rows have none" in found.reason


def test_rows_with_a_weight_nobody_else_has_are_counted():
    table = Table(pd.DataFrame({"wgt": [1.5] * 40 + [2.0, 3.0, 4.0]}))
    (found,) = find_weights(Columns(table, sm.Schema.guess(table, {})), None)
    assert "and 3 are unique" in found.reason
