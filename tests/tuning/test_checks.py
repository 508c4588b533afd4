"""Full checks go to what promises most, and need few of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from swapmeet.tuning.budget import Budget, SearchClock
from swapmeet.tuning.checks import ChecksPlan, Promise
from swapmeet.tuning.goal import Goal

LIMITS = {"pscr": 0.5, "copies": 0.01}


@pytest.fixture
def make(candidate):
    """A candidate with this loss, not checked yet, or checked and within its limits or not."""
    goal = Goal(risk={"pscr": 1.0}, loss={"margins": 1.0})

    def go(number, loss, kept=None, look=0.1):
        figures = {} if kept is None else {"copies": 0.0 if kept else 0.5}
        one = candidate(number, 0.1, loss, goal=goal, **figures)
        later = ("copies",) if kept is None else ()
        return replace(one, checked=kept is not None, later=later, look=look)

    return go


def check(candidates, least):
    """Check what promises most, until nothing does; those with `least` loss or more are safe."""
    checks, candidates = 0, dict(candidates)
    while promise := Promise(list(candidates.values()), LIMITS).rank():
        first = promise[0]
        loss = first.median("margins")
        candidates[first.number] = make_checked(first, kept=loss >= least)
        checks += 1
    return checks, Promise(list(candidates.values()), LIMITS).best


def make_checked(one, *, kept):
    copies = np.array([0.0 if kept else 0.5])
    return replace(one, repeats={**one.repeats, "copies": copies}, checked=True, later=())


@pytest.mark.parametrize("least", [0.01, 0.2, 0.37, 0.63, 0.99])
def test_the_least_loss_is_found_by_halving(make, least):
    grid = {n: make(n, n / 100) for n in range(2, 101)}
    checks, best = check(grid, least)
    assert best.median("margins") <= max(least, 0.02) * 1.15
    assert checks <= 12


def test_where_nothing_is_safe_that_is_soon_known(make):
    checks, best = check({n: make(n, n / 100) for n in range(2, 101)}, 2.0)
    assert best is None
    assert checks <= 12


def test_what_looks_safer_than_a_setting_that_failed_stays_open(make):
    missed = make(2, 0.3, kept=False, look=0.2)
    assert [one.number for one in Promise([missed, make(3, 0.2, look=0.1)], LIMITS).settings] == [3]
    assert Promise([missed, make(3, 0.2, look=0.25)], LIMITS).settings == []


def test_only_what_would_beat_the_best_is_checked(make):
    promise = Promise([make(2, 0.3, kept=True), make(3, 0.2), make(4, 0.31)], LIMITS)
    assert [one.number for one in promise.settings] == [3]
    assert promise.best.number == 2
    assert Promise([make(2, 0.3, kept=True), make(3, 0.299)], LIMITS).settings == []


def test_what_is_hopeless_is_left_out(make):
    missed = [make(n, 0.2 + n / 100, kept=False) for n in range(2, 6)]
    assert Promise([*missed, make(9, 0.1)], LIMITS).settings == []


class Table:
    """A study whose full checks take ten seconds."""

    limits = LIMITS

    def __init__(self, candidates):
        self.candidates, self.trials = candidates, self

    def list_candidates(self):
        return self.candidates

    def predict_check(self, name=""):
        return 10.0

    def count_checks(self, setting):
        return sum(one.setting == setting and one.checked for one in self.candidates)


@pytest.mark.parametrize(("seconds", "begins"), [(60.0, True), (5.0, False)])
def test_no_check_begins_that_does_not_fit_into_the_time(make, seconds, begins):
    plan = ChecksPlan(Table([make(2, 0.3)]), SearchClock.start(Budget(seconds=seconds)))
    assert (plan.next() is not None) == begins


def test_a_setting_is_checked_once(make):
    plan = ChecksPlan(Table([make(2, 0.3), make(3, 0.2)]), SearchClock.start(None))
    jobs = [plan.next(), plan.next()]
    assert {setting.settings["bins"] for setting, _, _ in jobs} == {2, 3}
    assert all(is_check for _, _, is_check in jobs)
    assert plan.next() is None


def test_other_releases_of_the_best_are_measured_too_because_one_may_keep_limits_by_chance(make):
    best = make(2, 0.2, kept=True)
    plan = ChecksPlan(Table([best, make(3, 0.3, kept=True)]), SearchClock.start(None), releases=3)
    assert plan.total == 2
    assert plan.next() == (best.setting, 1, True)
    assert plan.next() is None
    assert ChecksPlan(Table([best]), SearchClock.start(None)).next() is None
