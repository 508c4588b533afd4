from __future__ import annotations

import pytest

from swapmeet.app.case import Case
from swapmeet.app.limits import LIMITED, list_limits, list_usual, settle_limits
from swapmeet.measures.default_limits import DEFAULT_LIMITS, UNIT_LIMITS
from swapmeet.measures.registry import RISKS


def make(**told):
    return Case(name="a.csv", source="/a.csv", **told)


def values(case):
    return {field.name: field.value for field in list_limits(case)}


HOUSES = make(roles={"house": "household"})


def test_all_limits_are_on_measures_of_risk():
    assert set(LIMITED) <= set(RISKS)
    assert set(DEFAULT_LIMITS) | set(UNIT_LIMITS) <= set(LIMITED)


def test_a_new_case_has_the_default_limits():
    assert values(make()) == {"linkage": "0.2", "copies": "0.01", "inference": "0.1",
                              "membership": ""}  # fmt: skip


def test_a_case_with_households_has_a_limit_on_them():
    assert values(HOUSES)["household-linkage"] == "0.2"
    assert "person-linkage" not in values(HOUSES)


def test_limits_that_were_set_are_shown():
    assert values(make(limits={"linkage": 0.05})) == {
        "linkage": "0.05", "copies": "", "inference": "", "membership": "",
    }  # fmt: skip


def test_no_limit_at_all_is_shown_as_such():
    assert set(values(make(limits={})).values()) == {""}


def test_what_is_usual_is_told_beside():
    told = {field.name: field.usual for field in list_limits(make(limits={}))}
    assert told == {"linkage": "0.2", "copies": "0.01", "inference": "0.1", "membership": "none"}


@pytest.mark.parametrize("case", [make(), HOUSES])
def test_the_form_sent_back_as_it_was_changes_nothing(case):
    sent = {field.name: float(field.value) for field in list_limits(case) if field.value}
    assert settle_limits(case, sent) is None


def test_a_limit_on_households_can_be_taken_away():
    kept = HOUSES.change(limits=settle_limits(HOUSES, dict(DEFAULT_LIMITS)))
    assert values(kept)["household-linkage"] == ""


def test_a_limit_of_its_own_stays():
    kept = HOUSES.change(limits=settle_limits(HOUSES, {**list_usual(HOUSES), "linkage": 0.1}))
    assert values(kept)["linkage"] == "0.1"
    assert values(kept)["household-linkage"] == "0.2"
