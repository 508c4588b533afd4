from __future__ import annotations

import json

import pytest

from swapmeet.app.results import find_loss, find_score, summarize
from swapmeet.app.run import Command, Kind, Run
from swapmeet.measures.overall import WHOLE_LOSS

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
    return summarize(run_with(folder, Kind.CANDIDATE, MADE, {"assessment": card(*scores)}))


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
    assert summarize(run_with(tmp_path, Kind.CANDIDATE, MADE)) == {}
    assert summarize(run_with(tmp_path, Kind.CANDIDATE)) == {}


def test_other_runs_have_no_figures(tmp_path):
    for kind in (Kind.INSPECTION, Kind.ANALYSIS, Kind.PAPERS):
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
    found = summarize(run_with(tmp_path, Kind.SEARCH, study))
    assert [(p["number"], p["risk"], p["loss"]) for p in found["points"]] == [
        (0, 0.1, 0.2), (2, 0.3, None),
    ]  # fmt: skip
    assert (found["best"], found["trials"], found["sentences"]) == (0, 7, ["Take it."])


def test_a_search_that_was_stopped_at_once_has_no_points(tmp_path):
    assert summarize(run_with(tmp_path, Kind.SEARCH)) == {}
