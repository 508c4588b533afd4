"""All pages of the app, with something on each, for whoever looks at them."""

from __future__ import annotations

import shutil
from urllib.parse import urlsplit

from app_server import App
from curator import JOB, Curator

TABS = ("columns", "measures", "analyses")
PAGES = (
    "home", "message", "data", "roles", "protect", "compare", "side-by-side", "candidate",
    *(f"candidate-{tab}" for tab in TABS), "decide", "release", "search", "search-under-way",
    "compare-empty", "decide-empty", "release-empty", "refusal", "stranger",
)  # fmt: skip


def start_app(walk, folder):
    """An app with the file that was taken the whole way."""
    shutil.copytree(walk.folder, folder / "app")
    return App.start(folder / "app")


def prepare(curator, walk):
    """The address of each page, without the port; another file has a search under way."""
    first = urlsplit(walk.case).path
    curator.page.goto(curator.page.url + first.removeprefix("/") + "/data")
    _add_candidate_and_analysis(curator)
    search = _make_search(curator)
    second = _open_other(curator)
    return {
        "home": "/",
        "message": "/case/none/data",
        **{step: f"{first}/{step}" for step in ("data", "roles", "protect", "compare", "decide",
                                                "release")},
        "side-by-side": f"{first}/compare?with=1&with=2",
        "candidate": f"{first}/candidate/1",
        **{f"candidate-{tab}": f"{first}/candidate/1?tab={tab}" for tab in TABS},
        "search": search,
        "search-under-way": f"{second}/search/1",
        **{f"{step}-empty": f"{second}/{step}" for step in ("compare", "decide", "release")},
        "refusal": f"{first}/roles",
        "stranger": "/",
    }  # fmt: skip


def show(curator, name, address):
    """Go to a page, and open all that can be opened on it."""
    page = curator.page
    if name == "stranger":
        page.context.clear_cookies()
    page.goto(address)
    if name == "search-under-way":
        curator.wait_for_progress()
    if name == "refusal":
        page.evaluate("document.querySelector('[name=revision]').value = 'another'")
        curator.click("Save and stay")
        page.get_by_role("alert").wait_for()
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")


def _add_candidate_and_analysis(curator):
    curator.make_candidate(seed=1)
    curator.go("candidate/1?tab=analyses")
    curator.page.get_by_label("Models").fill("income ~ age + educ")
    curator.page.get_by_label("Tables").fill("educ,vote")
    curator.page.get_by_label("Rare records").fill("age > 85")
    curator.click("Compare original and release")
    curator.page.get_by_text("R squared is").wait_for(timeout=JOB)


def _make_search(curator):
    curator.start_search("rwn", "rank-swap")
    curator.wait_for_progress()
    curator.stop_job()
    return urlsplit(curator.page.url).path


def _open_other(curator):
    curator.go_home()
    curator.open_example()
    curator.go("protect")
    curator.page.get_by_label("For about").select_option("10m")
    curator.click("Search", to="search/*")
    curator.wait_for_progress()
    return urlsplit(curator.case).path


def look(browser, app, scheme, **options):
    """A curator with a browser of their own, in which a page is light or dark."""
    curator = Curator(browser.new_context(color_scheme=scheme, **options).new_page())
    curator.enter(app.link)
    return curator
