"""Nothing leaves the machine, and the browser has nothing to complain of."""

from __future__ import annotations

from urllib.parse import urlsplit


def test_every_request_of_the_whole_way_is_to_the_app(walk):
    places = {(one.scheme, one.hostname, one.port) for one in map(urlsplit, walk.requests)}
    assert places == {("http", "127.0.0.1", walk.port)}


def test_the_browser_complains_of_nothing_on_the_whole_way(walk):
    assert walk.complaints == []
