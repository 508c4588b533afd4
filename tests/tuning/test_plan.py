from __future__ import annotations

import swapmeet as sm
from swapmeet.tuning.plan import ExhaustivePlan
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
