from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import read_text

from swapmeet.app.pages.compare import (
    BOTTOM,
    HEIGHT,
    LEFT,
    NUMBER,
    RIGHT,
    TOP,
    WIDTH,
    Axis,
    _find_winner,
    draw_map,
)
from swapmeet.app.run import Run, RunKind


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


SHARES = st.floats(0.0, 1.0)


def candidate(risk, loss, worst=None, number=1):
    facts = {"risk": risk, "loss": loss, "worst": risk if worst is None else worst}
    return Run(kind=RunKind.CANDIDATE, case="a", title="", commands=(), number=number, facts=facts)


def search(*points):
    facts = {"points": [{"risk": r, "loss": v, "checked": True} for r, v in points]}
    return Run(kind=RunKind.SEARCH, case="a", title="", commands=(), facts=facts)


def test_without_candidates_there_is_no_map():
    assert draw_map([], [], 0.2) is None
    assert draw_map([candidate(None, None)], [search((None, 0.1), (0.1, None))], 0.2) is None


def test_a_candidate_stands_where_its_figures_say():
    found = draw_map([candidate(0.5, 0.25, worst=1.0)], [], None)
    (point,) = found.candidates
    wide, high = WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP
    assert point.x == pytest.approx(LEFT + wide * 0.5 / 1.08, abs=0.06)
    assert point.worst == pytest.approx(LEFT + wide / 1.08, abs=0.06)
    assert point.y == pytest.approx(HEIGHT - BOTTOM - high / 1.08, abs=0.06)


def test_more_risk_is_to_the_right_and_more_loss_is_up():
    found = draw_map([candidate(0.1, 0.1), candidate(0.2, 0.3)], [], None)
    one, other = found.candidates
    assert one.x < other.x
    assert one.y > other.y


def test_a_candidate_is_linked_to_its_run():
    found = draw_map([candidate(0.1, 0.1, number=4)], [], None)
    assert found.candidates[0].run.number == 4


def test_candidates_without_a_figure_are_left_out():
    runs = [candidate(0.1, None), candidate(None, 0.1, worst=0.2), candidate(0.1, 0.1, number=3)]
    found = draw_map(runs, [], None)
    assert [point.run.number for point in found.candidates] == [3]


def test_trials_stand_on_the_same_axes():
    found = draw_map([candidate(0.4, 0.2)], [search((0.4, 0.2), (0.1, None))], None)
    (trial,) = found.trials
    (point,) = found.candidates
    assert (trial.x, trial.y, trial.run) == (point.x, point.y, None)


def test_the_limit_is_on_the_axis_of_risk():
    found = draw_map([candidate(0.2, 0.2)], [], 0.2)
    assert found.limit == found.candidates[0].x


def test_a_limit_beyond_all_candidates_is_in_the_picture():
    found = draw_map([candidate(0.01, 0.2)], [], 0.9)
    assert found.left < found.limit <= found.right


def test_no_limit_is_no_line():
    assert draw_map([candidate(0.2, 0.2)], [], None).limit is None


def test_a_limit_of_nothing_is_a_line():
    found = draw_map([candidate(0.2, 0.2)], [], 0.0)
    assert found.limit == found.left


def test_nothing_found_and_nothing_lost_stands_in_the_corner():
    found = draw_map([candidate(0.0, 0.0)], [], None)
    assert (found.candidates[0].x, found.candidates[0].y) == (found.left, found.bottom)


@given(st.lists(st.tuples(SHARES, SHARES, SHARES), min_size=1), st.none() | SHARES)
def test_everything_is_in_the_picture(figures, limit):
    runs = [candidate(risk, loss, max(risk, worst)) for risk, loss, worst in figures]
    found = draw_map(runs, [search(*((r, v) for r, v, _ in figures))], limit)
    for point in [*found.candidates, *found.trials]:
        assert found.left <= point.x <= point.worst <= found.right
        assert found.top <= point.y <= found.bottom
    assert limit is None or found.left <= found.limit <= found.right


def test_ticks_are_round_and_begin_at_zero():
    assert Axis(1.08, 0.0, 108.0).ticks == [
        (0.0, "0"), (20.0, "0.2"), (40.0, "0.4"), (60.0, "0.6"), (80.0, "0.8"), (100.0, "1"),
    ]  # fmt: skip


@given(st.floats(0.02, 2.0))
def test_there_are_a_few_different_ticks_on_every_axis(high):
    ticks = Axis(high, 0.0, 500.0).ticks
    assert 3 <= len(ticks) <= 9
    assert len({words for _, words in ticks}) == len(ticks)
    assert all(0.0 <= place <= 500.0 for place, _ in ticks)
    steps = [b - a for (a, _), (b, _) in pairwise(ticks)]
    assert max(steps) - min(steps) <= 0.2


def test_numbers_of_candidates_that_lie_on_each_other_stand_above_each_other():
    runs = [candidate(0.1, 0.1, worst=1.0, number=number) for number in (1, 2, 3)]
    far = candidate(0.9, 0.1, worst=1.0, number=4)
    found = draw_map([*runs, far], [], None)
    assert [point.raised for point in found.candidates] == [0.0, NUMBER, 2 * NUMBER, 0.0]
