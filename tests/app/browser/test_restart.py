"""The app ends and is started again: what is kept, what is refused, what is not left behind."""

from __future__ import annotations

import signal

import pytest
from app_server import App, are_gone, list_descendants, wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def app(tmp_path):
    app = App.start(tmp_path / "app")
    yield app
    app.stop()


@pytest.fixture
def working(curator, people):
    """A curator with an open file."""
    curator.open_path(people)
    curator.wait_for("200 rows")
    return curator


def test_files_and_candidates_are_there_again(working, app):
    number, address = working.make_candidate(), working.page.url
    said = app.stop()
    assert "The work on 1 file is kept" in said
    app.start_again()
    working.enter(app.link)
    working.page.get_by_role("link", name="people.csv").click()
    working.wait_for("200 rows")
    working.page.goto(address)
    working.look_at_candidate(number)
    working.wait_for("All measures")


def test_a_cookie_of_before_is_refused_by_a_page_that_says_what_to_do(working, app):
    app.stop()
    app.start_again()
    answer = working.page.reload()
    assert answer.status == 403
    working.wait_for("Open the link that the terminal shows")


def test_the_new_link_leads_back_to_the_page(working, app):
    address = working.page.url
    app.stop()
    app.start_again()
    working.enter(app.link)
    assert working.page.goto(address).status == 200


def test_a_page_left_open_tells_that_the_app_has_ended_and_that_it_is_back(working, app):
    working.start_search("rwn")
    working.wait_for_progress()
    app.stop()
    assert "Swapmeet does not answer" in working.problem
    app.start_again()
    working.wait_for("Swapmeet was started anew")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def test_no_process_outlives_the_app(working, app, end):
    working.start_search("rwn")
    working.wait_for_progress()
    processes = list_descendants(app.process.pid)
    assert len(processes) > 1
    app.stop(end)
    wait_until(lambda: are_gone(processes))


def test_a_search_that_died_with_the_app_is_shown_as_stopped_and_goes_on(working, app):
    working.start_search("rwn")
    working.wait_for_progress()
    address = working.page.url
    app.stop(signal.SIGKILL)
    app.start_again()
    working.enter(app.link)
    working.page.goto(address)
    working.wait_for("The app was closed before this was finished")
    assert app.list_jobs() == []
    working.click("Go on with it")
    working.wait_for_progress()


def test_a_candidate_that_died_with_the_app_is_shown_as_stopped(working, app):
    working.ask_for_candidate()
    wait_until(app.list_jobs)
    address = working.page.url
    app.stop(signal.SIGKILL)
    app.start_again()
    working.enter(app.link)
    working.page.goto(address)
    working.page.get_by_role("cell", name="stopped").wait_for()
    assert working.job.count() == 0


def test_an_app_that_was_killed_leaves_no_lock_and_no_unfinished_file(working, app):
    left = app.folder / "scratch" / "half-an-upload"
    app.stop(signal.SIGKILL)
    left.write_text("age,sex\n")
    app.start_again()
    assert not left.exists()
