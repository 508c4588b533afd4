from __future__ import annotations

import re

import pytest
from made_up import add_candidate, open_case

from swapmeet.app.pages.compare import NOT_TWO, _find_winner
from swapmeet.app.pages.decide import CHANGED


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
    assert "--audit-b run-2.audit --intruder everything" in page


def test_the_list_of_candidates_has_intervals(site, case):
    add_candidate(site, case)
    page = site.get(f"/case/{case.key}/compare").text
    assert re.search(r'10 of 100<span class="small">5 to 20</span>', page)
