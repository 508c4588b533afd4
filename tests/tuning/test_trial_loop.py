from __future__ import annotations

import time
from concurrent.futures import Future

import numpy as np
import pytest

from swapmeet.tuning.budget import Budget, SearchClock, ignore_progress
from swapmeet.tuning.plan import ExhaustivePlan
from swapmeet.tuning.search_run import BestSoFar, SearchRun
from swapmeet.tuning.study import Study
from swapmeet.tuning.trial import Trial
from swapmeet.tuning.trial_table import TrialTable


class Quick:
    """A pool whose trials are made up, and which remembers how it was used."""

    def __init__(self, size=1, seconds=0.0):
        self.size, self.seconds = size, seconds
        self.jobs, self.closed = [], False

    def submit(self, setting, repeat, check=False):
        time.sleep(self.seconds)
        self.jobs.append((setting, repeat))
        future = Future()
        risk = setting.settings["bins"] / 100
        future.set_result(Trial(setting, repeat, 0.1, {"pscr": risk, "margins": 0.5}))
        return future

    def close(self):
        self.closed = True


class Never(Quick):
    """A pool whose trials never end."""

    def submit(self, setting, repeat, check=False):
        return Future()


@pytest.fixture
def study(prepare, numbers, cheap):
    return Study(prepare(numbers)[1], TrialTable(), {"pscr": 0.1}, cheap)


@pytest.fixture
def carry_out(study, bins):
    def go(pool, budget=None, on_progress=ignore_progress, record=study.trials.add, repeats=2):
        search = SearchRun(
            study=study, plan=ExhaustivePlan([bins(n) for n in (20, 8, 5)], study.trials, repeats),
            pool=pool, clock=SearchClock.start(budget), record=record, on_progress=on_progress,
            final_repeats=1, has_checks=False,
        )  # fmt: skip
        return search.run()

    return go


@pytest.mark.parametrize("size", [1, 2, 7])
def test_all_trials_are_made_and_recorded(carry_out, study, size):
    pool = Quick(size)
    assert carry_out(pool) == 6
    assert len(study.trials) == 6
    assert len(set(pool.jobs)) == 6
    assert pool.closed


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("trials", [1, 4, 100])
def test_a_budget_of_trials_is_exact(carry_out, study, size, trials):
    assert carry_out(Quick(size), Budget(trials=trials)) == min(trials, 6)
    assert len(study.trials) == min(trials, 6)


def test_when_the_time_is_over_trials_in_flight_are_lost(carry_out, study):
    pool, begin = Never(2), time.monotonic()
    assert carry_out(pool, Budget(seconds=0.2)) == 0
    assert 0.2 <= time.monotonic() - begin < 5.0
    assert pool.closed


def test_time_that_is_over_ends_the_search(carry_out, study):
    made = carry_out(Quick(seconds=0.05), Budget(seconds=0.5), repeats=1_000)
    assert 1 <= made <= 10
    assert len(study.trials) == made


def test_after_each_trial_the_standing_is_told(carry_out):
    told = []
    carry_out(Quick(), on_progress=told.append)
    assert [progress.done for progress in told] == [1, 2, 3, 4, 5, 6]
    shares = [progress.share for progress in told]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    best = [progress.best and progress.best.label for progress in told]
    assert best == [None, "sjppds bins=8", *["sjppds bins=5"] * 4]


def test_the_pool_is_closed_whatever_happens(carry_out):
    def fail(trial):
        raise OSError("disk")

    pool = Quick()
    with pytest.raises(OSError, match="disk"):
        carry_out(pool, record=fail)
    assert pool.closed


def test_the_leader_knows_what_an_earlier_run_found(study, trial):
    study.trials.add(trial(7, 0, 0.07))
    study.trials.add(trial(3, 0, 0.9))
    bad = trial(4, 0, 0.95)
    study.trials.add(bad)
    assert BestSoFar(study).candidate.label == "sjppds bins=7"


def test_a_setting_that_gets_worse_leads_no_longer(study, trial):
    study.trials.add(trial(7, 0, 0.01))
    study.trials.add(trial(8, 0, 0.05))
    leader = BestSoFar(study)
    worse = trial(7, 1, 0.99)
    study.trials.add(worse)
    leader.look_at(worse.setting.key)
    assert leader.candidate.label == "sjppds bins=8"


def test_a_setting_without_a_score_never_leads(study, trial):
    ownerless, owned = trial(2, 0, np.nan, 0.0, owned=False), trial(9, 0, 0.09)
    study.trials.add(ownerless)
    leader = BestSoFar(study)
    assert leader.candidate is None
    study.trials.add(owned)
    leader.look_at(owned.setting.key)
    assert leader.candidate.label == "sjppds bins=9"
