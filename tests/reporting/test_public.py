from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import swapmeet as sm
from swapmeet.comparison.score import Family
from swapmeet.measures.base import Measure
from swapmeet.measures.registry import MEASURES
from swapmeet.reporting import ReleaseSummary
from swapmeet.reporting.contents import (
    CLEARED,
    NOT_CLEARED,
    NOTHING,
    UNDECIDED,
    UNJUDGED,
    UNPUBLISHED,
    build_contents,
    build_public,
)
from swapmeet.reporting.people import PROTECTED
from swapmeet.reporting.sources import Sources


class Foreign(Measure):
    """Of somebody else, and in no table of ours."""

    name = "foreign"
    question = "Is somebody found?"

    def score(self, comparison):
        return self.make_score(0.1234, "Somebody is found.")


@pytest.fixture
def told(study, card, release):
    return build_public(Sources.gather(study, study=None, card=card, release=release))


def test_the_method_is_told_and_its_settings_coarsely(told, study):
    assert told["method"]["name"] == "rwn"
    assert told["method"]["title"] == "randomization within neighbourhoods"
    assert [row["what"] for row in told["method"]["settings"]] == [
        "a value is replaced",
        "people in a neighbourhood",
    ]


def test_exact_settings_are_nowhere(study, card):
    release = ReleaseSummary("rwn", {"k": 137, "q": 0.8765, "weights": {"income": 0.4321}})
    text = json.dumps(build_contents(Sources(study=study, card=card, release=release), "public"))
    assert not any(secret in text for secret in ("137", "0.8765", "0.4321"))
    assert "in about 9 of 10 cases" in text


@pytest.mark.parametrize("protects", [False, True])
def test_protection_that_was_raised_for_some_is_told_without_a_figure(study, card, protects):
    release = ReleaseSummary("rwn", {"k": 10}, protects=protects)
    told = build_public(Sources(study=study, card=card, release=release))
    assert (PROTECTED in told["done"]) == protects
    assert (PROTECTED in told["people"]) == protects
    assert not any(sign.isdigit() for sign in PROTECTED)


def test_settings_of_parts_are_told_coarsely(study, card):
    method = sm.PerColumn(parts=[(sm.RWN(k=137), ["income"]), (sm.Noise(level=0.4321), ["weight"])])
    release = ReleaseSummary(method.name, method.settings())
    told = build_public(Sources(study=study, card=card, release=release))
    assert [part["columns"] for part in told["method"]["parts"]] == [["income"], ["weight"]]
    assert not any(secret in json.dumps(told) for secret in ("137", "0.4321"))


def test_nothing_of_the_search_and_of_single_records_is_told(told):
    assert set(told) == {
        "verdict", "cleared", "losses", "rows", "method", "done", "columns", "preserved", "advice",
        "risk", "people",
    }  # fmt: skip


def test_only_utility_is_told_in_figures(told):
    assert [row["measure"] for row in told["preserved"]][:2] == ["correlations", "margins"]
    assert "cell-distance" not in {row["measure"] for row in told["preserved"]}
    assert all(row["sentence"] or row["value"] is not None for row in told["preserved"])


@pytest.mark.parametrize("family", Family)
def test_a_measure_from_elsewhere_is_not_told_unless_it_says_that_it_is_public(
    canaries, schema, release, family
):
    foreign = type("Foreign", (Foreign,), {"family": family})
    card = sm.assess(canaries, release, schema=schema, measures=[foreign(), "margins"])
    told = build_public(Sources(card=card, schema=schema))
    assert [row["measure"] for row in told["preserved"]] == ["margins"]
    assert not any(word in json.dumps(told) for word in ("foreign", "0.1234", "Somebody"))


def test_a_measure_of_utility_from_elsewhere_may_say_that_it_is_public(canaries, schema, release):
    foreign = type("Foreign", (Foreign,), {"family": Family.UTILITY, "public": True})
    card = sm.assess(canaries, release, schema=schema, measures=[foreign()])
    told = build_public(Sources(card=card, schema=schema))
    assert [row["measure"] for row in told["preserved"]] == ["foreign"]


def test_no_measure_of_risk_is_public():
    assert not any(m.public for m in MEASURES.values() if m.family is Family.RISK)


def test_columns_that_were_dropped_are_not_named(told):
    columns = {column["name"]: column["masked"] for column in told["columns"]}
    assert "name" not in columns
    assert columns["weight"] is False
    assert columns["income"] is True
    assert "1 column of the original was left out." in told["people"]


def test_people_learn_what_is_published_as_it_is(told):
    assert "Your values of weight are published as they are." in told["people"]


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.0042, "fewer than 1 in 100"), (0.0713, "fewer than 1 in 10"), (0.8137, "half or more")],
)
def test_risk_is_told_in_brackets(card, value, words):
    scores = {"pscr": replace(card["pscr"], value=value, interval=None)}
    told = build_public(Sources(card=replace(card, scores=scores)))
    assert any(words in sentence for sentence in told["risk"])
    assert str(value) not in json.dumps(told)


def test_without_a_figure_of_risk_none_is_claimed(card):
    told = build_public(Sources(card=replace(card, scores={"margins": card["margins"]})))
    assert not any("people were found" in sentence for sentence in told["risk"])


def test_a_study_that_chose_nothing_has_nothing_to_publish(study):
    told = build_public(Sources(study=study.under(limit={"dbrl": 0.0, "relations": 0.0})))
    assert (told["verdict"], told["cleared"], told["people"]) == (NOTHING, False, [UNPUBLISHED])
    assert not any(told[part] for part in ("method", "done", "columns", "advice", "risk"))


def test_a_card_alone_has_general_words(card):
    told = build_public(Sources(card=card))
    assert told["method"] is None
    assert told["people"][0] == "Your values of weight are published as they are."
    assert not any("How values were masked" in paragraph for paragraph in told["people"])


def test_figures_have_few_digits(told):
    assert told["preserved"]
    assert all(row["value"] == float(f"{row['value']:.3g}") for row in told["preserved"])


@pytest.mark.parametrize(
    ("limits", "chosen", "words"),
    [
        ({"pscr": 1.0}, False, CLEARED),
        ({"pscr": 1.0}, True, NOT_CLEARED),
        ({"pscr": 0.0}, False, NOT_CLEARED),
        ({"dcr": 0.0}, False, UNDECIDED),
        ({}, False, UNJUDGED),
    ],
)
def test_the_verdict_is_told_in_words_without_a_figure_or_an_intruder(
    card, release, limits, chosen, words
):
    found = replace(card, limits=limits, reproducible=False)
    summary = ReleaseSummary("rwn", {}, reproducible=chosen)
    page = build_public(Sources(card=found, release=summary))
    told = page["verdict"]
    assert told == words
    assert page["cleared"] == {CLEARED: True, NOT_CLEARED: False}.get(words)
    assert not any(sign.isdigit() for sign in told)
    assert "pscr" not in told


@pytest.mark.slow
def test_a_public_page_of_a_release_that_is_not_safe_comes_with_a_warning(card, tmp_path):
    unsafe = replace(card, limits={"pscr": 0.0})
    with pytest.warns(sm.SwapmeetWarning, match="that is not cleared. Not safe to"):
        sm.report(unsafe, tmp_path / "page.html", audience="public")
    assert NOT_CLEARED in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (sm.MatchedSwap(k=5), "mixed with those of similar people"),
        (sm.RankSwap(window=0.3), "mixed with those of other people"),
        (sm.Microaggregation(k=5), "changed before publication"),
    ],
)
def test_people_read_first_what_was_done(method, words):
    rng = np.random.default_rng(2)
    people = pd.DataFrame({"age": rng.random(200), "wage": rng.random(200)})
    release = sm.mask(people, method, seed=1)
    card = sm.assess(people, release, measures=["margins", "relations"])
    sources = Sources(card=card, release=ReleaseSummary.of(release), schema=release.schema)
    told = build_public(sources)
    assert words in told["people"][0]
    assert told["losses"] == card.losses.sentence


def test_the_public_does_not_learn_how_many_values_were_removed():
    people = pd.DataFrame({"age": range(100), "sex": list("mf") * 50})
    gone = people.assign(age=[None] * 30 + list(range(30, 100)))
    card = sm.assess(people, gone, match="rows", measures=["margins"])
    assert any("are missing now" in clause for clause in card.losses.clauses)
    assert "are missing now" not in build_public(Sources(card=card))["losses"]
