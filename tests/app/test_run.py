from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.app.run import (
    Command,
    Run,
    RunKind,
    State,
    find_loss,
    find_score,
    read_result,
    summarize,
)
from swapmeet.measures.overall import WHOLE_LOSS

SEED = "918273645546372819"
WORDS = st.text()
COMMANDS = st.builds(Command, st.lists(WORDS, max_size=4).map(tuple), WORDS)
FACTS = st.dictionaries(WORDS, st.none() | st.booleans() | st.integers() | WORDS, max_size=4)
RUNS = st.builds(
    Run,
    kind=st.sampled_from(RunKind),
    case=WORDS,
    title=WORDS,
    commands=st.lists(COMMANDS, max_size=3).map(tuple),
    number=st.integers(0, 99),
    state=st.sampled_from(State),
    asked=st.floats(0, 2e9),
    seconds=st.floats(0, 1e6),
    error=WORDS,
    facts=FACTS,
    folder=st.just(Path("/runs")),
)


def make(folder=Path(), **told):
    commands = (Command(("mask",), "swapmeet mask"), Command(("report",), "swapmeet report"))
    return Run(
        kind=RunKind.CANDIDATE, case="a", title="t", commands=commands, folder=folder, **told
    )


@given(RUNS)
def test_what_is_kept_comes_back(run):
    assert Run.from_dict(json.loads(json.dumps(run.to_dict())), Path("/runs")) == run


def test_a_seed_is_not_kept():
    run = make(seed=SEED)
    assert SEED not in json.dumps(run.to_dict())
    assert Run.from_dict(run.to_dict(), Path()).seed == ""


def test_a_seed_is_not_shown():
    assert SEED not in repr(make(seed=SEED))


def test_a_seed_in_a_file_is_not_taken():
    assert Run.from_dict({**make().to_dict(), "seed": SEED}, Path()).seed == ""


@pytest.mark.parametrize("state", State)
def test_only_waiting_and_running_is_open(state):
    assert state.is_open == (state.value in {"waiting", "running"})


@pytest.mark.parametrize("missing", ["kind", "state", "commands", "case"])
def test_a_run_without_what_it_needs_is_an_error(missing):
    content = make().to_dict()
    del content[missing]
    with pytest.raises((LookupError, TypeError)):
        Run.from_dict(content, Path())


def test_results_are_counted_from_one_and_from_the_end(tmp_path):
    run = make(tmp_path)
    run.output_path(1).write_text('{"a": 1}')
    run.output_path(2).write_text('{"b": 2}')
    assert (run.output(1), run.output(2), run.output()) == ({"a": 1}, {"b": 2}, {"b": 2})


def test_a_result_calls_files_as_people_do(tmp_path):
    place = str(tmp_path / "private" / "people.csv")
    command = Command(("inspect", place), "swapmeet inspect people.csv")
    run = Run(kind=RunKind.INSPECTION, case="a", title="t", commands=(command,), folder=tmp_path)
    run.output_path(1).write_text(json.dumps({"notes": [f"{place} is not UTF-8."], "rows": 3}))
    assert run.output() == {"notes": ["people.csv is not UTF-8."], "rows": 3}


@pytest.mark.parametrize("content", ["", "{", "[1]", "null", "1", "{'a': 1}", "\ud800"])
def test_a_result_that_was_broken_off_is_empty(tmp_path, content):
    path = tmp_path / "out-1.json"
    path.write_text(content, errors="surrogatepass")
    assert read_result(path) == {}


def test_no_result_is_empty(tmp_path):
    assert read_result(tmp_path / "none.json") == {}


def test_a_result_that_was_written_anew_is_read_anew(tmp_path):
    path = tmp_path / "out-1.json"
    path.write_text('{"trials": 1}')
    assert read_result(path) == {"trials": 1}
    path.write_text('{"trials": 22}')
    assert read_result(path) == {"trials": 22}


def test_a_result_that_was_removed_is_gone(tmp_path):
    path = tmp_path / "out-1.json"
    path.write_text('{"trials": 1}')
    read_result(path)
    path.unlink()
    assert read_result(path) == {}


MADE = {"method": "rwn", "settings": {"k": 5}, "rows": 60, "reproducible": False, "columns": []}
VERDICT = {"safe": True, "decided": True, "sentence": "Safe to publish."}


def score(measure, value, **more):
    return {"measure": measure, "value": value, "interval": None, "better": "lower", **more}


def card(*scores):
    return {"verdict": VERDICT, "scores": list(scores)}


def run_with(folder, kind, *outputs):
    run = Run(kind=kind, case="a", title="t", commands=(Command((), ""),) * 2, folder=folder)
    for number, content in enumerate(outputs, 1):
        run.output_path(number).write_text(json.dumps(content))
    return run


def summary(folder, *scores):
    return summarize(run_with(folder, RunKind.CANDIDATE, MADE, {"assessment": card(*scores)}))


LOSSES = [score(name, value) for name, value in zip(WHOLE_LOSS, (0.1, 0.2, 0.6), strict=True)]


def test_the_loss_is_the_mean_of_what_a_search_minimises():
    assert find_loss(card(*LOSSES)) == pytest.approx(0.3)


def test_the_loss_is_undefined_with_any_of_them():
    assert find_loss(card(*LOSSES[:2], score(WHOLE_LOSS[2], None))) is None
    assert find_loss(card(*LOSSES[:2])) is None


def test_a_score_without_a_value_is_none():
    assert find_score(card(score("linkage", None)), "linkage") is None
    assert find_score(card(), "linkage") is None


def test_a_candidate_has_its_verdict_and_both_figures(tmp_path):
    found = summary(tmp_path, score("linkage", 0.25), *LOSSES)
    assert (found["risk"], found["worst"], found["loss"]) == (0.25, 0.25, pytest.approx(0.3))
    assert (found["safe"], found["decided"], found["sentence"]) == (True, True, "Safe to publish.")


def test_the_worst_intruder_knows_everything(tmp_path):
    details = {"by level": {"keys": {"share": 0.25}, "everything": {"share": 0.75}}}
    found = summary(tmp_path, score("linkage", 0.25, details=details))
    assert (found["risk"], found["worst"]) == (0.25, 0.75)


@pytest.mark.parametrize("level", [{}, {"everything": {}}, {"everything": {"share": 0.1}}])
def test_the_worst_is_never_below_the_risk(tmp_path, level):
    found = summary(tmp_path, score("linkage", 0.25, details={"by level": level}))
    assert found["worst"] == 0.25


def test_undefined_measures_leave_the_verdict(tmp_path):
    found = summary(tmp_path, score("linkage", None))
    assert (found["risk"], found["worst"], found["loss"]) == (None, None, None)
    assert found["sentence"] == "Safe to publish."


def test_a_candidate_that_was_not_measured_has_no_figures(tmp_path):
    assert summarize(run_with(tmp_path, RunKind.CANDIDATE, MADE)) == {}
    assert summarize(run_with(tmp_path, RunKind.CANDIDATE)) == {}


def test_other_runs_have_no_figures(tmp_path):
    for kind in (RunKind.INSPECTION, RunKind.ANALYSIS, RunKind.PAPERS):
        assert summarize(run_with(tmp_path, kind, MADE, {"assessment": card()})) == {}


def trial(number, risk, loss, failure="", *, checked=True):
    medians = {"risk": risk, "loss": loss}
    return {"number": number, "medians": medians, "failure": failure, "checked": checked}


def test_a_search_has_a_point_for_each_setting_that_worked(tmp_path):
    study = {
        "candidates": [trial(0, 0.1, 0.2), trial(1, None, None, "refused"), trial(2, 0.3, None)],
        "choice": {"best": 0, "sentences": ["Take it."]},
        "trials": 7,
    }
    found = summarize(run_with(tmp_path, RunKind.SEARCH, study))
    assert [(p["number"], p["risk"], p["loss"]) for p in found["points"]] == [
        (0, 0.1, 0.2), (2, 0.3, None),
    ]  # fmt: skip
    assert (found["best"], found["trials"], found["sentences"]) == (0, 7, ["Take it."])


def test_a_search_that_was_stopped_at_once_has_no_points(tmp_path):
    assert summarize(run_with(tmp_path, RunKind.SEARCH)) == {}
