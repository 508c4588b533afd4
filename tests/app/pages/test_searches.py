from __future__ import annotations

import asyncio
import json

import pytest
from finished_case import make_people

from swapmeet.app.case import Case
from swapmeet.app.jobs import Jobs
from swapmeet.app.pages.searches import _rank
from swapmeet.app.run import Command, Run, RunKind, State


def tried(number, score, linkage=0.1, failure="", method="rwn", **settings):
    return {
        "number": number, "method": method, "settings": settings, "label": f"{method} {number}",
        "medians": {"score": score, "linkage": linkage, "loss": score, "risk": linkage},
        "unfavourable": {"linkage": linkage}, "failure": failure, "repeats": 3, "checked": True,
    }  # fmt: skip


STUDY = {
    "limits": {"linkage": 0.2, "copies": 0.01},
    "choice": {"best": 3, "sentences": ["Take <the third>."]},
    "candidates": [
        tried(0, 0.1, linkage=0.5),
        tried(1, 0.4),
        tried(2, None, failure="refused."),
        tried(3, 0.5, k=7, q=1.0),
        tried(4, None),
        tried(5, 0.3),
    ],
    "trials": 18,
}


# the order


def test_the_best_comes_first_then_those_that_keep_the_limits():
    assert [one["number"] for one in _rank(json.loads(json.dumps(STUDY)))] == [3, 5, 1, 4, 0]


def test_limits_that_are_missed_are_named():
    ranked = {one["number"]: one["missed"] for one in _rank(json.loads(json.dumps(STUDY)))}
    assert ranked[0] == ["linkage"]
    assert ranked[5] == []


def test_a_search_without_a_result_has_no_order():
    assert _rank({}) == []


# the page


@pytest.fixture
def case(site):
    return site.space.add_case(Case(name="people.csv", source="/people.csv", proposed=True))


@pytest.fixture
def asked(monkeypatch):
    """What would have been run."""
    runs = []
    monkeypatch.setattr(Jobs, "start", lambda _, run, given=(): runs.append(run) or run)
    monkeypatch.setattr(Jobs, "resume", lambda _, run: runs.append(run) or run)
    return runs


def add_search(site, case, state=State.DONE, study=STUDY, **told):
    run = site.space.add_run(
        Run(kind=RunKind.SEARCH, case=case.key, title="Searching", state=state,
            commands=(Command(("tune",), "swapmeet tune people.csv"),),
            facts={"question": case.question, "budget": "2m"}, **told)
    )  # fmt: skip
    if study:
        run.output_path(1).write_text(json.dumps(study))
    return run


def page_of(site, case):
    answer = site.get(f"/case/{case.key}/search/1")
    assert answer.status == 200
    return answer.text


def test_the_page_recommends_and_lists(site, case):
    add_search(site, case)
    page = page_of(site, case)
    table = page[page.index("<tbody>") :]
    assert "Take &lt;the third&gt;." in page
    assert table.index("(3)<") < table.index("(5)<") < table.index("(0)<")
    assert "(2)<" not in table
    assert "exceeds the limit on people found" in page


def test_the_recommendation_is_a_sentence_with_alternatives(site, case):
    others = [{"number": 0, "less": "loss"}, {"number": 5, "less": "risk"}]
    study = {**STUDY, "choice": {**STUDY["choice"], "alternatives": others}}
    add_search(site, case, study=study)
    page = page_of(site, case)
    assert "(3): an intruder finds 10 of 100 people, and analysts lose much (0.5 of 1)" in page
    less_loss = page[page.index("Less loss:") :]
    assert "(0): an intruder finds 50 of 100 people" in less_loss
    assert "It exceeds the limit on people found." in less_loss
    assert "Less risk:" in less_loss


def test_a_choice_that_others_may_beat_is_the_best_so_far(site, case):
    choice = {**STUDY["choice"], "sentences": ["Best so far: take it."]}
    add_search(site, case, study={**STUDY, "choice": choice})
    assert ">Best so far</h2>" in page_of(site, case)


def test_that_there_is_no_alternative_is_said(site, case):
    add_search(site, case)
    assert "No other setting that was tried is a clear alternative" in page_of(site, case)


@pytest.mark.parametrize(("end", "words"), [(0.5, "Nearest to your limits"), (0.1, "Best so far")])
def test_what_a_first_look_alone_speaks_for_is_the_best_so_far(site, case, end, words):
    tried_one = {**tried(4, 0.1), "unfavourable": {"linkage": end}, "checked": False}
    study = {**STUDY, "choice": {"best": None, "nearest": 4, "sentences": ["None."]},
             "candidates": [tried_one]}  # fmt: skip
    add_search(site, case, State.STOPPED, study=study, error="Stopped on request.")
    assert f">{words}</h2>" in page_of(site, case)


def test_what_may_keep_the_limits_is_offered_beside_the_nearest(site, case):
    far = tried(1, 0.1, linkage=0.5)
    hope = {**tried(2, 0.3), "checked": False}
    study = {**STUDY, "choice": {"best": None, "nearest": 1, "sentences": ["None."]},
             "candidates": [far, hope]}  # fmt: skip
    add_search(site, case, study=study)
    page = page_of(site, case)
    assert "Not measured in full yet:</strong> Randomization within neighbourhoods (2)" in page
    assert "No setting that was measured in full keeps all limits." in page


def test_a_search_that_has_ended_can_go_on(site, case):
    add_search(site, case)
    assert "Go on with it" in page_of(site, case)


def test_a_search_under_way_says_so(site, case):
    add_search(site, case, State.RUNNING, study=None)
    assert "under way" in page_of(site, case)


def test_a_search_that_was_stopped_can_go_on(site, case, asked):
    add_search(site, case, State.STOPPED, study=None, error="Stopped on request.")
    assert "Go on with it" in page_of(site, case)
    site.post(f"/case/{case.key}/search/1/continue")
    assert [run.name for run in asked] == ["search-1"]


def test_a_search_that_is_under_way_does_not_go_on_twice(site, case, asked):
    add_search(site, case, State.RUNNING, study=None)
    site.post(f"/case/{case.key}/search/1/continue")
    assert asked == []


def test_a_search_that_failed_says_why(site, case):
    add_search(site, case, State.FAILED, study=None, error="No such column.")
    assert "No such column." in page_of(site, case)


def test_a_setting_that_was_tried_becomes_a_candidate(site, case, asked):
    add_search(site, case)
    site.post(f"/case/{case.key}/search/1/make", number="3")
    (run,) = asked
    assert run.commands[0].shown.endswith("--method rwn --k 7 --audit run.audit")
    assert run.facts["search"] == 1


def test_parts_that_no_options_can_say_come_from_the_journal(site, case, asked):
    study = {**STUDY, "candidates": [tried(0, 0.1, method="per-column", parts=[{"x": 1}])]}
    add_search(site, case, study=study)
    site.post(f"/case/{case.key}/search/1/make", number="0")
    args = asked[0].commands[0].args
    assert args[args.index("--candidate") + 1] == "0"
    assert args[args.index("--from") + 1].endswith("search-1/study.jsonl")


@pytest.mark.parametrize("number", ["", "9", "x", "-1", "3.0"])
def test_a_setting_that_was_not_tried_is_told(site, case, asked, number):
    add_search(site, case)
    assert site.post(f"/case/{case.key}/search/1/make", number=number).status == 404
    assert asked == []


def test_a_search_of_another_question_is_told_as_such(site, case):
    add_search(site, case)
    site.space.change_case(case.key, lambda one: one.change(limits={"linkage": 0.9}))
    assert "another question" in page_of(site, case)


# for real


@pytest.mark.slow
def test_a_search_is_stopped_goes_on_and_its_best_becomes_a_candidate(site, tmp_path):
    make_people().drop(columns="name").to_csv(tmp_path / "people.csv", index=False)
    key = site.open(tmp_path / "people.csv")
    home = f"/case/{key}"
    site.get(f"{home}/protect")
    site.post(f"{home}/search", methods=["rwn", "rank-swap"], budget="6s",
              revision=site.case(key).revision)  # fmt: skip
    journal = site.find_run(key, "search-1").folder / "study.jsonl"
    wait_for(site, lambda: journal.exists() and journal.read_bytes().count(b"\n") > 2)
    site.post(f"{home}/run/search/1/stop")
    lines = journal.read_bytes().count(b"\n")
    assert site.find_run(key, "search-1").state is State.STOPPED
    assert lines > 2
    site.post(f"{home}/search/1/continue")
    site.wait(300)
    search = site.find_run(key, "search-1")
    assert (search.state, search.error) == (State.DONE, "")
    assert journal.read_bytes().count(b"\n") >= lines
    assert search.facts["points"]
    page = site.get(f"{home}/search/1").text
    number = page.split('name="number" value="')[1].split('"')[0]
    site.post(f"{home}/search/1/make", number=number)
    site.wait(300)
    candidate = site.find_run(key, "candidate-1")
    assert (candidate.state, candidate.error) == (State.DONE, "")
    assert 'class="trial' in site.get(f"{home}/compare").text


def wait_for(site, condition):
    async def look():
        while not condition():
            await asyncio.sleep(0.05)

    site.run(asyncio.wait_for(look(), 120))
