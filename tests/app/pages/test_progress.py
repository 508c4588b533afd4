from __future__ import annotations

import pytest

from swapmeet.app.case import Case
from swapmeet.app.jobs import Jobs, WaitingRun
from swapmeet.app.run import Command, Run, RunKind, State


@pytest.fixture
def case(site):
    return site.space.add_case(Case(name="people.csv", source="/people.csv"))


def add_run(site, case, kind=RunKind.CANDIDATE, **told):
    command = Command(("mask",), "swapmeet mask")
    facts = {"releases": ["release.csv"], "question": case.question, "method": "rwn"}
    return site.space.add_run(
        Run(kind=kind, case=case.key, title="Masking", commands=(command,), facts=facts, **told)
    )


def add_job(site, case, kind=RunKind.CANDIDATE, **told):
    """A run that is under way, without a process."""
    run = add_run(site, case, kind, state=State.RUNNING)
    job = WaitingRun(run, **told)
    site.desk.jobs._jobs[case.key, run.name] = job
    return job


@pytest.fixture(autouse=True)
def forget(site):
    yield
    site.desk.jobs._jobs.clear()


def ask(site, case, query=""):
    return site.get(f"/case/{case.key}/jobs{query}")


def test_what_is_under_way_is_told_with_how_far_it_is(site, case):
    add_job(site, case, label="measures", done=1200, total=3700)
    text = ask(site, case).text
    assert "Measures, 1,200 of 3,700" in text
    assert f'action="/case/{case.key}/run/candidate/1/stop"' in text


def test_every_page_of_the_case_tells_it(site, case):
    add_job(site, case, label="measures", done=3, total=37)
    for step in ("data", "roles", "protect", "compare", "decide", "release"):
        assert "3 of 37" in site.get(f"/case/{case.key}/{step}").text


def test_a_page_asks_again_only_while_something_is_under_way(site, case):
    assert "hx-get" not in ask(site, case).text
    add_job(site, case)
    assert "hx-get" in ask(site, case).text


def test_while_the_same_goes_on_only_how_far_it_is_is_told_anew(site, case):
    """A button that somebody is about to press stays the same button."""
    add_job(site, case, label="measures", done=3, total=37)
    text = ask(site, case, "?watch=candidate-1&shown=candidate-1").text
    assert "3 of 37" in text
    assert "<form" not in text


def test_what_a_process_tells_is_text_not_markup(site, case):
    add_job(site, case, label="<b>x</b>", news="<script>alert(1)</script>")
    text = ask(site, case).text
    assert "<script>" not in text
    assert "<b>x</b>" not in text


@pytest.mark.parametrize("state", [State.DONE, State.FAILED, State.STOPPED])
def test_what_has_ended_is_told_to_whoever_waited(site, case, state):
    add_run(site, case, state=state, error="" if state is State.DONE else "It went wrong.")
    text = ask(site, case, "?watch=candidate-1&shown=candidate-1").text
    assert ("is ready" in text) == (state is State.DONE)
    assert ("It went wrong." in text) == (state is not State.DONE)


@pytest.mark.parametrize(("state", "anew"), [(State.DONE, True), (State.RUNNING, False)])
def test_a_page_is_loaded_anew_when_what_it_awaits_has_ended(site, case, state, anew):
    add_run(site, case, state=state)
    answer = ask(site, case, "?watch=candidate-1&await=candidate-1")
    assert ("hx-refresh" in answer.headers) == anew


def test_a_page_that_awaits_nothing_is_left_alone(site, case):
    add_run(site, case, state=State.DONE)
    assert "hx-refresh" not in ask(site, case, "?watch=candidate-1").headers


@pytest.mark.parametrize(
    "query", ["?watch=x", "?watch=..%2F..-1", "?watch=candidate-99", "?watch=,"]
)
def test_odd_names_are_passed_over(site, case, query):
    assert ask(site, case, query).status == 200


@pytest.mark.parametrize(
    ("kind", "place"),
    [(RunKind.SEARCH, "search/1"), (RunKind.INSPECTION, "data"), (RunKind.PAPERS, "release"),
     (RunKind.CANDIDATE, "compare")],
)  # fmt: skip
def test_stopping_leads_to_where_the_result_would_be(site, case, monkeypatch, kind, place):
    stopped = []

    async def stop(_, run):
        stopped.append(run.name)

    monkeypatch.setattr(Jobs, "stop", stop)
    run = add_run(site, case, kind, state=State.RUNNING)
    answer = site.post(f"/case/{case.key}/run/{kind}/1/stop")
    assert answer.place == f"/case/{case.key}/{place}"
    assert stopped == [run.name]


@pytest.mark.parametrize("kind", ["nonsense", "candidate", "..", "Candidate"])
def test_what_there_is_not_cannot_be_stopped(site, case, kind):
    assert site.post(f"/case/{case.key}/run/{kind}/1/stop").status == 404
