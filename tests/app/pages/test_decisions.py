from __future__ import annotations

import json
import re

import pytest
from made_up import add_candidate, open_case, read_command

from swapmeet.app.pages.compare import NOT_TWO, _find_winner
from swapmeet.app.pages.decide import CHANGED
from swapmeet.app.run import Command, Run, RunKind, State


@pytest.fixture
def case(site, tmp_path):
    return open_case(site, tmp_path / "people.csv")


def send(site, case, **controls):
    return site.post(f"/case/{case.key}/decide", **{"revision": case.revision, **controls})


def test_a_refusal_stays_with_the_candidate_that_was_sent(site, case):
    add_candidate(site, case, risk=0.5, safe=False)
    add_candidate(site, case)
    answer = send(site, case, candidate="1", reason="")
    assert answer.status == 400
    assert 'name="candidate" value="1"' in answer.text
    assert "Choose this candidate all the same" in answer.text


def test_the_reason_stays_when_the_page_was_out_of_date(site, case):
    add_candidate(site, case)
    answer = send(site, case, candidate="1", reason="For science.", revision=99)
    assert CHANGED in answer.text
    assert "For science.</textarea>" in answer.text
    assert site.case(case.key).candidate is None


def test_whoever_has_seen_the_original_is_told_beside_the_limits(site, case):
    add_candidate(site, case, risk=0.1, everything=0.98)
    page = site.get(f"/case/{case.key}/decide").text
    checks = page[page.index('class="checks"') :]
    assert "finds 98 of 100 people. The limit on people found is about the intruder" in checks


def test_both_sides_are_in_the_verdict_in_sight(site, case):
    add_candidate(site, case)
    page = site.get(f"/case/{case.key}/protect").text
    assert "This is the verdict. Costly: much is lost." in page
    assert '<span class="mark open">Costly</span>' in page


def test_the_verdict_in_sight_names_no_worse_intruder_where_there_is_none(site, case):
    add_candidate(site, case, risk=0.1, everything=0.1)
    assert "has seen the original finds" not in site.get(f"/case/{case.key}/protect").text


def test_cautions_and_intervals_are_told_with_the_limits(site, case):
    add_candidate(site, case)
    page = site.get(f"/case/{case.key}/decide").text
    assert "interval [0.05, 0.2]" in page
    assert "If it may be known, tick the column under Roles." in page


def test_a_verdict_from_before_a_change_is_told_as_such(site, case):
    add_candidate(site, case)
    assert "were changed since" not in site.get(f"/case/{case.key}/decide").text
    site.space.change_case(case.key, lambda one: one.change(limits={"linkage": 0.01}, candidate=1))
    for page in ("decide", "release", "protect"):
        assert (
            "Roles, intruder or limits were changed since."
            in site.get(f"/case/{case.key}/{page}").text
        )


def test_a_reason_has_the_lines_that_were_typed(site, case, monkeypatch):
    monkeypatch.setattr(site.desk.jobs, "start", lambda run: run)
    add_candidate(site, case)
    send(site, case, candidate="1", reason="One.\r\nTwo.")
    assert site.case(case.key).reason == "One.\nTwo."


@pytest.mark.parametrize("ticked", ["with=1", "with=1&with=2&with=3"])
def test_two_are_put_side_by_side_and_no_others(site, case, ticked):
    for _ in range(3):
        add_candidate(site, case)
    assert NOT_TWO in site.get(f"/case/{case.key}/compare?{ticked}").text


def test_figures_that_look_alike_have_no_winner():
    one, other = ({"value": v, "interval": None, "better": "lower"} for v in (1e-6, 2e-6))
    assert _find_winner(one, other) is None


def test_candidates_of_different_questions_are_told_apart(site, case):
    add_candidate(site, case)
    add_candidate(site, case.change(intruder="insider"))
    page = site.get(f"/case/{case.key}/compare?with=1&with=2").text
    assert "under different roles, intruders or limits" in page
    assert "--audit-b run-2.audit --intruder everything" in read_command(page)


def test_the_list_of_candidates_has_intervals(site, case):
    add_candidate(site, case)
    page = site.get(f"/case/{case.key}/compare").text
    assert re.search(r'10 of 100<span class="small">5 to 20</span>', page)


def test_the_least_loss_within_the_limits_is_recommended_with_its_neighbours(site, case):
    add_candidate(site, case, risk=0.5, loss=0.05, safe=False)
    add_candidate(site, case, risk=0.1, loss=0.2)
    add_candidate(site, case, risk=0.01, loss=0.6)
    page = site.get(f"/case/{case.key}/decide").text
    assert "Recommended: candidate 2" in page
    assert '<strong>Less loss:</strong> <a href="?candidate=1">' in page
    assert '<strong>Less risk:</strong> <a href="?candidate=3">' in page
    assert page.count("Choose this candidate") == 1
    other = site.get(f"/case/{case.key}/decide?candidate=3").text
    assert 'name="candidate" value="3"' in other
    assert "Candidate 2</a> loses least within your limits." in other


def test_nothing_that_is_not_safe_is_recommended(site, case):
    add_candidate(site, case, risk=0.5, safe=False)
    page = site.get(f"/case/{case.key}/decide").text
    assert "Recommended" not in page
    assert "Choose this candidate all the same" in page


def test_a_choice_under_other_limits_gives_way_to_what_answers_the_present_ones(site, case):
    add_candidate(site, case)
    case = case.change(candidate=1, limits={"linkage": 0.0})
    site.space.save_case(case)
    add_candidate(site, case, safe=False)
    assert 'name="candidate" value="2"' in site.get(f"/case/{case.key}/decide").text


def test_what_a_search_recommends_can_be_made_from_here(site, case):
    trial = {"number": 4, "method": "rwn", "label": "rwn k=7", "settings": {"k": 7},
             "failure": None, "medians": {"linkage": 0.1, "loss": 0.2}, "unfavourable": {},
             "checked": True, "repeats": 1}  # fmt: skip
    other = {**trial, "number": 5}
    choice = {"best": 4, "sentences": ["Take it."], "alternatives": [
        {"number": 5, "less": "loss", "sentence": "Less loss: the other."}]}  # fmt: skip
    study = {"limits": {}, "choice": choice, "trials": 2, "candidates": [trial, other]}
    run = site.space.add_run(
        Run(kind=RunKind.SEARCH, case=case.key, title="Searching", state=State.DONE,
            commands=(Command((), "swapmeet tune"),), facts={"question": case.question})
    )  # fmt: skip
    run.output_path(1).write_text(json.dumps(study))
    empty = site.get(f"/case/{case.key}/decide").text
    assert "(k 7): an intruder finds 10 of 100 people, and analysts lose much (0.2 of 1)." in empty
    assert f'action="/case/{case.key}/search/1/make"' in empty
    add_candidate(site, case)
    page = site.get(f"/case/{case.key}/decide").text
    assert "<strong>Less loss:</strong> Randomization within neighbourhoods (k 7): an" in page
