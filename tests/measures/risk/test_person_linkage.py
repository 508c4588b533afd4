"""People with several rows, found by whoever knows all of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

import swapmeet as sm

PEOPLE = 150


def make_visits():
    """Visits that say little each, and a release of them with new numbers."""
    rng = np.random.default_rng(7)
    person = np.repeat(np.arange(PEOPLE), rng.integers(2, 6, PEOPLE))
    visits = pd.DataFrame({
        "pid": person,
        "sex": rng.choice(["f", "m"], PEOPLE)[person],
        "ward": rng.choice(list("abcdef"), len(person)),
        "month": rng.integers(1, 13, len(person)),
    })  # fmt: skip
    return visits, visits.assign(pid=rng.permutation(PEOPLE)[person])


def assess(original, released, **more):
    return sm.assess(original, released, match="rows", person="pid", **more)


def test_rows_that_say_little_each_give_a_person_away_together():
    visits, released = make_visits()
    card = assess(visits, released, measures=["linkage", "person-linkage"])
    alone = sm.assess(visits, released, match="rows", measures=["linkage"], drop="pid")
    assert card["person-linkage"].value > 0.9
    assert alone["linkage"].value < 0.5
    assert card["linkage"].value > 0.8
    assert "all rows of a person" in card["linkage"].details["intruder"]["who"]


def test_the_verdict_counts_them():
    visits, released = make_visits()
    card = assess(visits, released)
    assert card.verdict.limits["person-linkage"] == 0.2
    assert not card.verdict.safe
    assert "household-linkage" not in card.scores


def test_rows_shuffled_among_people_hide_all_but_chance():
    visits, released = make_visits()
    rng = np.random.default_rng(2)
    for name in ("sex", "ward", "month"):
        released[name] = rng.permutation(released[name])
    found = assess(visits, released, measures=["person-linkage"])["person-linkage"]
    assert found.value < 0.1


def test_in_words_people_are_people():
    visits, released = make_visits()
    found = assess(visits, released, measures=["person-linkage"])["person-linkage"]
    assert "of all rows of a person" in found.sentence
    assert "household" not in str(found.details)
