"""The app without a mouse: Tab, Enter, Space and letters."""

from __future__ import annotations

import re

import pyarrow.parquet as pq
import pytest
from curator import JOB
from keyboard import HAS_FOCUS, Keyboard

pytestmark = pytest.mark.slow


@pytest.fixture
def page(curator):
    return curator.page


@pytest.fixture
def keys(page):
    return Keyboard(page)


def test_the_whole_way_without_a_mouse(page, keys, curator, tmp_path):
    keys.press_on(page.get_by_role("button", name="Open the example"))
    onward = page.get_by_role("link", name="Go on: roles and intruder")
    onward.wait_for(timeout=JOB)
    keys.press_on(onward)
    choose_roles(page, keys)
    ask_for_candidate(page, keys)
    curator.point(1).wait_for(timeout=JOB)
    keys.press_on(curator.point(1))
    keys.press_on(page.get_by_role("link", name="Go on: decide on it"))
    keys.write(page.get_by_label("Why is this release published"), "For the archive.")
    keys.press_on(page.get_by_role("button", name=re.compile("^Choose this")))
    curator.wait_for_reports()
    release = tmp_path / "release.parquet"
    keys.take(page.get_by_role("link", name="release.parquet", exact=True)).save_as(release)
    assert pq.read_metadata(release).num_rows == 944
    assert keys.take(page.get_by_role("link", name="public.html")).path().stat().st_size > 0
    take_audit_record(page, keys)


def choose_roles(page, keys):
    role = page.get_by_label("Role of TVnews")
    keys.write(role, "keep")
    assert role.input_value() == "keep"
    known = page.get_by_label("The intruder knows educ")
    was = known.is_checked()
    keys.press_on(known, "Space")
    assert known.is_checked() != was
    keys.press_on(page.get_by_role("button", name="Save and go on: protect"))
    page.wait_for_url("**/protect")


def ask_for_candidate(page, keys):
    with page.expect_response(re.compile("/settings")):
        keys.write(page.get_by_label("Method", exact=True), "rank")
    keys.write(page.locator("#setting-window"), "0.2")
    keys.press_on(page.get_by_role("button", name="Make a candidate"))


def take_audit_record(page, keys):
    keys.press_on(page.locator("summary", has_text="Take the audit record"))
    keys.press_on(page.get_by_label(re.compile("can undo the masking")), "Space")
    record = keys.take(page.get_by_role("button", name="Take the audit record"))
    assert record.suggested_filename == "anes96-secret.audit"


def test_the_first_stop_leads_past_the_head_of_the_page(page, keys):
    keys.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    assert skip.evaluate(HAS_FOCUS)
    assert skip.bounding_box()["x"] >= 0
    keys.press("Enter")
    keys.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_the_focus_stays_while_the_progress_is_told(curator, keys, people):
    curator.open_path(people)
    curator.wait_for("200 rows")
    curator.start_search("rwn")
    curator.wait_for_progress()
    stop = curator.job.get_by_role("button", name="Stop")
    keys.reach(stop)
    far = curator.job.locator("progress").get_attribute("value")
    curator.job.locator(f"progress:not([value='{far}'])").wait_for()
    assert stop.evaluate(HAS_FOCUS)
    keys.press("Enter")
    curator.wait_for("Stopped on request")
