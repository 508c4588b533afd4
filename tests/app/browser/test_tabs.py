"""Several tabs and several browsers at once."""

from __future__ import annotations

import pytest
from curator import Curator

STALE = "The page was out of date"


@pytest.fixture
def two_tabs(curator):
    """Two tabs of one browser, with the same file."""
    curator.open_example()
    other = Curator(curator.page.context.new_page())
    other.page.goto(curator.page.url)
    return curator, other


def show(step, *tabs):
    for tab in tabs:
        tab.go(step)


def role(tab, column):
    return tab.page.get_by_label(f"Role of {column}", exact=True)


def limit(tab, title):
    return tab.page.get_by_label(title)


def test_roles_of_a_stale_page_are_told_and_not_kept(two_tabs):
    first, second = two_tabs
    show("roles", first, second)
    role(first, "age").select_option("drop")
    first.click("Save and stay")
    role(second, "educ").select_option("keep")
    second.click("Save and stay")
    assert STALE in second.problem
    assert role(second, "age").input_value() == "drop"
    assert role(second, "educ").input_value() == "key"


@pytest.mark.slow
def test_after_the_message_the_change_can_be_made_again(two_tabs):
    first, second = two_tabs
    show("roles", first, second)
    role(first, "age").select_option("drop")
    first.click("Save and stay")
    second.click("Save and stay")
    role(second, "educ").select_option("keep")
    second.click("Save and go on: protect", to="protect")
    show("roles", first)
    assert role(first, "age").input_value() == "drop"
    assert role(first, "educ").input_value() == "keep"


@pytest.mark.slow
def test_an_intruder_of_a_stale_page_does_not_undo_what_was_said_of_columns(two_tabs):
    first, second = two_tabs
    show("roles", first, second)
    first.page.get_by_label("The intruder knows age").uncheck()
    first.click("Save and stay")
    second.click("Use this intruder")
    assert STALE in second.problem
    assert not second.page.get_by_label("The intruder knows age").is_checked()


def test_limits_of_a_stale_page_are_told_and_not_kept(two_tabs):
    first, second = two_tabs
    show("protect", first, second)
    limit(first, "People found").fill("0.1")
    first.click("Save the limits")
    limit(second, "Whole records").fill("0.3")
    second.click("Save the limits")
    assert STALE in second.problem
    assert limit(second, "People found").input_value() == "0.1"
    assert limit(second, "Whole records").input_value() != "0.3"


@pytest.mark.slow
def test_a_file_closed_in_one_tab_is_told_in_the_other(two_tabs):
    first, second = two_tabs
    first.page.on("dialog", lambda dialog: dialog.accept())
    first.click("Close this file")
    first.page.wait_for_url("**/")
    second.page.reload()
    second.wait_for("This file is not open any more")


@pytest.mark.slow
def test_two_browsers_work_at_once_on_the_same_files(new_curator):
    one, other = new_curator(), new_curator()
    one.open_example()
    other.page.goto(one.page.url)
    other.go("roles")
    role(other, "age").select_option("drop")
    other.click("Save and stay")
    show("roles", one)
    assert role(one, "age").input_value() == "drop"


def test_a_browser_without_the_link_is_refused(new_curator, browser, app):
    page = new_curator().page
    stranger = browser.new_context()
    try:
        answer = stranger.new_page().goto(page.url)
        assert answer.status == 403
        assert "Open the link that the terminal shows" in answer.text()
    finally:
        stranger.close()


def test_a_browser_with_a_wrong_link_is_refused(browser, app):
    stranger = browser.new_context()
    try:
        page = stranger.new_page()
        assert page.goto(f"{app.link}x").status == 403
        assert page.goto(app.address).status == 403
        assert stranger.cookies() == []
    finally:
        stranger.close()
