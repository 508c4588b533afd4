"""Trials have a first look at dear measures; the best are then measured in full."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.comparison.score import Family
from swapmeet.measures.base import Measure
from swapmeet.tuning.plan import FinalsPlan
from swapmeet.tuning.study import Study
from swapmeet.tuning.trial_table import TrialTable


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
    assert study.trials.is_checked(study.best.setting)


def test_figures_are_never_better_than_those_in_full(study):
    for candidate in study.candidates:
        if study.trials.is_checked(candidate.setting):
            assert candidate.median("pscr") == pytest.approx(1 / candidate.method.k)


def test_the_journal_remembers_what_was_checked(study, journal):
    again = Study.load(journal)
    assert again.best.label == study.best.label
    assert again.trials.is_checked(again.best.setting)
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
