from __future__ import annotations

import pytest

import swapmeet as sm
from swapmeet.errors import TableError, UsageError

MEASURES = ("pscr", "margins")


@pytest.fixture(scope="module")
def people():
    return sm.datasets.load("diabetes")


@pytest.fixture(scope="module")
def releases(people):
    return tuple(
        sm.mask(people, sm.RWN(k=k, weights=0.1), sensitive=["target"], drop=drop, seed=1)
        for k, drop in ((2, []), (40, ["bmi"]))
    )


@pytest.fixture(scope="module")
def pair(people, releases):
    return sm.compare(people, *releases, measures=MEASURES, limits={"pscr": 0.2})


def test_figures_are_those_of_the_single_cards(people, releases, pair):
    for card, release in zip(pair.cards, releases, strict=True):
        schema = releases[0].schema
        alone = sm.assess(people, release, schema=schema, measures=MEASURES)
        assert [s.value for s in card] == [s.value for s in alone]


def test_fewer_neighbours_are_less_safe_and_lose_less(pair):
    assert pair.scores["pscr"].better == "B"
    assert pair.scores["pscr"].clear
    assert "A is better in 0 of 1 measure" in pair.sentence


def test_a_column_that_only_one_publishes_is_judged_there_and_told(pair):
    assert "bmi" in pair.cards[0].known
    assert "bmi" not in pair.cards[1].known
    assert pair.columns[2].words[1] == "not published"
    assert any(note.startswith("B has no bmi") for note in pair.notes)
    assert any(note.startswith("bmi: A and B give other roles") for note in pair.notes)


def test_a_release_is_as_good_as_itself(people, releases):
    same = sm.compare(people, releases[0], releases[0], measures=MEASURES, limits={})
    assert {str(one.better) for one in same.scores.values()} == {"same"}
    assert same.notes == ()


def test_the_record_of_the_other_release_is_refused_by_name(people, releases):
    one, two = (release.shuffled() for release in releases)
    with pytest.raises(TableError, match=r"^first: the audit record belongs to another release"):
        sm.compare(people, one, two, audits=(releases[1].audit, releases[1].audit),
                   names=("first", "second"), measures=MEASURES)  # fmt: skip


def test_roles_beside_a_schema_are_refused(people, releases):
    with pytest.raises(UsageError, match="compare: give roles by `schema` or by drop"):
        sm.compare(people, *releases, schema=releases[0].schema, drop=["bmi"])
