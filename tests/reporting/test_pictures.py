from __future__ import annotations

from dataclasses import replace

import pytest

from swapmeet.measures.limits import SUMMARIES
from swapmeet.measures.side_by_side.distribution import Distribution
from swapmeet.reporting.pictures import draw_pictures
from swapmeet.reporting.sources import Sources
from swapmeet.tuning.trial import Trial
from swapmeet.tuning.trial_table import TrialTable


@pytest.fixture(scope="module")
def both(study, card):
    return Sources(study=study, card=card)


@pytest.fixture(scope="module")
def inside(both):
    return draw_pictures(both, "internal")


def test_insiders_see_the_search_and_the_release(inside):
    assert [picture.title for picture in inside] == [
        "Risk and loss of all settings",
        "rwn over k, by q",
        "rwn over q",
        "The best setting of each method",
        "Correlations before and after",
        "Principal components before and after",
        "Distributions before and after",
        "Categories before and after",
        "Loadings before and after",
        "Component scores before and after",
        "Influence on income ~ weight + C(`town & region`)",
    ]


@pytest.mark.slow
def test_the_public_sees_aggregates_of_the_release_only(both):
    assert [picture.title for picture in draw_pictures(both, "public")] == [
        "Correlations before and after",
        "Principal components before and after",
        "Distributions before and after",
        "Categories before and after",
    ]


@pytest.mark.slow
def test_pictures_tell_in_words_what_they_show(both, inside):
    found = {picture.title: picture for picture in inside}
    assert both.study.choice.sentences[0] in found["Risk and loss of all settings"].description
    assert "largest change is that between" in found["Correlations before and after"].description
    for picture in found.values():
        assert f">{picture.title}</title>".replace("&", "&amp;") in picture.svg
        assert picture.to_dict().keys() == {"title", "description", "caption"}


def test_a_study_without_figures_has_no_pictures(study):
    assert draw_pictures(Sources(study=replace(study, trials=TrialTable())), "internal") == []


def test_a_card_without_a_profile_has_no_pictures(card):
    assert draw_pictures(Sources(card=replace(card, profile=None)), "public") == []


@pytest.mark.slow
def test_captions_say_what_is_certain(study):
    several = draw_pictures(Sources(study=study), "internal")[0].caption
    assert "median over 3 runs" in several
    assert "thin crosses tell how far" in several


@pytest.mark.slow
def test_captions_of_a_single_run_claim_no_certainty(study):
    table = TrialTable()
    for candidate in study.candidates:
        if not candidate.failure:
            figures = {n: float(v[0]) for n, v in candidate.repeats.items() if n not in SUMMARIES}
            table.add(Trial(candidate.setting, 0, 0.1, figures))
    pictures = draw_pictures(Sources(study=replace(study, trials=table)), "internal")
    assert pictures
    for picture in pictures:
        assert "ran once" in picture.caption
        assert "tell how far" not in picture.caption
        assert "median" not in picture.caption


@pytest.mark.slow
def test_only_insiders_who_ask_for_it_see_categories_by_name(both, inside):
    def drawn(pictures):
        return next(p for p in pictures if p.title == "Categories before and after")

    asked = drawn(draw_pictures(both, "internal", labels=True))
    assert "kanarien-north" in asked.svg
    assert "kanarien" not in asked.description + asked.caption
    assert "kanarien" not in drawn(inside).svg
    assert "kanarien" not in drawn(draw_pictures(both, "public", labels=True)).svg


@pytest.mark.slow
def test_words_tell_which_distribution_changed_most(both):
    def described(one, other):
        found = Distribution("age", "numeric", (2.0,), ("a", "b"), one, other)
        profile = replace(both.card.profile, distributions=(found,))
        card = replace(both.card, profile=profile)
        pictures = draw_pictures(Sources(card=card), "public")
        return next(p.description for p in pictures if p.title.startswith("Distributions"))

    assert "of age: 10 % of its rows" in described((500, 500), (400, 600))
    assert "hardly differ" in described((5000, 5000), (5000, 5000))
