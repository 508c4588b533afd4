"""The whole way from a built-in table to its release, once; what came of it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app_server import App
from chromium import WINDOW, launch
from curator import Curator

if TYPE_CHECKING:
    from pathlib import Path

REASON = "For the archive of the house; these limits are those of all its files."
TAKEN = ("release.parquet", "release.parquet.run.toml", "internal.html", "public.html")


@dataclass(frozen=True)
class Walk:
    """The folder of the app, what was taken away, and all that the browser did."""

    folder: Path
    case: str
    port: int
    release: Path
    run_file: Path
    internal: Path
    public: Path
    audit: Path
    refusal: str
    """What the page said when the audit record was asked for without the box."""
    taken_without_box: int
    requests: list[str]
    complaints: list[str]


def go_the_whole_way(playwright, folder):
    taken = folder / "taken"
    taken.mkdir()
    app = App.start(folder / "app")
    browser = launch(playwright)
    try:
        context = browser.new_context(viewport=WINDOW)
        return _walk(app, Curator(context.new_page()), taken)
    finally:
        browser.close()
        app.stop()


def _walk(app, curator, taken):
    curator.enter(app.link)
    curator.open_example()
    curator.click("Go on: roles and intruder", to="roles")
    curator.click("Save and go on: protect", to="protect")
    curator.look_at_candidate(curator.make_candidate())
    curator.click("Go on: decide on it", to="decide?candidate=1")
    curator.decide(REASON)
    curator.wait_for_reports()
    files = [curator.take(name, taken) for name in TAKEN]
    case, complaints = curator.case, list(curator.complaints)
    curator.show_audit_form()
    curator.click("Take the audit record")
    refusal, downloads = curator.problem, len(curator.downloads)
    curator.go("release")
    curator.show_audit_form()
    curator.tick_audit_box()
    audit = curator.take("Take the audit record", taken)
    return Walk(
        app.folder, case, app.port, *files, audit, refusal, downloads - len(files),
        curator.requests, complaints,
    )  # fmt: skip
