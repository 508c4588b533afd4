"""The browser of this machine, without a window."""

from __future__ import annotations

import shutil

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
)  # fmt: skip
WINDOW = {"width": 1280, "height": 800}


def find_chromium():
    """The path of the program, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def launch(playwright):
    return playwright.chromium.launch(executable_path=find_chromium(), args=list(OPTIONS))
