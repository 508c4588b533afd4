from __future__ import annotations

import html
import shutil

import pytest
from local_site import FORM, Site
from made_up import read_text

from swapmeet.app.jobs import Jobs
from swapmeet.app.run import FIGURES, RunKind, State


@pytest.fixture
def asked(finished, monkeypatch):
    """What would have been run."""
    runs = []
    monkeypatch.setattr(
        Jobs, "start", lambda _, run, given=(): runs.append((run, list(given))) or run
    )
    return runs


@pytest.fixture
def other_limits(finished):
    """The case with other limits, for a moment."""
    space, before = finished.site.space, finished.case
    space.save_case(before.change(limits={"linkage": 0.9}))
    yield
    space.save_case(before)


# the page


def test_the_page_has_verdict_card_pictures_and_analyses(finished):
    verdict, columns, measures, analyses = (
        finished.get(f"candidate/2{tab}").text
        for tab in ("", "?tab=columns", "?tab=measures", "?tab=analyses")
    )
    card = finished.run("candidate-2").output(2)["assessment"]
    assert card["verdict"]["reasons"][0]["finding"].split()[-1] in verdict
    assert html.unescape(verdict).count(card["losses"]["sentence"]) == 2
    assert all(f'<th scope="row">{score["measure"]}</th>' in measures for score in card["scores"])
    assert columns.count("<figure>") == len(list_pictures(finished, 2))
    assert "income ~ age" in analyses
    assert "age &gt; 80" in analyses


def test_a_tab_that_there_is_not_is_the_verdict(finished):
    page = finished.get("candidate/2?tab=nothing").text
    assert 'id="limits"' in page
    assert page.count('aria-current="page"') == 1


def list_pictures(finished, number):
    return list((finished.run(f"candidate-{number}").folder / "pictures").glob("*.svg"))


def test_the_commands_are_those_that_were_run(finished):
    page = read_text(finished.get("candidate/1").text)
    assert "--method rank-swap --audit run.audit --seed NUMBER" in page
    assert "swapmeet report internal.html" in page


def test_pictures_are_shown_and_run_nothing(finished):
    name = list_pictures(finished, 1)[0].name
    answer = finished.get(f"candidate/1/picture/{name}")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("name", ["none.svg", "..%2Frun.json", "index.json", "../run.audit", "."])
def test_only_pictures_are_shown_as_such(finished, name):
    assert finished.get(f"candidate/1/picture/{name}").status == 404


def test_the_report_runs_nothing_and_loads_nothing(finished):
    answer = finished.get("candidate/1/report")
    policy = answer.headers["content-security-policy"]
    assert answer.status == 200
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("number", [3, 0, 99])
def test_a_candidate_that_there_is_not_is_told(finished, number):
    answer = finished.get(f"candidate/{number}")
    assert answer.status == 404
    assert "discarded" in answer.text


# analyses


def test_an_analysis_needs_something_to_do(finished, asked):
    answer = finished.site.post(f"{finished.home}/candidate/1/analyse", models=" \n ")
    assert answer.status == 400
    assert "at least one" in answer.text
    assert not asked


def test_lines_become_options(finished, asked):
    finished.site.post(
        f"{finished.home}/candidate/1/analyse", models="income ~ age\n\nage ~ town",
        rare="-age < -80", tables="town,happy",
    )  # fmt: skip
    ((run, _),) = asked
    assert run.kind is RunKind.ANALYSIS
    args = run.commands[0].args
    assert args[args.index("--model") + 1] == "income ~ age"
    assert "--rare=-age < -80" in args
    assert args.count("--model") == 2


# measured again


def test_a_candidate_is_measured_again_under_the_limits_of_now(finished, asked, other_limits):
    answer = finished.site.post(f"{finished.home}/candidate/1/again")
    assert answer.place.endswith("/compare")
    ((run, given),) = asked
    assert "linkage=0.9" in run.commands[1].args
    assert run.facts["question"]["limits"] == {"linkage": 0.9}
    assert {path.name for path in given} == {
        "release.csv", "release.csv.run.toml", "run.audit", "out-1.json",
    }  # fmt: skip


def test_the_verdict_of_before_does_not_count_for_what_is_measured_again(
    finished, asked, other_limits
):
    """Else a page would show it as that under the new limits, for good if measuring fails."""
    finished.site.post(f"{finished.home}/candidate/1/again")
    ((run, _),) = asked
    assert run.state is State.WAITING
    assert not set(FIGURES) & set(run.facts)
    assert run.facts["method"] == "rank-swap"


def test_what_has_no_release_cannot_be_measured_again(finished, asked):
    audit = finished.run("candidate-1").folder / "run.audit"
    audit.rename(audit.with_name("away"))
    try:
        answer = finished.site.post(f"{finished.home}/candidate/1/again")
    finally:
        audit.with_name("away").rename(audit)
    assert answer.status == 400
    assert not asked


# discarding


def test_a_form_without_the_key_discards_nothing(finished):
    path = f"{finished.home}/candidate/1/discard"
    assert finished.site.ask("POST", path, body=b"csrf=x", kind=FORM).status == 403
    assert finished.run("candidate-1")


@pytest.mark.slow
def test_a_candidate_that_was_stopped_can_be_made_again(site, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n" + "".join(f"{20 + i % 40},{'fm'[i % 2]}\n" for i in range(60)))
    key = site.open(path)
    site.post(f"/case/{key}/mask", method="rank-swap")
    site.post(f"/case/{key}/run/candidate/1/stop")
    assert "Make it again" in site.get(f"/case/{key}/candidate/1").text
    site.post(f"/case/{key}/candidate/1/make")
    assert site.find_run(key, "candidate-1").state.is_open
    site.post(f"/case/{key}/candidate/1/discard")


@pytest.fixture
def own_site(finished, tmp_path):
    """An app with a copy of the finished case, to be changed."""
    folder = tmp_path / "app"
    shutil.copytree(finished.site.space.folder, folder, ignore=shutil.ignore_patterns("lock"))
    with_own = Site(folder)
    yield with_own
    with_own.close()


@pytest.mark.slow
def test_a_release_measured_again_gets_the_verdict_under_the_limits_of_now(own_site, finished):
    key, site = finished.key, own_site
    site.space.change_case(key, lambda one: one.change(limits={"linkage": 1.0}))
    site.post(f"/case/{key}/candidate/2/again")
    assert "sentence" not in site.find_run(key, "candidate-3").facts
    site.wait(300)
    again, before = site.find_run(key, "candidate-3"), site.find_run(key, "candidate-2")
    assert again.state is State.DONE
    assert (again.facts["safe"], before.facts["safe"]) == (True, False)
    assert again.facts["risk"] == before.facts["risk"]
    release = (again.folder / "release.csv").read_bytes()
    assert release == (before.folder / "release.csv").read_bytes()
    site.post(f"/case/{key}/candidate/2/discard")
    assert site.find_run(key, "candidate-2") is None
    assert (again.folder / "release.csv").read_bytes() == release


def test_a_discarded_candidate_takes_its_analyses_and_reports_along(own_site, finished):
    key, site = finished.key, own_site
    site.post(f"/case/{key}/candidate/2/discard")
    left = {run.name for run in site.space.runs(key)}
    assert left == {"candidate-1", "inspection-1", "inspection-2"}
    assert site.case(key).candidate is None
    assert "No candidate has been chosen yet" in site.get(f"/case/{key}/release").text
    assert site.get(f"/case/{key}/candidate/2").status == 404


def test_a_closed_case_leaves_no_file(own_site, finished):
    own_site.post(f"/case/{finished.key}/close")
    assert not list((own_site.space.folder / "cases").iterdir())
