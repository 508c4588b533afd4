from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.comparison.score import Family
from swapmeet.measures.base import Measure
from swapmeet.tuning.plan import ExhaustivePlan, FinalsPlan
from swapmeet.tuning.study import Study
from swapmeet.tuning.trial import Setting, Trial
from swapmeet.tuning.trial_table import TrialTable

STILL = Setting.of(sm.Microaggregation(k=3))


def drained(plan):
    jobs = []
    while (job := plan.next()) is not None:
        jobs.append(job)
    return jobs


def test_every_setting_is_tried_once_before_any_is_tried_again(bins):
    plan = ExhaustivePlan([bins(2), bins(3)], TrialTable(), 3)
    assert plan.total == 6
    assert drained(plan) == [(bins(n), repeat) for repeat in range(3) for n in (2, 3)]
    assert plan.next() is None


def test_where_chance_has_no_part_one_trial_is_enough(bins):
    assert not STILL.method.is_random
    plan = ExhaustivePlan([STILL, bins(2)], TrialTable(), 3)
    assert plan.total == 4
    assert drained(plan) == [(STILL, 0), (bins(2), 0), (bins(2), 1), (bins(2), 2)]


def test_what_is_done_is_not_done_again_whichever_repeat_it_was(bins, trial):
    trials = TrialTable()
    for repeat in (0, 2):
        trials.add(trial(2, repeat))
    plan = ExhaustivePlan([bins(2), bins(3)], trials, 3)
    assert plan.total == 4
    assert drained(plan) == [(bins(3), 0), (bins(2), 1), (bins(3), 1), (bins(3), 2)]


def test_a_setting_that_failed_is_not_tried_again_not_even_when_it_fails_meanwhile(bins):
    trials = TrialTable()
    trials.add(Trial(bins(2), 0, 0.0, {}, "no."))
    plan = ExhaustivePlan([bins(2), bins(3), bins(4)], trials, 2)
    assert plan.total == 4
    assert plan.next() == (bins(3), 0)
    trials.add(Trial(bins(3), 0, 0.0, {}, "no."))
    assert drained(plan) == [(bins(4), 0), (bins(4), 1)]


@dataclass(frozen=True, kw_only=True)
class Exposure(Measure):
    """Flatters at first look: the smaller k, the worse it is in truth."""

    name: ClassVar[str] = "pscr"
    family: ClassVar[Family] = Family.RISK
    question: ClassVar[str] = "how many?"

    @property
    def first_look(self):
        return FirstLook()

    def score(self, comparison):
        return self.make_score(1 / comparison.provenance.method.k, "so many.")


class FirstLook(Exposure):
    def score(self, comparison):
        return self.make_score(0.01, "so many.")


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    return tmp_path_factory.mktemp("study") / "study.jsonl"


@pytest.fixture(scope="module")
def study(journal):
    return sm.tune(
        sm.datasets.load("diabetes"), ["rwn:k=2|3|20:weights=0.1"], limit={"pscr": 0.1},
        goal=sm.Goal(risk={"pscr": 1.0}, loss={"correlations": 1.0}, balance=0.0),
        measures=[Exposure()], repeats=2, seed=1, workers=1, journal=journal,
    )  # fmt: skip


def test_what_only_seemed_safe_is_not_taken(study):
    assert study.best.method.k == 20
    assert study.trials.count_checks(study.best.setting)


def test_figures_are_never_better_than_those_in_full(study):
    for candidate in study.candidates:
        if study.trials.count_checks(candidate.setting):
            assert candidate.median("pscr") == pytest.approx(1 / candidate.method.k)


def test_the_journal_remembers_what_was_checked(study, journal):
    again = Study.load(journal)
    assert again.best.label == study.best.label
    assert again.trials.count_checks(again.best.setting)
    assert np.isclose(again.best.median("pscr"), 0.05)


# repeats of the leaders


@pytest.fixture
def blank(prepare, numbers, cheap):
    return Study(prepare(numbers)[1], TrialTable(), {}, cheap)


def play(study, trial, most, risks):
    """Make the trials that the plan asks for; the number of repeats of each setting."""
    plan, rng = FinalsPlan(study, most), np.random.default_rng(2)
    while (job := plan.next()) is not None:
        setting, repeat = job
        centre, width = risks[setting.settings["bins"]]
        made = trial(setting.settings["bins"], repeat, centre + width * rng.normal(), 0.5)
        study.trials.add(made)
        plan.learn(made)
    return {
        s.settings["bins"]: len(study.trials.repeats(s)) for s in study.trials.settings.values()
    }


def begin(study, trial, risks):
    for bins, (centre, _) in risks.items():
        study.trials.add(trial(bins, 0, centre, 0.5))


def test_leaders_that_cannot_be_told_apart_are_repeated_up_to_the_cap(blank, trial):
    risks = {5: (0.300, 0.05), 6: (0.301, 0.05), 7: (0.9, 0.01)}
    begin(blank, trial, risks)
    assert play(blank, trial, 20, risks) == {5: 20, 6: 20, 7: 5}


def test_a_clear_difference_needs_few_repeats(blank, trial):
    risks = {5: (0.1, 0.001), 6: (0.5, 0.001)}
    begin(blank, trial, risks)
    assert play(blank, trial, 20, risks) == {5: 5, 6: 5}
    assert play(blank, trial, 20, risks) == {5: 5, 6: 5}


def test_what_has_its_repeats_or_stands_alone_is_left_alone(blank, trial):
    assert FinalsPlan(blank, 20).next() is None
    risks = {5: (0.3, 0.1)}
    begin(blank, trial, risks)
    assert play(blank, trial, 20, risks) == {5: 1}
    risks[6] = (0.31, 0.1)
    begin(blank, trial, {6: risks[6]})
    assert play(blank, trial, 1, risks) == {5: 1, 6: 1}


def test_while_repeats_are_under_way_nothing_new_begins(blank, trial):
    begin(blank, trial, {5: (0.3, 0.1), 6: (0.3, 0.1)})
    plan = FinalsPlan(blank, 8)
    jobs = [plan.next(), plan.next()]
    assert [(s.settings["bins"], repeat) for s, repeat in jobs] == [(5, 1), (6, 1)]
    assert plan.next() is None
    for setting, repeat in jobs:
        made = trial(setting.settings["bins"], repeat, 0.3)
        blank.trials.add(made)
        plan.learn(made)
    assert plan.next()[1] == 2


def test_tune_repeats_its_leaders(numbers, cheap):
    study = sm.tune(
        numbers, ["sjppds:bins=3|5"], goal=cheap, limit={}, measures=[], repeats=1,
        final_repeats=8, seed=1, workers=1,
    )  # fmt: skip
    assert {len(c) for c in study.candidates} <= {2, 4, 8}
    told = " ".join(study.choice.sentences)
    assert "cannot be told apart" in told or "It is better than the runner-up" in told
