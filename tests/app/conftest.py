"""An app in this process; see `local_site`."""

from __future__ import annotations

import os
from contextlib import contextmanager

import pytest


@contextmanager
def start_site(folder):
    """An app whose new files are the user's own, as in that of `swapmeet app`."""
    from local_site import Site

    before = os.umask(0o077)
    site = Site(folder)
    try:
        yield site
    finally:
        site.close()
        os.umask(before)


@pytest.fixture
def site(tmp_path):
    """An app with an empty folder."""
    with start_site(tmp_path / "app") as site:
        yield site


@pytest.fixture(scope="module")
def same_site(tmp_path_factory):
    """One app for all tests of a file."""
    with start_site(tmp_path_factory.mktemp("app")) as site:
        yield site
