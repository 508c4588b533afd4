from __future__ import annotations

import os

import pytest
from local_site import PORT

from swapmeet.app.guard import Keys
from swapmeet.app.server import run_app
from swapmeet.app.workspace import Workspace
from swapmeet.errors import UsageError


@pytest.fixture(autouse=True)
def same_umask():
    """The app keeps what it writes from others; these tests share their process."""
    before = os.umask(0o077)
    yield
    os.umask(before)


def start_second(space, monkeypatch):
    """What is opened, and what is told, where the app runs already."""
    opened, told = [], []
    monkeypatch.setattr("webbrowser.open", opened.append)
    run_app(folder=space.folder, tell=told.append)
    return opened, told


def test_no_browser_is_started_with_the_token_among_its_arguments(tmp_path, monkeypatch):
    space, keys = Workspace.open(tmp_path / "app"), Keys()
    page = space.announce(f"http://127.0.0.1:{PORT}", keys.token)
    opened, told = start_second(space, monkeypatch)
    space.close()
    assert opened == [page.as_uri()]
    assert keys.token not in opened[0]
    assert keys.token in told[0]


def test_no_header_of_a_request_says_where_it_comes_from(tmp_path, monkeypatch):
    """Everybody can write such headers; and no other parser is used that allows more."""
    made = []

    def take(_, **options):
        made.append(options)
        raise UsageError

    monkeypatch.setattr("uvicorn.Config", take)
    with pytest.raises(UsageError):
        run_app(folder=tmp_path / "app", port=0, browser=False, tell=lambda _: None)
    assert made[0]["proxy_headers"] is False
    assert (made[0]["http"], made[0]["ws"]) == ("h11", "none")
