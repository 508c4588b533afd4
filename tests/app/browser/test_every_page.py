"""Every page, light and dark: axe-core finds nothing serious, and pictures can be looked at.

`SWAPMEET_SCREENSHOTS` names the folder that the pictures are written to.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import tour
from chromium import WINDOW

pytestmark = pytest.mark.slow

SCREENSHOTS = os.environ.get("SWAPMEET_SCREENSHOTS")
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="module")
def walk_first(walk):
    """The walk has a browser of its own, which must have ended before another is opened."""
    return walk


@pytest.fixture(scope="module")
def app(walk_first, tmp_path_factory):
    app = tour.start_app(walk_first, tmp_path_factory.mktemp("tour"))
    yield app
    app.stop()


@pytest.fixture(scope="module")
def addresses(walk_first, app, browser):
    curator = tour.look(browser, app, "light", viewport=WINDOW)
    found = tour.prepare(curator, walk_first)
    curator.page.context.close()
    return {name: app.address + path for name, path in found.items()}


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    return request.param


@pytest.fixture
def curator(addresses, browser, app, scheme):
    curator = tour.look(browser, app, scheme, viewport=WINDOW)
    yield curator
    curator.page.context.close()


@pytest.mark.parametrize("name", tour.PAGES)
def test_axe_finds_nothing_serious(curator, addresses, name):
    sync_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")
    tour.show(curator, name, addresses[name])
    found = sync_playwright.Axe().run(curator.page).response["violations"]
    serious = [
        (one["id"], [node["target"] for node in one["nodes"]])
        for one in found
        if one["impact"] in SERIOUS
    ]
    assert serious == []


@pytest.mark.skipif(SCREENSHOTS is None, reason="SWAPMEET_SCREENSHOTS names no folder")
@pytest.mark.parametrize("name", tour.PAGES)
def test_pictures_of_pages(curator, addresses, name, scheme):
    tour.show(curator, name, addresses[name])
    picture = Path(SCREENSHOTS) / f"{scheme}-{name}.png"
    curator.page.screenshot(path=picture, full_page=True)
    assert picture.stat().st_size > 0
