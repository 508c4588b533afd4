"""Whoever is filling in a form is not disturbed by work that ends meanwhile."""

from __future__ import annotations

import pytest

NEW = "This page has something new."


@pytest.fixture
def analysing(curator):
    """On the page of a candidate, with an analysis of it under way."""
    curator.open_example()
    number = curator.make_candidate()
    curator.go(f"candidate/{number}?tab=analyses")
    curator.page.get_by_label("Tables").fill("age,educ")
    curator.click("Compare original and release", to=f"candidate/{number}?tab=analyses")
    return curator


def test_what_is_typed_stays_when_the_page_has_something_new(analysing):
    models = analysing.page.get_by_label("Models")
    models.fill("income ~ age")
    analysing.wait_for(NEW)
    assert models.input_value() == "income ~ age"
    analysing.click("Load the page anew")
    analysing.wait_for("Table of age and educ")
