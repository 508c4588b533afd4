from __future__ import annotations

import re

import pytest
from made_up import read_text

from swapmeet.app.pages.compare import _find_winner


def score(value, interval=None, better="lower"):
    return {"value": value, "interval": interval, "better": better}


# which is clearly better


@pytest.mark.parametrize(
    ("one", "other", "winner"),
    [
        (score(0.1), score(0.2), 0),
        (score(0.2), score(0.1), 1),
        (score(0.1, better="higher"), score(0.2, better="higher"), 1),
        (score(0.2, better="higher"), score(0.1, better="higher"), 0),
        (score(0.1), score(0.1), None),
        (score(None), score(0.1), None),
        (score(0.1), score(None), None),
        (score(0.1, [0.0, 0.2]), score(0.25, [0.2, 0.3]), None),
        (score(0.1, [0.0, 0.15]), score(0.25, [0.2, 0.3]), 0),
        (score(0.25, [0.2, 0.3]), score(0.1, [0.0, 0.15]), 1),
        (score(0.1), score(0.25, [0.05, 0.3]), None),
        (score(0.01), score(0.25, [0.05, 0.3]), 0),
    ],
)
def test_one_is_better_if_chance_does_not_decide(one, other, winner):
    assert _find_winner(one, other) == winner


# the page


def test_without_candidates_the_page_says_how_to_make_one(site, tmp_path, monkeypatch):
    monkeypatch.setattr("swapmeet.app.opening.look", lambda *_, **__: None)
    (tmp_path / "a.csv").write_text("a\n1\n")
    place = site.post("/open", path=str(tmp_path / "a.csv")).place
    page = site.get(place.replace("/data", "/compare")).text
    assert "No candidate yet" in page
    assert "<svg viewBox" not in page


def test_every_candidate_is_on_the_map_and_in_the_list(finished):
    page = finished.get("compare").text
    for number in (1, 2):
        assert page.count(f'href="{finished.home}/candidate/{number}"') >= 2
    assert page.count('class="hit"') == 2


def test_the_chosen_candidate_is_marked(finished):
    page = finished.get("compare").text
    row = page[page.index('<tr class="chosen">') :]
    assert "2: Microaggregation" in row[: row.index("</tr>")]


def test_the_limit_is_on_the_map(finished):
    assert 'class="limit"' in finished.get("compare").text


def test_the_figures_are_those_of_the_cards(finished):
    facts = finished.run("candidate-1").facts
    card = finished.run("candidate-1").output(2)["assessment"]
    linkage = next(one for one in card["scores"] if one["measure"] == "linkage")
    assert facts["risk"] == linkage["value"]
    assert facts["worst"] == linkage["details"]["by level"]["everything"]["share"]


def test_two_candidates_stand_side_by_side(finished):
    page = finished.get("compare?with=2&with=1").text
    assert "Candidates 1 and 2 side by side" in page
    assert "swapmeet compare release-1.csv release-2.csv" in read_text(page)
    measures = re.findall(r'<th scope="row">([a-z0-9-]+)</th><td>(?:lower|higher)', page)
    assert {"linkage", "margins"} <= set(measures)


@pytest.mark.parametrize("query", ["with=1", "with=1&with=9", "with=x&with=1", "with=1&with=1", ""])
def test_less_than_two_are_not_compared(finished, query):
    answer = finished.get(f"compare?{query}")
    assert answer.status == 200
    assert "side by side</h2>" not in answer.text


def test_candidates_of_another_question_are_told_apart(finished):
    """The case is changed in memory only: the page is asked for by a case that asks otherwise."""
    space, key = finished.site.space, finished.key
    before = space.find_case(key)
    try:
        space.save_case(before.change(limits={"linkage": 0.9}))
        page = finished.get("compare").text
        assert page.count("not on the map") == 2
        assert 'class="hit"' not in page
    finally:
        space.save_case(before)
