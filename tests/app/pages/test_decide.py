from __future__ import annotations

import re

import pytest
from finished_case import REASON
from made_up import add_candidate, open_case

from swapmeet.app.jobs import Jobs
from swapmeet.app.pages.decide import CHANGED, LONGEST


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
    assert "Publish all the same candidate 1" in answer.text


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
    assert "finds 98 of 100 people; no limit counts this." in checks


def test_so_it_is_in_the_verdict_in_sight(site, case):
    add_candidate(site, case, risk=0.1, everything=0.98)
    page = site.get(f"/case/{case.key}/protect").text
    assert "Somebody who has seen the original finds 98 of 100 people." in page


def test_the_verdict_in_sight_names_no_worse_intruder_where_there_is_none(site, case):
    add_candidate(site, case, risk=0.1, everything=0.1)
    assert "has seen the original finds" not in site.get(f"/case/{case.key}/protect").text


def test_cautions_and_intervals_are_told_with_the_limits(site, case):
    add_candidate(site, case)
    page = site.get(f"/case/{case.key}/decide").text
    assert "interval [0.05, 0.2]" in page
    assert "If it may be known, tick the column under Roles." in page


def test_the_list_of_candidates_has_intervals(site, case):
    add_candidate(site, case)
    page = site.get(f"/case/{case.key}/compare").text
    assert re.search(r'10 of 100<span class="small">5 to 20</span>', page)


# a candidate that was made and measured


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
