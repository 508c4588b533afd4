from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.app.case import ATTACK, TABLE, Case
from swapmeet.tables.role import Role

NAMES = st.text()
LINES = st.lists(NAMES, max_size=3).map(tuple)
CASES = st.builds(
    Case,
    key=NAMES,
    name=NAMES,
    source=NAMES,
    uploaded=st.booleans(),
    opened=st.floats(allow_nan=False, allow_infinity=False),
    reading=st.dictionaries(st.sampled_from(["delimiter", "encoding"]), NAMES),
    proposed=st.booleans(),
    roles=st.dictionaries(NAMES, st.sampled_from(list(map(str, Role)))),
    kinds=st.dictionaries(NAMES, st.sampled_from(["numeric", "ordinal", "nominal"])),
    publish=LINES,
    missing=LINES,
    recode=LINES,
    together=LINES,
    derive=LINES,
    rule=LINES,
    whole_households=st.booleans(),
    intruder=NAMES,
    known=st.none() | LINES,
    limits=st.none() | st.dictionaries(NAMES, st.floats(0.0, 1.0)),
    candidate=st.none() | st.integers(1, 100),
    reason=NAMES,
    revision=st.integers(0, 100),
)
PLAIN = Case(name="a.csv", source="/a.csv")


def store(case):
    return Case.from_dict(json.loads(json.dumps(case.to_dict())))


@given(CASES)
def test_what_is_kept_comes_back(case):
    assert store(case) == case


@given(CASES)
def test_the_question_is_the_same_after_it_was_kept(case):
    assert json.loads(json.dumps(case.question)) == store(case).question


def test_fields_of_a_later_version_are_passed_over():
    assert Case.from_dict({**PLAIN.to_dict(), "later": 1}) == PLAIN


CHANGES = {
    "reading": {"delimiter": ";"},
    "roles": {"age": "sensitive"},
    "kinds": {"age": "ordinal"},
    "publish": ("id",),
    "missing": ("age:-9",),
    "recode": ("age: top 80",),
    "together": ("a,b",),
    "derive": ("a = b + c",),
    "rule": ("age >= 18",),
    "whole_households": True,
    "intruder": "insider",
    "known": ("age",),
    "limits": {"linkage": 0.1},
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_question_changes_with_what_figures_depend_on(name):
    assert PLAIN.change(**{name: CHANGES[name]}).question != PLAIN.question


def test_each_part_of_the_question_is_tried_above():
    assert set(CHANGES) == {*TABLE, *ATTACK}


@pytest.mark.parametrize("change", [{"candidate": 1}, {"reason": "why"}, {"proposed": True}])
def test_the_question_does_not_change_with_the_decision(change):
    assert PLAIN.change(**change).question == PLAIN.question


@given(CASES, CASES)
def test_a_case_under_a_former_question_asks_it_again(case, other):
    asked = case.under(other.question)
    assert asked.question == other.question
    assert (asked.name, asked.reason) == (case.name, case.reason)


def test_a_change_counts():
    assert PLAIN.change(reason="why").revision == 1


@given(CASES)
def test_no_change_does_not_count(case):
    assert case.change(roles=dict(case.roles), reason=case.reason) == case


def test_what_was_chosen_comes_before_the_guess():
    case = PLAIN.change(roles={"age": "drop"})
    assert (case.role_of("age", "key"), case.role_of("sex", "key")) == ("drop", "key")
    assert case.having(Role.DROP) == ["age"]
