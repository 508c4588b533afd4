from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_site import Site

from swapmeet.app.jobs import Jobs
from swapmeet.app.opening import EXAMPLES
from swapmeet.app.pages.home import LAST_PAGE
from swapmeet.app.run import Kind


@pytest.fixture(autouse=True)
def asked(monkeypatch):
    """What would have been run."""
    runs = []
    monkeypatch.setattr(Jobs, "start", lambda _, run, given=(): runs.append(run) or run)
    return runs


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n30,f\n")
    return path


def open_path(site, path):
    return site.post("/open", path=str(path)).place.split("/")[2]


def test_the_first_page_offers_three_ways(site):
    page = site.get("/").text
    for action in ("/example", "/open", "/upload"):
        assert f'action="{action}"' in page
    assert all(f'value="{name}"' in page for name in EXAMPLES)


def test_a_file_is_opened_where_it_is(site, path, asked):
    case = site.case(open_path(site, path))
    assert (case.source, case.uploaded) == (str(path), False)
    assert [run.kind for run in asked] == [Kind.INSPECTION]
    assert str(path) in asked[0].commands[0].args
    assert not list(site.space.folder.rglob("*.csv"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_opened(site, asked, name):
    answer = site.post("/example", name=name)
    case = site.case(answer.place.split("/")[2])
    assert case.path.is_file()
    assert asked[0].facts == {"first": True}


@pytest.mark.parametrize("name", ["", "none", "fair", "../x"])
def test_what_is_no_example_is_told(site, name):
    assert site.post("/example", name=name).status == 404
    assert not site.space.cases()


@given(st.text())
def test_any_text_is_a_path_or_is_told(same_site, text):
    answer = same_site.post("/open", path=text)
    assert answer.status == 400
    assert 'class="problem"' in answer.text
    assert not same_site.space.cases()


def test_open_files_are_listed(site, path):
    key = open_path(site, path)
    assert f'href="/case/{key}/data"' in site.get("/").text


def test_a_closed_file_is_gone_from_here_only(site, path):
    key = open_path(site, path)
    assert site.post(f"/case/{key}/close").place == "/"
    assert not site.space.case_folder(key).exists()
    assert path.exists()
    answer = site.get(f"/case/{key}/data")
    assert answer.status == 404
    assert "Open it again" in answer.text


def test_a_file_that_was_closed_cannot_be_closed_again(site, path):
    key = open_path(site, path)
    site.post(f"/case/{key}/close")
    assert site.post(f"/case/{key}/close").status == 404


@pytest.mark.parametrize(("forget", "left"), [({}, 1), ({"forget": "yes"}, 0)])
def test_the_app_stops_and_keeps_what_is_to_be_kept(tmp_path, path, forget, left):
    stopped = []
    site = Site(tmp_path / "app", lambda: stopped.append(True))
    open_path(site, path)
    answer = site.post("/quit", **forget)
    site.run(asyncio.sleep(LAST_PAGE + 0.2))
    assert stopped == [True]
    assert "has stopped" in answer.text
    assert ("Your work is kept" in answer.text) == bool(left)
    assert len(site.space.cases()) == left
    site.close()


def test_the_work_is_there_after_a_restart(tmp_path, path):
    first = Site(tmp_path / "app")
    key = open_path(first, path)
    first.close()
    second = Site(tmp_path / "app")
    assert second.get(f"/case/{key}/data").status == 200
    second.close()


def test_a_browser_of_the_former_start_is_not_let_in(tmp_path):
    first = Site(tmp_path / "app")
    cookie = f"swapmeet-8417={first.keys.cookie}"
    first.close()
    second = Site(tmp_path / "app")
    assert second.get("/", headers={"cookie": cookie}).status == 403
    second.close()


def test_a_step_that_there_is_not_is_told(site, path):
    key = open_path(site, path)
    assert site.get(f"/case/{key}/nonsense").status == 404
    assert site.get(f"/case/{key}").place == f"/case/{key}/data"
