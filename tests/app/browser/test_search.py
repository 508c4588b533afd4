"""A search for the best setting: its progress, its end, and what comes of it."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.slow

METHODS = ("rank-swap", "rwn")


@pytest.fixture
def searching(curator, people):
    """A curator whose search has made a few trials."""
    curator.open_path(people)
    curator.wait_for("200 rows")
    curator.start_search(*METHODS)
    curator.wait_for_progress()
    return curator


def count_trials(curator):
    """How many trials the page of a search that was stopped has."""
    words = curator.page.get_by_text("trials so far are kept").inner_text()
    return int(re.search(r"The ([\d,]+) trials", words)[1].replace(",", ""))


def test_progress_tells_how_far_it_is_and_what_is_best_so_far(searching):
    words = searching.job.filter(has_text="best so far").inner_text()
    assert re.search(r"Searching, [\d,]+ of 120 seconds\. About .+ left for this part\.", words)
    assert re.search(r"[\d,]+ trials?; .*best so far: loss [\d.]+, (Rank|Random)", words)
    far = searching.job.locator("progress").get_attribute("value")
    searching.job.locator(f"progress:not([value='{far}'])").wait_for()
    searching.stop_job()


def test_a_search_that_was_stopped_keeps_its_trials_and_goes_on(searching, app):
    searching.stop_job()
    assert app.list_jobs() == []
    before = count_trials(searching)
    assert before > 0
    searching.click("Go on with it")
    searching.wait_for_progress()
    searching.stop_job()
    assert count_trials(searching) > before


def test_a_candidate_of_its_best_setting_is_on_the_map_beside_its_trials(searching):
    searching.stop_job()
    searching.click("Make it a candidate", to="compare?new=1")
    searching.wait_for_candidate("1")
    words = searching.point("1").get_attribute("aria-label")
    assert words.startswith(("Candidate 1, Rank swapping", "Candidate 1, Randomization"))
    assert searching.page.locator(".map .trial").count() > 1


def set_limits(curator, value):
    """Limits that everything keeps, or nothing."""
    curator.go("protect")
    for name in ("linkage", "copies", "inference"):
        curator.page.locator(f"#limit-{name}").fill(str(value))
    curator.click("Save the limits")


@pytest.mark.parametrize("limit", [0, 1])
def test_a_search_that_was_interrupted_ends_with_both_reports(curator, people, limit):
    """Few trials, first looks only; with limits of 0 none is met, and somebody insists."""
    curator.open_path(people)
    curator.wait_for("200 rows")
    set_limits(curator, limit)
    curator.start_search(*METHODS)
    curator.wait_for_progress()
    curator.stop_job()
    words = re.compile("Recommended|Best so far") if limit else "Nearest to your limits"
    curator.page.get_by_role("heading", name=words).wait_for()
    curator.click("Make it a candidate", to="compare?new=1")
    curator.wait_for_candidate("1")
    curator.click("Go on: decide", to="decide")
    curator.decide("It is for a test.")
    curator.wait_for_reports()
    assert curator.page.get_by_role("link", name="internal.html").count() == 1


def test_only_the_methods_that_were_ticked_are_tried(searching):
    searching.stop_job()
    searching.page.locator("summary", has_text="What was tried").click()
    tried = searching.page.get_by_role("rowheader").all_inner_texts()
    assert tried
    assert {label.split()[0] for label in tried} <= {"Rank", "Randomization"}


def test_a_search_among_no_methods_is_told(curator, people):
    curator.open_path(people)
    curator.wait_for("200 rows")
    curator.go("protect")
    curator.tick_methods()
    curator.click("Search")
    assert "Tick at least one method" in curator.problem
