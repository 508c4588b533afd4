from __future__ import annotations

import pytest
from finished_case import REASON

from swapmeet.app.jobs import Jobs
from swapmeet.app.pages.decide import CHANGED, LONGEST, choose_candidate, find_alternatives
from swapmeet.app.run import Run, RunKind


@pytest.fixture
def asked(finished, monkeypatch):
    """What would have been run; the decision is taken back afterwards."""
    runs, before = [], finished.case
    monkeypatch.setattr(Jobs, "start", lambda _, run, given=(): runs.append(run) or run)
    yield runs
    finished.site.space.save_case(before)


def decide(finished, **controls):
    form = {"revision": finished.case.revision, "candidate": "1", "reason": "why", **controls}
    return finished.site.post(f"{finished.home}/decide", **form)


def test_the_page_shows_each_limit_and_the_intruder(finished):
    page = finished.get("decide").text
    for words in ("People found", "Whole records", "Values guessed", "Secret seed"):
        assert words in page
    assert "another list of the same people" in page


def test_a_chosen_seed_is_told(finished):
    assert "the seed was chosen" in finished.get("decide?candidate=1").text
    assert "the seed was chosen, so" not in finished.get("decide?candidate=2").text


def test_the_decision_stands_in_the_form(finished):
    page = finished.get("decide").text
    assert "&lt;b&gt;the limits&lt;/b&gt;" in page
    assert REASON not in page


def test_a_decision_is_kept_and_its_reports_are_written(finished, asked):
    assert decide(finished).place.endswith("/release")
    assert (finished.case.candidate, finished.case.reason) == (1, "why")
    assert [run.facts for run in asked] == [{"candidate": 1, "reason": "why"}]


def test_a_release_that_is_not_safe_needs_a_reason(finished, asked):
    assert not finished.run("candidate-1").facts["safe"]
    answer = decide(finished, reason="  ")
    assert answer.status == 400
    assert "write the reason" in answer.text
    assert not asked


def test_a_stale_page_decides_nothing(finished, asked):
    answer = decide(finished, revision=finished.case.revision - 1)
    assert (answer.status, asked) == (409, [])
    assert CHANGED in answer.text
    assert finished.case.candidate == 2


@pytest.mark.parametrize("number", ["", "9", "x", "-1"])
def test_a_candidate_that_there_is_not_cannot_be_chosen(finished, asked, number):
    assert decide(finished, candidate=number).status == 400
    assert finished.case.candidate == 2


def test_a_reason_of_a_book_is_cut(finished, asked):
    decide(finished, reason="x" * (LONGEST + 5))
    assert len(finished.case.reason) == LONGEST


def test_the_same_decision_again_writes_no_second_report(finished, asked):
    decide(finished, candidate="2", reason=REASON)
    assert asked == []


def candidate(number, risk, loss, *, safe=True):
    facts = {"risk": risk, "loss": loss, "safe": safe}
    return Run(kind=RunKind.CANDIDATE, case="a", title="", commands=(), number=number, facts=facts)


SAFE = candidate(1, 0.1, 0.2)
CHEAP = candidate(2, 0.3, 0.05, safe=False)
CHEAPEST = candidate(3, 0.9, 0.01, safe=False)
SAFER = candidate(4, 0.02, 0.4)
SAFEST = candidate(5, 0.0, 0.9)
UNMEASURED = candidate(6, None, None)
ALL = [SAFE, CHEAP, CHEAPEST, SAFER, SAFEST, UNMEASURED]


def test_the_neighbours_on_both_sides_are_the_alternatives():
    assert find_alternatives(ALL, SAFE) == {"loss": CHEAP, "risk": SAFER}


def test_at_an_end_there_is_no_alternative():
    assert set(find_alternatives(ALL, CHEAPEST)) == {"risk"}
    assert set(find_alternatives(ALL, SAFEST)) == {"loss"}


def test_figures_that_are_alike_are_no_alternative():
    assert find_alternatives([SAFE, candidate(7, 0.1004, 0.1996)], SAFE) == {}


def test_what_has_no_figures_has_no_alternatives():
    assert find_alternatives(ALL, UNMEASURED) == {}


def test_the_least_loss_within_the_limits_is_chosen_then_the_least_risk():
    assert choose_candidate(ALL) == SAFE
    safer = candidate(8, 0.05, 0.2)
    assert choose_candidate([SAFE, safer]) == safer


@pytest.mark.parametrize(("runs", "best"), [([CHEAP, CHEAPEST], CHEAP), ([UNMEASURED], None)])
def test_where_nothing_keeps_the_limits_the_least_risk_is_looked_at(runs, best):
    assert choose_candidate(runs) == best
