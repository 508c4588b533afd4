from __future__ import annotations

import pytest

from swapmeet.app.intruders import PERSONAS, USUAL, find_level, find_persona, usually_known
from swapmeet.comparison.knowledge import Knowledge
from swapmeet.tables.role import Role

ROLES = {
    "id": "drop", "age": "key", "region": "place", "income": "sensitive", "house": "household",
    "w": "weight", "total": "derived", "stratum": "strata",
}  # fmt: skip


def test_each_kind_of_knowledge_has_its_intruder():
    assert {persona.level for persona in PERSONAS} == set(Knowledge)
    assert len({persona.key for persona in PERSONAS}) == len(PERSONAS)


@pytest.mark.parametrize("key", ["", "nobody", USUAL])
def test_an_unknown_intruder_is_the_usual_one(key):
    assert find_persona(key).key == USUAL


@pytest.mark.parametrize(
    ("key", "level"),
    [("acquaintance", "target"), ("register", "keys"), ("insider", "everything")],
)
def test_intruders_know_what_their_story_says(key, level):
    assert find_level(key) == level


@pytest.mark.parametrize("key", ["acquaintance", "register"])
def test_others_know_keys_and_places(key):
    assert usually_known(find_persona(key), ROLES) == ["age", "region"]


def test_an_insider_knows_all_that_is_published_but_numbers_given_anew():
    known = ["age", "region", "income", "w", "total", "stratum"]
    assert usually_known(find_persona("insider"), ROLES) == known


def test_without_keys_all_that_is_masked_is_known():
    assert usually_known(find_persona("register"), {"a": "sensitive", "b": "keep"}) == ["a"]


@pytest.mark.parametrize("persona", PERSONAS, ids=lambda one: one.key)
def test_what_is_not_published_is_not_known(persona):
    assert usually_known(persona, dict.fromkeys("ab", str(Role.DROP))) == []
