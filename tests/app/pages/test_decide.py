from __future__ import annotations

import re

import pytest
from made_up import add_candidate, open_case

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
