"""A browser, an app and a curator; where there is no browser, all these tests skip."""

from __future__ import annotations

import random
import sys
from contextlib import suppress

import pytest
from app_server import App
from chromium import WINDOW, find_chromium, launch
from curator import Curator
from walk import go_the_whole_way


@pytest.fixture(scope="session", autouse=True)
def chromium():
    pytest.importorskip("playwright", reason="playwright is not installed")
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")


@pytest.fixture(scope="module")
def browser(chromium):
    """One for each file: while it is open, asyncio is not free for other tests."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def walk(chromium, tmp_path_factory):
    """For files that need no browser of their own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return go_the_whole_way(playwright, tmp_path_factory.mktemp("walk"))


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    app = App.start(tmp_path_factory.mktemp("app"))
    yield app
    app.stop()


@pytest.fixture
def people(tmp_path):
    """A small file: work on it takes a few seconds."""
    path = tmp_path / "people.csv"
    draw = random.Random(1).randrange
    rows = [f"{draw(18, 90)},{draw(2)},{draw(900)},{draw(3)}" for _ in range(200)]
    path.write_text("\n".join(["age,sex,income,region", *rows, ""]))
    return path


@pytest.fixture
def new_curator(browser, app):
    """Curators with a browser of their own each, let in by the link."""
    contexts = []

    def make(app=app, **options):
        context = browser.new_context(viewport=WINDOW, **options)
        contexts.append(context)
        curator = Curator(context.new_page())
        curator.enter(app.link)
        return curator

    yield make
    for context in contexts:
        for page in context.pages:
            _write_page(page)
        context.close()


def _write_page(page):
    """What it shows in the end, unless it gives way to another page: told where a test fails."""
    from playwright.sync_api import Error

    with suppress(Error):
        words = page.locator("main").all_inner_texts()
        sys.stdout.write("\n".join([page.url, *words, ""]))


@pytest.fixture
def curator(new_curator):
    return new_curator()
