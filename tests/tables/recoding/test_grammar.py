"""From the text of a step to the step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.errors import ParameterError
from swapmeet.tables.recoding.recode import (
    WORDS,
    Recode,
    parse_step,
    split_column,
)
from swapmeet.tables.recoding.steps import (
    Bound,
    Coarsen,
    Cut,
    GroupRare,
    GroupValues,
    Round,
    SuppressBeyond,
    SuppressRare,
    SuppressValues,
)

UNDERSTOOD = {
    "top 80": Bound("top", "80"),
    "bottom -1.5e3": Bound("bottom", "-1.5e3"),
    "round 1000": Round("1000"),
    "cut 0, 18, 30": Cut(("0", "18", "30")),
    "month": Coarsen("month"),
    "group never married, widowed = single; married = couple": GroupValues(
        (("single", ("never married", "widowed")), ("couple", ("married",)))
    ),
    "group a = b;": GroupValues((("b", ("a",)),)),
    'group "a, b", \'c = d\' = "e;"': GroupValues((("e;", ("a, b", "c = d")),)),
    "group don't know = missing": GroupValues((("missing", ("don't know",)),)),
    "group rare 5 = other": GroupRare(5, "other"),
    'group "rare 5" = other': GroupValues((("other", ("rare 5",)),)),
    "suppress >= 1e6": SuppressBeyond(">=", "1e6"),
    "suppress < 1920-01-01": SuppressBeyond("<", "1920-01-01"),
    "suppress rare 5": SuppressRare(5),
    "suppress a, b": SuppressValues(("a", "b")),
    "suppress = a": SuppressValues(("a",)),
}


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_a_step_is_understood(text):
    assert parse_step(text) == UNDERSTOOD[text]


@pytest.mark.parametrize(
    "text",
    ["top", "top 1, 2", "top > 3", "cut", "cut 1 2, , 3", "cut 1; 2", "group a", "group a = ",
     "group = b", "group a = b = c", "group a, = b", "suppress", "suppress >", "suppress > 1, 2",
     "month 3", "suppress rare x", "suppress rare 1", "suppress a, a", "group a = b; a = c",
     f"suppress rare {'9' * 5000}", "group rare 5 = b; c = d; rare 5 = e"],
)  # fmt: skip
def test_what_is_not_understood_is_refused_with_an_example(text):
    with pytest.raises(ParameterError, match=r"^recode: "):
        parse_step(text)


def test_an_unknown_step_names_those_there_are():
    with pytest.raises(ParameterError, match=r"no step 'tpo'; did you mean 'top'\?"):
        parse_step("tpo 3")


def test_a_column_with_a_colon_stands_in_quotes():
    assert split_column('"time: hour": top 3') == ("time: hour", "top 3")
    assert split_column(" age :top 3 ") == ("age", "top 3")


@pytest.mark.parametrize("text", ["age", "age:", ": top 3", "top 3", ""])
def test_a_text_without_column_or_step_is_refused(text):
    with pytest.raises(ParameterError, match="write COLUMN: STEP"):
        Recode.parse(text)


def test_something_else_than_a_text_is_refused_unread():
    with pytest.raises(ParameterError, match="got a dict"):
        Recode.parse({"age": "top 80"})


@given(st.text(alphabet="age: top80,;=<>'\"rsupi()_.\n", max_size=30) | st.text(max_size=20))
def test_any_text_is_a_step_or_refused(text):
    """Nothing is executed, and nothing but a refusal is raised."""
    try:
        found = Recode.parse(text)
    except ParameterError:
        return
    assert found.column
    assert any(found.text.split(":")[-1].strip() or word for word in WORDS)
    assert Recode.parse(found.text) == found


def test_words_name_bounds_and_count_values():
    assert Recode.parse("age: top 80").sentence.startswith("age was top-coded at 80")
    told = Recode.parse("job: suppress pilot, judge")
    assert told.sentence == "job was emptied of 2 named values"
    assert told.names_people
    assert not Recode.parse("job: suppress rare 5").names_people
