"""No value of a person, no seed and no private place is on any page, in any log or in any file."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from finished_case import MARKERS, SEED, WORD, make_people

import swapmeet as sm
from swapmeet.app.pages import ROUTES
from swapmeet.base.seeds import Seed

VALUES_ALLOWED = {"source", "release.csv", "release.parquet", "run.audit"}


def fill(finished, path):
    """All addresses of a route, of things that there are."""
    numbers = [run.number for run in finished.site.space.runs(finished.key)]
    names = ["release.csv.run.toml"]
    if "/picture/" in path:
        names = [p.name for p in finished.run("candidate-2").folder.glob("pictures/*.svg")]
    places = [path.replace("{case}", finished.key)]
    for mark, values in (("{run:int}", sorted(set(numbers))), ("{name}", names),
                         ("{audience}", ["internal", "public", "internal?read=1", "public?read=1"]),
                         ("{kind}", ["candidate"])):  # fmt: skip
        if mark in path:
            places = [place.replace(mark, str(value)) for place in places for value in values]
    return places


@pytest.fixture(scope="module")
def pages(finished):
    """Every page and picture of the finished case, and all parts of pages."""
    places = [place for route in ROUTES if "GET" in route.methods
              for place in fill(finished, route.path)]  # fmt: skip
    places += [f"{finished.home}/compare?with=1&with=2", f"{finished.home}/decide?candidate=1",
               f"{finished.home}/jobs?watch=candidate-1,search-9", "/static/app.js"]  # fmt: skip
    places += [f"{finished.home}/settings?method={name}" for name in ("rwn", "nbrs", "cart")]
    return {place: finished.site.get(place) for place in places}


def test_every_page_is_looked_at(pages, finished):
    good = {place for place, answer in pages.items() if answer.status == 200}
    steps = ("data", "roles", "protect", "compare", "decide", "release", "candidate/1", "jobs")
    assert {f"{finished.home}/{step}" for step in steps} <= good
    pictures = [place for place in good if "/picture/" in place]
    assert len(pictures) >= 4
    assert all("</svg>" in pages[place].text for place in pictures)
    assert sum("read=1" in place for place in good) == 2
    assert {answer.status for answer in pages.values()} <= {200, 303, 403, 404}


def test_no_page_has_a_value(pages):
    for place, answer in pages.items():
        found = [marker for marker in MARKERS if marker in answer.text]
        assert not found, place


def test_the_markers_would_be_found():
    text = make_people().to_csv()
    assert all(marker in text for marker in MARKERS[:2])


def test_no_page_has_a_seed(pages):
    assert not [place for place, answer in pages.items() if SEED in answer.text]


def test_no_page_has_the_private_place_of_the_file(pages, finished):
    private = str(finished.site.space.folder)
    assert not [place for place, answer in pages.items() if private in answer.text]


def test_no_page_has_the_token_or_the_cookie(pages, finished):
    keys = finished.site.keys
    assert not [p for p, answer in pages.items() if keys.token in answer.text]
    assert not [p for p, answer in pages.items() if keys.cookie in answer.text]


def test_no_page_runs_code_of_its_own_or_asks_others(pages):
    for place, answer in pages.items():
        if "html" not in answer.headers.get("content-type", "") or "/papers/" in place:
            continue
        assert "<script>" not in answer.text
        assert not re.search(r"\son[a-z]+=", answer.text), place
        assert not re.search(r'(src|href|action)="(https?:)?//', answer.text), place


def files(finished):
    return [path for path in finished.site.space.folder.rglob("*") if path.is_file()]


def test_no_file_has_the_seed_but_the_audit_record(finished):
    key = int(SEED).to_bytes(8, "little")
    forms = [SEED.encode(), key, key[::-1], key.hex().encode(), f"{int(SEED):x}".encode()]
    for path in files(finished):
        if path.name != "run.audit":
            content = path.read_bytes()
            assert not [form for form in forms if form in content], path


def test_the_audit_record_has_the_seed(finished):
    record = sm.AuditRecord.load(finished.run("candidate-1").folder / "run.audit")
    assert record.seed.key == Seed.chosen_by_user(int(SEED)).key


def test_no_file_has_a_value_but_the_data_and_the_releases(finished):
    for path in files(finished):
        if not VALUES_ALLOWED & {path.name, path.parent.name}:
            text = path.read_text(errors="replace")
            assert not [marker for marker in MARKERS if marker in text], path


def test_names_that_were_dropped_are_in_no_release(finished):
    assert f"{WORD}name" not in (finished.run("candidate-2").folder / "release.csv").read_text()
    assert f"{WORD}name" not in (finished.run("candidate-1").folder / "release.csv").read_text()


def test_the_reason_is_on_no_public_page(finished):
    folder = finished.run("papers-1").folder
    assert "For teaching" in (folder / "internal.html").read_text()
    assert "For teaching" not in (folder / "public.html").read_text()


def test_only_the_user_can_read_the_files(finished):
    made = finished.site.space.folder
    loose = [p for p in made.rglob("*") if p.stat().st_mode & 0o077 and p.name != "lock"]
    assert not loose


@pytest.mark.slow
def test_refusals_of_the_command_line_quote_no_value(finished, tmp_path):
    """What the curator typed may come back to them; what stands in the file may not."""
    path = next((finished.folder / "source").iterdir())
    command = [sys.executable, "-m", "swapmeet", "mask", str(path), "release.csv", "--method",
               "noise", "--audit", "a", "--drop", "name"]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 3
    assert not [marker for marker in MARKERS if marker in run.stderr + run.stdout]
