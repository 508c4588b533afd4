from __future__ import annotations

import pytest

from swapmeet.methods import METHODS
from swapmeet.reporting.told import TOLD, told


@pytest.mark.parametrize("name", METHODS)
def test_what_may_be_told_of_each_method_is_decided(name):
    assert set(TOLD[name]) <= {parameter.name for parameter in METHODS[name].parameters()}


def test_nothing_exact_is_told():
    [often, many] = told("rwn", {"k": 37, "q": 0.874, "weights": {"age": 0.31}})
    assert often["value"] == "in about 9 of 10 cases"
    assert many["value"] == "some tens"


def test_settings_of_one_bracket_are_told_alike():
    assert told("sjppds", {"bins": 11}) == told("sjppds", {"bins": 99})
    assert told("sjppds", {"bins": 9}) != told("sjppds", {"bins": 10})


def test_widths_by_column_are_told_by_the_finest():
    assert told("mews", {"bins": {"age": 3, "income": 40}})[0]["value"] == "some tens"


def test_a_window_is_never_told():
    assert not any("0.17" in row["value"] for row in told("rank-swap", {"window": 0.17, "top": 0}))


def test_parameters_that_were_not_given_are_not_told():
    assert told("mews", {"rest": "keep"}) == []
    assert told("a method from elsewhere", {"k": 5}) == []
