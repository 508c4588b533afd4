from __future__ import annotations

import errno
import os
import signal
import threading

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.errors import (
    InputError,
    OutputError,
    ParameterError,
    SchemaError,
    TableError,
    UsageError,
)
from swapmeet.methods import METHODS
from swapmeet.tuning import Grid, Study, tune
from swapmeet.tuning.trial_runner import TrialRunner

LADDER = "sjppds:bins=3|5|8"
STILL = "microaggregation:k=3|5"


@pytest.fixture
def quick(numbers, cheap):
    """tune() of measures that cost next to nothing, in this process."""

    def go(methods=(LADDER, STILL), data=numbers, **options):
        given = {"goal": cheap, "measures": [], "repeats": 2, "seed": 1, "workers": 1, "limit": {},
                 "final_repeats": 1}  # fmt: skip
        return tune(data, methods, **given | options)

    return go


def figures(study):
    return {
        c.setting.key: {name: values.tolist() for name, values in c.repeats.items()}
        for c in study.candidates
    }


# what is tried


def test_every_setting_is_tried_as_often_as_asked_and_without_chance_once(quick):
    study = quick()
    assert {c.label: len(c) for c in study.candidates if c.setting.name == "sjppds"} == {
        "sjppds bins=3": 2, "sjppds bins=5": 2, "sjppds bins=8": 2,
    }  # fmt: skip
    assert [len(c) for c in study.candidates if c.setting.name == "microaggregation"] == [1, 1]
    assert len(study.trials) == 8
    assert not study.interrupted


@pytest.mark.slow
def test_the_same_seed_gives_the_same_study_whatever_the_number_of_workers(quick):
    one, two = quick(workers=1), quick(workers=2)
    assert figures(one) == figures(two)
    assert one.choice.to_dict() == two.choice.to_dict()


def test_other_seeds_give_other_figures_but_where_chance_has_no_part(quick):
    one, two = figures(quick()), figures(quick(seed=2))
    assert {key for key in one if one[key] == two[key]} == {k for k in one if "microag" in k}
    assert figures(quick(seed=None)) != figures(quick(seed=None))


@pytest.mark.slow
def test_without_methods_all_are_tried_and_those_that_refuse_say_why(quick, table):
    study = quick(None, data=table, repeats=1, budget=40)
    assert {s.name for s in study.trials.settings.values()} == set(METHODS)
    failed = {study.trials.settings[key].name: m for key, m in study.trials.failures.items()}
    assert "noise cannot mask" in failed["noise"]
    assert "rwn" not in failed
    assert len(study.trials) == 40


def test_a_paper_s_grid_alone_or_beside_methods(quick):
    alone = quick(None, grid="rwn-paper-radii", repeats=1)
    assert len(alone.candidates) == 25
    beside = quick([STILL], grid="rwn-paper-radii", repeats=1)
    assert len(beside.candidates) == 27


def test_classes_settings_and_grids_are_methods_too(quick):
    hybrid = sm.PerColumn(parts=[(sm.RWN(k=3), ["age"]), (sm.SJPPDS(bins=4), ["wage", "hours"])])
    study = quick([sm.SJPPDS(bins=6), Grid("rwn", {"k": [3]}), hybrid])
    assert {c.setting.name for c in study.candidates} == {"sjppds", "rwn", "per-column"}
    assert {c.method for c in study.candidates} >= {sm.SJPPDS(bins=6), hybrid}


def test_what_is_measured_is_what_goal_and_limits_need_and_what_is_asked_for(quick):
    study = quick(limit={"dcr": 0.0, "score": 1.0}, measures=["uniqueness", "dcr:scale=raw"])
    assert study.setup.measures == ("pscr", "margins", "dcr", "uniqueness")
    assert study.setup.settings["dcr"]["scale"] == "raw"
    assert "uniqueness" in study.to_frame()


def test_limits_decide(quick):
    free = quick()
    worst = max(c.unfavourable("pscr") for c in free.candidates)
    best = min(c.unfavourable("pscr") for c in free.candidates)
    assert worst > best
    strict = quick(limit={"pscr": best})
    assert strict.best.unfavourable("pscr") == best > strict.best.median("pscr")
    none = quick(limit={"dcr": 1e6})
    assert none.choice.best is None
    with pytest.raises(sm.SwapmeetError, match="No setting that was tried keeps the limits"):
        _ = none.best


def test_without_limits_those_of_the_verdict_count(quick):
    study = quick(limit=None)
    assert study.limits == {"linkage": 0.2, "copies": 0.01, "inference": 0.1}
    assert {"linkage", "copies", "inference", "membership"} <= set(study.setup.measures)
    checked = [c for c in study.candidates if c.checked]
    assert checked
    assert all(c.has("inference") and c.has("membership") for c in checked)
    assert not any(c.has("inference") for c in study.candidates if not c.checked)
    assert quick().limits == {}


def test_the_input_is_untouched(quick, numbers):
    before = numbers.copy()
    quick()
    assert numbers.equals(before)


# a journal


def test_a_search_goes_on_from_its_journal(quick, tmp_path, monkeypatch):
    whole = quick()
    path = tmp_path / "study.jsonl"
    quick(journal=path, repeats=1)
    made = []
    trial = TrialRunner.trial
    monkeypatch.setattr(
        TrialRunner, "trial", lambda self, s, r: made.append((s.label, r)) or trial(self, s, r)
    )
    again = quick(journal=path)
    assert {repeat for _, repeat in made} == {1}
    assert len(made) == 3
    assert figures(again) == figures(whole) == figures(Study.load(path))
    made.clear()
    assert figures(quick(journal=path)) == figures(whole)
    assert made == []


def test_an_interrupted_search_of_matched_swapping_goes_on_from_its_journal(quick, tmp_path):
    methods, path = ["matched-swap:k=3|5"], tmp_path / "study.jsonl"
    whole = quick(methods)
    quick(methods, journal=path, repeats=1)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 20)
    assert figures(quick(methods, journal=path)) == figures(whole)
    assert all(len(values) == 2 for one in figures(whole).values() for values in one.values())


def test_the_journal_keeps_limits_and_goal_of_the_last_search(quick, tmp_path, cheap):
    path = tmp_path / "study.jsonl"
    quick(journal=path, limit={"pscr": 0.9})
    quick(journal=path, limit={"pscr": 0.8})
    study = Study.load(path)
    assert study.limits == {"pscr": 0.8}
    assert study.goal == cheap


def test_refusals_are_written_down_once(quick, table, tmp_path):
    path = tmp_path / "study.jsonl"
    for _ in range(2):
        study = quick(["noise:level=0.1|0.2", LADDER, "rwn:k=3"], data=table, journal=path)
    assert sum("noise cannot mask" in line for line in path.read_text().splitlines()) == 2
    assert len(study.trials.failures) == 2


def test_a_journal_of_other_data_is_refused_before_any_trial(quick, numbers, tmp_path):
    path = tmp_path / "study.jsonl"
    quick(journal=path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"it is about other data \(60 rows, not 59\)"):
        quick(data=numbers.iloc[1:], journal=path)
    with pytest.raises(InputError, match="its intruder knows age, hours, wage"):
        quick(known=["age"], journal=path)
    with pytest.raises(InputError, match="columns have other kinds or roles: hours"):
        quick(schema=sm.Schema.infer(numbers).assign(sensitive=["hours"]), journal=path)
    assert path.read_bytes() == before


def test_a_full_disk_ends_the_search_and_keeps_what_was_written(quick, tmp_path, monkeypatch):
    path, write = tmp_path / "study.jsonl", os.write

    def full(descriptor, content):
        if path.read_bytes().count(b'"trial"') >= 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, content)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OutputError, match="No space left on device"):
        quick(journal=path)
    monkeypatch.undo()
    assert len(Study.load(path).trials) == 3
    assert figures(quick(journal=path)) == figures(quick())


# a budget


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_budget_of_trials_is_kept_exactly(quick, workers):
    assert len(quick(budget=5, workers=workers).trials) == 5


def test_a_time_too_short_for_one_trial_is_refused(quick):
    with pytest.raises(
        ParameterError, match=r"budget: .* ran out before one trial was finished\. Allow"
    ):
        quick(budget="0.0001s")


def test_a_search_that_has_tried_everything_ends_before_its_budget(quick):
    study = quick(budget="10h")
    assert {c.label for c in study.candidates} == {c.label for c in quick().candidates}


# interruptions


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_interrupted_search_returns_what_was_done(quick, tmp_path, workers):
    path = tmp_path / "study.jsonl"

    def interrupt(progress):
        if progress.done == 3:
            raise KeyboardInterrupt

    study = quick(journal=path, on_progress=interrupt, workers=workers)
    assert study.interrupted
    assert len(study.trials) == len(Study.load(path).trials) == 3
    rest = quick(journal=path, workers=workers)
    assert not rest.interrupted
    assert figures(rest) == figures(quick())


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # it stops others too
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_signal_interrupts_a_search_wherever_it_is(quick, workers):
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))

    def start(_):
        if timer.ident is None:
            timer.start()

    try:
        study = quick(repeats=100_000, on_progress=start, workers=workers)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, previous)
    assert study.interrupted


def test_an_interrupt_while_settings_are_checked_is_none_other(quick, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(TrialRunner, "refusal", stop)
    assert quick().interrupted


# what goes wrong in trials


def test_a_setting_that_fails_is_told_and_the_others_go_on(quick):
    study = quick(["rwn:k=3|1000", STILL])
    assert "`k` = 1000" in study.candidates[-1].failure
    assert len(study.trials) == 4
    assert study.best is not None
    assert np.isnan(study.to_frame()["score"].iloc[-1])


def test_where_all_fail_there_is_no_best(quick):
    study = quick(["rwn:k=1000"])
    assert study.choice.sentences == ("Every method that was tried failed.",)
    assert study.frontier() == []


def test_where_the_score_is_not_defined_that_is_told(quick, numbers):
    """A table of one number column has no correlations."""
    from swapmeet.tuning import Goal

    goal = Goal(risk={"pscr": 1.0}, loss={"correlations": 1.0})
    study = quick(["sjppds:bins=3"], data=numbers[["wage"]], goal=goal)
    assert study.choice.sentences[0].startswith("No setting can be compared")


# what is refused


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"repeats": 0}, ParameterError, "`repeats` must be a whole number, 1 or more"),
        ({"repeats": 1.5}, ParameterError, "`repeats`"),
        ({"repeats": True}, ParameterError, "`repeats`"),
        ({"workers": 0}, ParameterError, "`workers` must be a whole number, 1 or more"),
        ({"budget": "soon"}, ParameterError, "budget: must be a time above zero"),
        ({"budget": 0}, ParameterError, "budget"),
        ({"limit": {"dbrk": 0.1}}, ParameterError, "did you mean 'dbrl'"),
        ({"grid": "paper"}, ParameterError, "grid: no 'paper'"),
        ({"measures": ["dbrk"]}, ParameterError, "did you mean 'dbrl'"),
        ({"known": ["agee"]}, SchemaError, "did you mean 'age'"),
        ({"seed": -1}, ParameterError, "`seed` must be a whole number"),
        ({"schema": "x"}, UsageError, "`schema` must be a Schema"),
        ({"methods": "rwn"}, UsageError, "`methods` must be a list"),
        ({"methods": ["rwn:k=0"]}, ParameterError, "`k` must be a whole number, 1 or more"),
    ],
)
def test_wrong_requests_are_refused_before_anything_is_done(
    quick, options, error, message, tmp_path
):
    with pytest.raises(error, match=message):
        quick(journal=tmp_path / "study.jsonl", **options)
    assert list(tmp_path.iterdir()) == []


def test_tables_without_rows_or_masked_columns_are_refused(quick, numbers):
    with pytest.raises(TableError, match="no rows"):
        quick(data=numbers.iloc[:0])
    with pytest.raises(TableError, match="no column to mask"):
        quick(schema=sm.Schema.infer(numbers).assign(keep=list(numbers)))


# analyses and groups


@pytest.mark.filterwarnings("ignore:column grade", "ignore:values that found no partner")
def test_a_coefficient_and_a_group_may_be_limits_and_goals(quick, table, tmp_path):
    model, rare = "model:hours ~ age:age", 'rare:sex = "female"'
    goal = sm.Goal(risk={rare: 1.0}, loss={model: 1.0})
    path = tmp_path / "study.jsonl"
    study = quick(
        [LADDER, "rwn:k=3"], data=table, goal=goal, limit={rare: 1.0, model: 1.0}, journal=path
    )
    assert study.setup.measures == (rare, model)
    assert all(0.0 <= c.median(model) <= 1.0 for c in study.candidates)
    assert 0.0 < min(c.median(rare) for c in study.candidates) < 1.0
    again = Study.load(path)
    assert again.best.label == study.best.label
    released = sm.apply(again, table, seed=3)
    assert 0.0 <= released.card[rare].value <= 1.0


def test_a_limit_on_a_column_that_is_not_there_ends_before_any_trial(quick, table, tmp_path):
    path = tmp_path / "study.jsonl"
    with pytest.raises(SchemaError, match="no published column 'agee'"):
        quick(data=table, limit={"rare:agee > 80": 0.1}, journal=path)
    assert not path.exists()
    with pytest.raises(ParameterError, match="not a measure of loss"):
        sm.Goal(loss={"rare:age > 80": 1.0})
