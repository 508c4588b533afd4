"""Households that are found by whoever knows all their members."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm

N = 300


def survey(seed=0):
    """Households of one to five people; the release has new numbers and the same rows."""
    rng = np.random.default_rng(seed)
    household = np.repeat(np.arange(N), rng.integers(1, 6, N))
    rows = len(household)
    people = pd.DataFrame({
        "hid": household,
        "region": rng.choice(list("abcd"), N)[household],
        "age": rng.integers(0, 90, rows) // 10,
        "sex": rng.choice(["f", "m"], rows),
        "income": rng.lognormal(9.0, 1.0, rows).round(),
    })  # fmt: skip
    return people, people.assign(hid=rng.permutation(N)[household])


def assess(original, released, **more):
    more = {"measures": ["linkage", "household-linkage"], "known": ["region", "age", "sex"], **more}
    return sm.assess(original, released, match="rows", household="hid", **more)


def shuffle(people, names, rng):
    return people.assign(**{name: rng.permutation(people[name]) for name in names})


@pytest.mark.slow
def test_households_of_an_unchanged_release_are_found_where_people_are_not():
    people, released = survey()
    card = assess(people, released)
    alone = sm.assess(people, released, match="rows", measures=["linkage"],
                      known=["region", "age", "sex"], drop="hid")  # fmt: skip
    assert card["household-linkage"].value > 0.8
    assert alone["linkage"].value < 0.3
    assert card["linkage"].value > 0.6


def test_those_not_found_are_the_ones_that_others_equal():
    people, released = survey()
    profiles = people.assign(region=people["region"].astype(str)).groupby("hid").apply(
        lambda some: tuple(sorted(map(tuple, some[["region", "age", "sex"]].to_numpy()))),
        include_groups=False,
    )  # fmt: skip
    alike = profiles.map(profiles.value_counts())
    found = assess(people, released, measures=["household-linkage"])["household-linkage"]
    assert found.details["ways"][0]["share"] == pytest.approx((1.0 / alike).mean(), abs=1e-9)


def test_a_blind_release_hides_all_but_chance():
    people, released = survey()
    rng = np.random.default_rng(5)
    blind = shuffle(released, ["region", "age", "sex"], rng)
    assert assess(people, blind)["household-linkage"].value < 0.05


def test_the_numbers_and_the_order_of_households_do_not_matter():
    people, released = survey()
    rng = np.random.default_rng(3)
    masked = shuffle(released, ["age"], rng)
    values = {
        assess(people, masked.assign(hid=masked["hid"].map(lambda h, f=factor: f * (h + 1))),
               measures=["household-linkage"])["household-linkage"].value
        for factor in (1, 7)
    }  # fmt: skip
    assert len(values) == 1


def test_the_verdict_counts_households():
    people, released = survey()
    card = assess(people, released, measures=["linkage", "household-linkage", "copies"])
    assert "household-linkage" in card.verdict.limits
    assert not card.verdict.safe
    who = card["linkage"].details["intruder"]["who"]
    assert "all members of a household" in who


@pytest.mark.slow
def test_more_knowledge_never_means_less_risk():
    """Whoever knows the household as well finds at least as many people, for any release."""
    people, released = survey(1)
    rng = np.random.default_rng(9)
    for names in ([], ["age"], ["age", "sex"], ["region", "age", "sex"]):
        masked = shuffle(released, names, rng)
        with_households = assess(people, masked, measures=["linkage"])["linkage"].value
        without = sm.assess(people, masked, match="rows", measures=["linkage"],
                            known=["region", "age", "sex"], drop="hid")  # fmt: skip
        assert with_households >= without["linkage"].value


def test_a_release_that_does_not_tie_rows_together_has_no_figure():
    people, released = survey()
    card = assess(people, released.drop(columns="hid"), measures=["household-linkage"])
    assert "belong together" in card["household-linkage"].undefined


def test_households_whose_rows_were_torn_apart_are_not_found():
    people, released = survey()
    rng = np.random.default_rng(4)
    torn = released.assign(hid=rng.permutation(released["hid"]))
    big = people.groupby("hid")["hid"].transform("size") > 2
    found = assess(people[big], torn[big.to_numpy()], measures=["household-linkage"])
    assert found["household-linkage"].value < 0.05


@pytest.mark.filterwarnings("ignore::swapmeet.errors.SwapmeetWarning")
def test_whoever_knows_the_method_is_among_the_intruders():
    people, _ = survey()
    release = sm.mask(people, sm.SJPPDS(bins=20), household="hid", seed=2)
    told = sm.assess(people, release, measures=["household-linkage"])["household-linkage"]
    assert any(way["knows how it was masked"] for way in told.details["ways"])


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


def assess_visits(original, released, **more):
    return sm.assess(original, released, match="rows", person="pid", **more)


def test_rows_that_say_little_each_give_a_person_away_together():
    visits, released = make_visits()
    card = assess_visits(visits, released, measures=["linkage", "person-linkage"])
    alone = sm.assess(visits, released, match="rows", measures=["linkage"], drop="pid")
    assert card["person-linkage"].value > 0.9
    assert alone["linkage"].value < 0.5
    assert card["linkage"].value > 0.8
    assert "all rows of a person" in card["linkage"].details["intruder"]["who"]


def test_the_verdict_counts_them():
    visits, released = make_visits()
    card = assess_visits(visits, released)
    assert card.verdict.limits["person-linkage"] == 0.2
    assert not card.verdict.safe
    assert "household-linkage" not in card.scores


def test_rows_shuffled_among_people_hide_all_but_chance():
    visits, released = make_visits()
    rng = np.random.default_rng(2)
    for name in ("sex", "ward", "month"):
        released[name] = rng.permutation(released[name])
    found = assess_visits(visits, released, measures=["person-linkage"])["person-linkage"]
    assert found.value < 0.1


def test_in_words_people_are_people():
    visits, released = make_visits()
    found = assess_visits(visits, released, measures=["person-linkage"])["person-linkage"]
    assert "of all rows of a person" in found.sentence
    assert "household" not in str(found.details)
