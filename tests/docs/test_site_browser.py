"""The site as readers open it: from a folder, without a network, on a phone, with search."""

from __future__ import annotations

import subprocess
import sys

import pytest
from doc_pages import ROOT

pytestmark = pytest.mark.slow
PHONE = {"width": 390, "height": 844}
PAGES = ("index", "reference/commands/mask", "reference/api/classes", "explanation/limits",
         "reference/methods/matched-swap", "guides/surveys", "reference/files")  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Built strictly: a warning would end it with another exit code."""
    pytest.importorskip("mkdocs", reason="the extra [docs] is not installed")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(ROOT / "packaging" / "build_site.py"), str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def browser():
    pytest.importorskip("playwright", reason="playwright is not installed")
    from chromium import find_chromium, launch
    from playwright.sync_api import sync_playwright

    if find_chromium() is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, site):
    """Open a page from the folder; whatever it asks for elsewhere, or complains of, is noted."""
    contexts, wrong = [], []

    def opened(name, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda r: r.url.startswith("http") and wrong.append(r.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto((site / f"{name}.html").as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def test_search_finds_a_word_without_a_server(open_page):
    page = open_page("index", viewport={"width": 1280, "height": 900})
    page.locator("input.md-search__input").click()
    page.keyboard.type("microaggregation")
    first = page.locator(".md-search-result__item a").first
    first.wait_for(timeout=20_000)
    assert "microaggregation" in first.inner_text().lower()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_a_phone(name, open_page):
    page = open_page(name, viewport=PHONE)
    page.locator("h1").first.wait_for()
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_dark_and_light_follow_the_reader(open_page):
    colours = [
        open_page("index", color_scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    assert colours[0] != colours[1]


def test_no_page_loads_anything_from_elsewhere(site):
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert 'src="http' not in text, page
        assert 'rel="stylesheet" href="http' not in text, page
