"""An app in this process; see `local_site`."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

import pytest


@contextmanager
def start_site(folder):
    """An app whose new files are the user's own, as in that of `swapmeet app`."""
    from local_site import Site

    before = os.umask(0o077)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "swapmeet.app.guard.TABLES", ()
        )  # a machine may have thousands of connections
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


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A case that was taken all the way, to be looked at only; it is made once for all workers."""
    from finished_case import Finished, share_finished
    from local_site import Site

    base = tmp_path_factory.getbasetemp()
    made = share_finished(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)
    folder = tmp_path_factory.mktemp("finished") / "app"
    shutil.copytree(made["folder"], folder)
    site = Site(folder)
    yield Finished(site, made["key"])
    site.close()
