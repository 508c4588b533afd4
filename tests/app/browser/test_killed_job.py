"""The process of a job is killed: the page tells, and the session lives on."""

from __future__ import annotations

import pytest
from app_server import kill, wait_until
from curator import JOB

pytestmark = pytest.mark.slow

DIED = "The process ended without a message"


@pytest.fixture
def working(curator, people):
    curator.open_path(people)
    curator.wait_for("200 rows")
    return curator


def kill_job(app):
    (job,) = wait_until(app.list_jobs)
    kill(job)


def test_a_candidate_whose_process_was_killed_is_told_and_another_can_be_made(working, app):
    working.ask_for_candidate()
    kill_job(app)
    working.page.get_by_text(DIED).first.wait_for(timeout=JOB)
    assert working.page.get_by_role("cell", name="failed: ").is_visible()
    working.make_candidate()


def test_a_search_whose_process_was_killed_is_told_and_can_go_on(working, app):
    working.start_search("rwn")
    working.wait_for_progress()
    kill_job(app)
    assert DIED in working.problem
    working.click("Go on with it")
    working.wait_for_progress()
    working.stop_job()


def test_a_first_look_whose_process_was_killed_is_told_and_can_be_had_again(curator, app, people):
    curator.open_path(people)
    kill_job(app)
    assert DIED in curator.problem
    curator.click("Read it again")
    curator.wait_for("200 rows")
