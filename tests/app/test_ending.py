"""What is closed or discarded while work on it goes on: the work ends, and nothing comes back."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pytest

from swapmeet.app import jobs
from swapmeet.app.case import Case
from swapmeet.app.run import Command, Run, RunKind, State

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are told as POSIX does")
SLEEPER = "#!{python} -IS\nimport time\ntime.sleep(60)\n"


@pytest.fixture
def case(site, tmp_path, monkeypatch):
    """A case whose runs do not end by themselves."""
    program = tmp_path / "sleeper"
    program.write_text(SLEEPER.format(python=sys.executable))
    program.chmod(0o700)
    monkeypatch.setattr(jobs, "sys", SimpleNamespace(executable=str(program)))
    return site.space.add_case(Case(name="a.csv", source="/a.csv"))


def run_of(case, kind, **facts):
    command = Command(("mask",), "swapmeet mask")
    return Run(kind=kind, case=case.key, title="t", commands=(command,), facts=facts)


def start(site, run):
    async def begin():
        return site.desk.jobs.start(run)

    return site.run(begin())


@pytest.fixture
def candidate(site, case):
    """One that was chosen."""
    run = site.space.add_run(run_of(case, RunKind.CANDIDATE, releases=["release.csv"]))
    site.space.save_case(case.change(candidate=run.number))
    return run


def test_whatever_works_on_a_discarded_candidate_is_stopped(site, case, candidate):
    works = [
        start(site, run_of(case, kind, candidate=1)) for kind in (RunKind.ANALYSIS, RunKind.PAPERS)
    ]
    assert site.post(f"/case/{case.key}/candidate/1/discard").status == 303
    assert not site.desk.jobs.open_jobs(case.key)
    assert not any(list(run.folder.iterdir()) for run in (candidate, *works))


def test_a_discarded_candidate_is_not_the_chosen_one(site, case, candidate):
    site.post(f"/case/{case.key}/candidate/1/discard")
    assert site.case(case.key).candidate is None


def test_discarding_does_not_bring_back_a_closed_case(site, case, candidate, monkeypatch):
    async def close(_):
        site.space.close_case(case.key)

    monkeypatch.setattr(site.desk.jobs, "stop", close)
    monkeypatch.setattr(type(site.space), "discard_run", lambda *_: None)
    assert site.post(f"/case/{case.key}/candidate/1/discard").status == 303
    assert not site.space.case_folder(case.key).exists()


def test_closing_stops_all_work_and_leaves_nothing(site, case):
    run = start(site, run_of(case, RunKind.SEARCH))
    assert site.post(f"/case/{case.key}/close").status == 303
    assert not site.desk.jobs.open_jobs(case.key)
    assert site.space.find_run(case.key, run.name) is None
    assert not site.space.case_folder(case.key).exists()


@pytest.mark.parametrize("page", ["/case/{}/close", "/quit"])
def test_nothing_can_begin_on_a_file_that_is_being_closed(site, case, monkeypatch, page):
    found = []

    async def stop(key):
        found.append(site.space.find_case(key))

    with monkeypatch.context() as patch:
        patch.setattr(site.desk.jobs, "stop_case", stop)
        site.post(page.format(case.key), forget="yes")
    assert found == [None]


def test_a_stopped_run_is_kept_as_stopped(site, case):
    run = start(site, run_of(case, RunKind.SEARCH))
    site.post(f"/case/{case.key}/run/search/1/stop")
    assert site.find_run(case.key, run.name).state is State.STOPPED
