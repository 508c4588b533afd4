from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.app.case import Case
from swapmeet.app.run import Command, Run, RunKind, State
from swapmeet.app.workspace import CLOSED, Workspace, find_running
from swapmeet.errors import OutputError

CASE = Case(name="people.csv", source="/data/people.csv")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "app"


@pytest.fixture
def space(folder):
    space = Workspace.open(folder)
    yield space
    space.close()


def run_of(case, kind=RunKind.CANDIDATE, **told):
    command = Command(("mask",), "swapmeet mask")
    return Run(kind=kind, case=case.key, title="t", commands=(command,), **told)


@contextmanager
def killed_app(folder):
    """A folder as an app leaves it that was killed."""
    space = Workspace.open(folder)
    yield space
    space.lock.release()


# whose it is


def test_only_the_user_may_enter(folder):
    before = os.umask(0)
    try:
        space = Workspace.open(folder)
        case = space.add_case(CASE)
        run = space.add_run(run_of(case))
        folders = [folder, space.scratch, folder / "cases", run.folder]
        assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
        space.close()
    finally:
        os.umask(before)


def test_a_folder_that_was_open_to_others_is_closed_to_them(folder):
    folder.mkdir(0o755)
    Workspace.open(folder).close()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_of_other_things_is_left_alone(folder):
    (folder / "scratch").mkdir(0o755, parents=True)
    (folder / "scratch" / "draft.txt").touch()
    (folder / "thesis.tex").touch()
    folder.chmod(0o755)
    with pytest.raises(OutputError, match="holds other things than the work of the app"):
        Workspace.open(folder)
    assert (folder / "scratch" / "draft.txt").exists()
    assert folder.stat().st_mode & 0o777 == 0o755


def test_only_cases_are_swept_from_among_the_cases(folder):
    other = folder / "cases" / "Smith vs Jones"
    other.mkdir(parents=True)
    Workspace.open(folder).close()
    assert other.exists()


@pytest.mark.parametrize("part", ["cases", "scratch"])
def test_a_part_that_leads_elsewhere_is_refused(folder, tmp_path, part):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    folder.mkdir()
    (folder / part).symlink_to(tmp_path / "mine")
    with pytest.raises(OutputError, match="leads elsewhere"):
        Workspace.open(folder)
    assert (tmp_path / "mine" / "thesis.tex").exists()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner on Windows")
def test_a_folder_of_somebody_else_is_refused(folder, monkeypatch):
    folder.mkdir()
    monkeypatch.setattr("os.getuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(OutputError, match="belongs to somebody else"):
        Workspace.open(folder)


@pytest.mark.parametrize("key", ["..", ".", "", "a/b", "\0", "0" * 11, "A" * 12, "0" * 11 + "\n"])
def test_no_key_leads_out_of_the_cases(space, key):
    assert space.find_case(key) is None
    assert space.find_run(key, "candidate-1") is None


def test_the_link_is_for_the_user_only(space):
    before = os.umask(0o077)
    page = space.announce("http://127.0.0.1:1", "token")
    os.umask(before)
    assert page.stat().st_mode & 0o777 == 0o600
    assert (space.folder / "server.json").stat().st_mode & 0o777 == 0o600


def test_a_second_app_does_not_get_the_folder(space):
    assert Workspace.open(space.folder) is None


def test_a_second_app_finds_the_link_to_the_first(space):
    assert find_running(space.folder) is None
    space.announce("http://127.0.0.1:8417", "secret")
    assert find_running(space.folder) == "http://127.0.0.1:8417/enter?token=secret"


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"address": "x"}'])
def test_a_damaged_link_is_none(space, content):
    (space.folder / "server.json").write_text(content)
    assert find_running(space.folder) is None


def test_the_link_is_gone_when_the_app_is(folder):
    space = Workspace.open(folder)
    page = space.announce("http://127.0.0.1:8417", "secret")
    space.close()
    assert find_running(folder) is None
    assert not page.exists()
    assert "secret" not in "".join(p.read_text() for p in folder.rglob("*") if p.is_file())


def test_a_folder_that_cannot_be_had_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="--folder"):
        Workspace.open(tmp_path / "file")


def test_a_folder_named_from_here_is_the_same_from_everywhere(tmp_path, monkeypatch):
    """Work is done in folders of its own, which know nothing of where the app was started."""
    monkeypatch.chdir(tmp_path)
    space = Workspace.open(Path("app"))
    assert space.folder == tmp_path / "app"
    assert space.announce("http://127.0.0.1:1", "t").as_uri().startswith("file:///")
    space.close()


# cases


def test_a_case_is_kept_under_a_key_of_its_own(space):
    one, other = space.add_case(CASE), space.add_case(CASE)
    assert one.key != other.key
    assert space.find_case(one.key) == one


def test_the_case_opened_last_comes_first(space):
    old = space.add_case(CASE.change(opened=1.0))
    new = space.add_case(CASE.change(opened=2.0))
    assert [case.key for case in space.cases()] == [new.key, old.key]


@pytest.mark.parametrize("key", ["", "..", "a/b", "a\\b", "a\0b", "none", "a" * 5000, "²", "."])
def test_a_key_that_there_is_not_finds_nothing(space, key):
    assert space.find_case(key) is None


@given(key=st.text(), name=st.text())
def test_no_key_and_no_name_leads_out_of_the_folder(tmp_path_factory, key, name):
    root = tmp_path_factory.mktemp("outside")
    space = Workspace.open(root / "app")
    (root / "case.json").write_text(json.dumps(CASE.to_dict()))
    assert space.find_case(key) is None
    assert space.find_run(key, name) is None
    space.close()


DAMAGED = ["", "{", "[1]", "null", '"text"', "{}", '{"name": "a"}', "\x00\x01"]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_case_is_passed_over(space, content):
    good, bad = space.add_case(CASE), space.add_case(CASE)
    (space.case_folder(bad.key) / "case.json").write_text(content)
    assert [case.key for case in space.cases()] == [good.key]
    assert space.find_case(bad.key) is None


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_run_is_passed_over(space, content):
    case = space.add_case(CASE)
    good, bad = space.add_run(run_of(case)), space.add_run(run_of(case))
    (bad.folder / "run.json").write_text(content)
    assert [run.name for run in space.runs(case.key)] == [good.name]
    assert space.find_run(case.key, bad.name) is None


def test_a_closed_case_leaves_nothing(space):
    case = space.add_case(CASE)
    run = space.add_run(run_of(case))
    (run.folder / "pictures").mkdir()
    (run.folder / "pictures" / "a.svg").write_text("")
    space.close_case(case.key)
    assert not space.case_folder(case.key).exists()
    assert space.cases() == []


def test_a_file_opened_by_path_stays_where_it_is(space, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")
    case = space.add_case(Case(name=path.name, source=str(path)))
    space.close_case(case.key)
    assert path.exists()


# runs


def test_runs_are_counted_by_kind(space):
    case = space.add_case(CASE)
    kinds = [RunKind.CANDIDATE, RunKind.SEARCH, RunKind.CANDIDATE]
    runs = [space.add_run(run_of(case, kind)) for kind in kinds]
    assert [run.name for run in runs] == ["candidate-1", "search-1", "candidate-2"]
    assert space.find_run(case.key, "candidate-2") == runs[2]


def test_runs_come_in_the_order_of_asking(space):
    case = space.add_case(CASE)
    for asked in (3.0, 1.0, 2.0):
        space.add_run(run_of(case, asked=asked))
    assert [run.asked for run in space.runs(case.key)] == [1.0, 2.0, 3.0]


def test_the_number_of_a_discarded_run_is_not_given_again(space):
    case = space.add_case(CASE)
    space.add_run(run_of(case))
    last = space.add_run(run_of(case))
    space.discard_run(last)
    assert space.find_run(case.key, last.name) is None
    assert not list(last.folder.iterdir())
    assert space.add_run(run_of(case)).number == 3


def test_the_number_is_not_given_again_after_a_restart(folder):
    with killed_app(folder) as space:
        case = space.add_case(CASE)
        space.discard_run(space.add_run(run_of(case)))
    with killed_app(folder) as space:
        assert space.add_run(run_of(case)).number == 2


def test_a_run_of_a_case_that_was_closed_is_not_kept(space):
    case = space.add_case(CASE)
    run = space.add_run(run_of(case))
    space.close_case(case.key)
    space.save_run(run)
    assert not space.case_folder(case.key).exists()


@pytest.mark.parametrize("name", ["", "candidate", "candidate-x", "../a-1", "candidate-1/..", "-1"])
def test_a_name_that_there_is_not_finds_nothing(space, name):
    case = space.add_case(CASE)
    space.add_run(run_of(case))
    assert space.find_run(case.key, name) is None


# what a former app left


def test_what_is_half_done_is_swept_at_the_start(folder):
    with killed_app(folder) as space:
        (space.scratch / "half").write_text("secret")
        (space.scratch / "folder").mkdir()
        case = space.add_case(CASE)
        lost = folder / "cases" / "abc123abc123"
        lost.mkdir()
        (lost / "data.csv").write_text("secret")
    with killed_app(folder) as space:
        assert not list(space.scratch.iterdir())
        assert not lost.exists()
        assert space.cases() == [case]


def test_what_is_half_done_is_swept_at_the_end(folder):
    space = Workspace.open(folder)
    (space.scratch / "half").write_text("secret")
    space.close()
    assert not list((folder / "scratch").iterdir())


@pytest.mark.parametrize("state", [State.WAITING, State.RUNNING])
def test_runs_that_were_under_way_are_told_as_stopped(folder, state):
    with killed_app(folder) as space:
        case = space.add_case(CASE)
        run = space.add_run(run_of(case, state=state))
    with killed_app(folder) as space:
        found = space.find_run(case.key, run.name)
        assert (found.state, found.error) == (State.STOPPED, CLOSED)


@pytest.mark.parametrize("state", [State.DONE, State.FAILED, State.STOPPED])
def test_runs_that_had_ended_stay_as_they_were(folder, state):
    with killed_app(folder) as space:
        case = space.add_case(CASE)
        run = space.add_run(run_of(case, state=state, error="as it was"))
    with killed_app(folder) as space:
        assert space.find_run(case.key, run.name) == run
