from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.errors import LimitError, ParameterError
from swapmeet.tuning.goal import Goal
from swapmeet.tuning.study import Study
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.trial_table import TrialTable


@pytest.fixture
def study(prepare, table, trial, cheap):
    """Three settings, one of them refused, and one with synthetic rows."""
    trials = TrialTable()
    for repeat, risk in enumerate([0.2, 0.3, 0.4]):
        trials.add(trial(10, repeat, risk, 0.2))
    trials.add(trial(9, 0, 0.1, 0.6))
    trials.add(Trial(Setting.of(sm.RWN(k=5)), 0, 0.0, {}, "rwn: no."))
    trials.add(Trial(Setting.of(sm.Cart()), 0, 1.0, {"pscr": np.nan, "margins": 0.0}, owned=False))
    return Study(prepare(table)[1], trials, {"pscr": 0.35}, cheap)


def test_trials_are_gathered_by_setting(study, bins):
    assert len(study.trials) == 5
    assert len(study.trials.settings) == 4
    assert study.trials.repeats(bins(10)) == {0, 1, 2}
    assert study.trials.repeats(bins(11)) == set()
    assert study.trials.seconds == pytest.approx(1.4)


def test_repeats_come_in_their_order_whichever_ended_first(trial, cheap):
    one, two = TrialTable(), TrialTable()
    for repeat in range(4):
        one.add(trial(5, repeat, repeat / 10))
    for repeat in (2, 0, 3, 1):
        two.add(trial(5, repeat, repeat / 10))
    for trials in (one, two):
        found = trials.candidate(trial(5, 0).setting.key, cheap)
        assert found.repeats["pscr"] == pytest.approx([0.0, 0.1, 0.2, 0.3])


def test_candidates_are_numbered_in_an_order_in_which_9_comes_before_10(study):
    assert [(c.number, c.label) for c in study.candidates] == [
        (1, "cart min_leaf=5"), (2, "rwn k=5 q=1 weights=1"), (3, "sjppds bins=9"),
        (4, "sjppds bins=10"),
    ]  # fmt: skip
    assert study.candidates[1].failure == "rwn: no."
    assert not study.candidates[0].owned
    assert study.candidates[3].repeats["score"] == pytest.approx([0.2, 0.25, 0.3])


def test_the_best_keeps_the_limits_and_has_a_score(study):
    assert study.best.label == "sjppds bins=10"
    assert [p.candidate.label for p in study.frontier()] == ["sjppds bins=9", "sjppds bins=10"]
    assert repr(study) == "<Study of 5 trials of 4 settings, 1 failed>"


def test_the_same_trials_under_other_limits_and_another_goal(study, cheap):
    assert study.under(limit={"pscr": 0.15}).best.label == "sjppds bins=9"
    cautious = Goal(risk=cheap.risk, loss=cheap.loss, balance=0.9)
    assert study.under(goal=cautious).best.label == "sjppds bins=9"
    assert study.best.label == "sjppds bins=10"
    with pytest.raises(
        LimitError, match=r"sjppds bins=9 comes nearest: pscr 0.1 \(must be at most 0.05"
    ):
        _ = study.under(limit={"pscr": 0.05}).best


def test_what_was_not_measured_cannot_be_sought_afterwards(study):
    with pytest.raises(ParameterError, match="linkage, relations, screened-propensity: not measur"):
        study.under(goal=Goal())
    with pytest.raises(ParameterError, match="dcr: not measured in this study, which has pscr, m"):
        study.under(limit={"dcr": 0.1})
    assert study.under(limit={"score": 0.4}).best.label == "sjppds bins=10"


def test_a_study_as_frame_and_dict(study):
    frame = study.to_frame()
    assert frame.index.tolist() == [1, 2, 3, 4]
    assert frame["within_limits"].tolist() == [False, False, True, True]
    assert frame["on_frontier"].tolist() == [False, False, True, True]
    assert frame["repeats"].tolist() == [1, 0, 1, 3]
    assert np.isnan(frame.loc[2, "score"])
    told = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert told["choice"]["best"] == 4
    assert [p["candidate"] for p in told["frontier"]] == [3, 4]
    assert len(told["candidates"]) == 4


def test_a_study_without_trials_says_so(prepare, table):
    empty = Study(prepare(table)[1], TrialTable())
    assert empty.frontier() == []
    assert len(empty.to_frame()) == 0
    with pytest.raises(LimitError, match="No trial was made"):
        _ = empty.best


@pytest.mark.slow
def test_memory_per_trial_is_some_hundred_bytes():
    """10,000 trials of 2,000 settings with 14 measures: 112 bytes of figures each."""
    names = [f"measure {i}" for i in range(14)]
    trials = TrialTable()
    tracemalloc.start()
    for number in range(2_000):
        for repeat in range(5):
            setting = Setting("rwn", {"k": number + 1, "q": 0.5, "weights": 1.0})
            trials.add(Trial(setting, repeat, 0.1, dict.fromkeys(names, repeat / 7)))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(trials) == 10_000
    assert used / 10_000 < 500


def test_a_journal_whose_last_goal_makes_no_sense_is_refused(tmp_path, prepare, table, trial):
    from swapmeet.errors import FileError
    from swapmeet.tuning.journal import Journal

    path = tmp_path / "study.jsonl"
    with Journal.resume(path, prepare(table)[1], lambda _: None) as book:
        book.add(trial(5, 0, 0.1))
        book.write_choice({"limits": {"dbrl": 0.1}, "goal": {"risk": 3}})
    with pytest.raises(FileError, match="its last limits and goal cannot be read"):
        Study.load(path)
