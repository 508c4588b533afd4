"""Work goes on whatever becomes of the page that asked for it."""

from __future__ import annotations

import pytest
from app_server import wait_until
from curator import Curator

pytestmark = pytest.mark.slow


@pytest.fixture
def searching(curator, people):
    """A curator whose search is under way; it is stopped in the end."""
    curator.open_path(people)
    curator.wait_for("200 rows")
    curator.start_search("rwn")
    curator.wait_for_progress()
    address, context = curator.page.url, curator.page.context
    yield curator
    last = Curator(context.new_page())
    last.page.goto(address)
    last.stop_job()


def test_a_page_loaded_again_shows_the_progress_again(searching, app):
    far, jobs = searching.wait_for_progress(), app.list_jobs()
    searching.page.reload()
    assert searching.wait_for_progress() >= far
    assert app.list_jobs() == jobs


def test_every_page_of_the_file_shows_the_progress(searching):
    for step in ("data", "roles", "protect", "compare", "decide", "release"):
        searching.go(step)
        assert searching.wait_for_progress() > 0


def test_a_page_that_was_closed_can_be_opened_again(searching, app):
    far, jobs, address = searching.wait_for_progress(), app.list_jobs(), searching.page.url
    context = searching.page.context
    searching.page.close()
    other = Curator(context.new_page())
    other.page.goto(address)
    assert other.wait_for_progress() >= far
    assert app.list_jobs() == jobs


def test_another_browser_sees_and_stops_the_work_of_the_first(new_curator, people):
    first, second = new_curator(), new_curator()
    first.open_path(people)
    first.wait_for("200 rows")
    first.start_search("rwn")
    second.page.goto(first.page.url)
    second.wait_for_progress()
    second.stop_job()
    first.wait_for("Stopped on request")


def test_a_candidate_that_was_done_while_no_page_was_open_is_there(curator, people, app):
    curator.open_path(people)
    curator.wait_for("200 rows")
    number, address = curator.ask_for_candidate(), curator.page.url
    context = curator.page.context
    curator.page.close()
    wait_until(lambda: not app.list_jobs(), patience=120)
    other = Curator(context.new_page())
    other.page.goto(address)
    other.point(number).wait_for()
