from __future__ import annotations

import re

import pytest

import swapmeet as sm
from swapmeet.methods import METHODS
from swapmeet.reporting.plain_words import WORDS, people, words_of

EXAMPLES = {
    **{name: {} for name in METHODS},
    "nbrs": {"eps": 0.37},
    "per-column": sm.PerColumn(
        parts=[(sm.RWN(k=17, q=0.83), ["age"]), (sm.Noise(), ["income", "wage"])]
    ).settings(),
}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_words_for_the_people_in_the_data(name):
    told = people(name, EXAMPLES[name])
    assert told[0].isupper()
    assert told.endswith(".")
    assert "your" in told or "You" in told
    assert not any(letter.isdigit() for letter in re.sub(r"about \d of 10 cases", "", told))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_a_title_and_words_for_analysts(name):
    assert WORDS[name].title
    assert WORDS[name].analysts.endswith(".")


@pytest.mark.parametrize("name", METHODS)
def test_settings_of_the_method_itself_are_understood(name):
    if name != "per-column":
        required = {"eps": 0.5} if name == "nbrs" else {}
        assert people(name, METHODS[name](**required).settings())


def test_a_chance_below_one_is_told_as_the_paper_asks():
    assert "replaced, in about 8 of 10 cases, by that of a person" in people("rwn", {"q": 0.8})
    assert "cases" not in people("rwn", {"q": 1.0})


def test_swaps_and_means_are_told_apart():
    assert "average" in people("microaggregation", {"k": 3})
    assert "average" not in people("microaggregation", {"k": 3, "permute": True})
    assert "same values" not in people("microaggregation", {"k": 3, "by": "columns"})


def test_parts_are_told_with_their_columns():
    told = people("per-column", EXAMPLES["per-column"])
    assert "As for age: Each of your values was replaced" in told
    assert "As for income and wage: A random number" in told


def test_a_method_from_elsewhere_has_general_words():
    assert people("mine", {}) == people(None, {})
    assert words_of("mine").title == "a masking method"
