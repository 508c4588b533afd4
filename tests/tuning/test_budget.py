from __future__ import annotations

import time

import pytest

from swapmeet.errors import ParameterError
from swapmeet.tuning.budget import Budget, SearchClock


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("10m", 600.0), ("90s", 90.0), ("2h", 7200.0), ("1d", 86400.0), (" 1.5 m ", 90.0)],
)
def test_a_text_with_a_unit_is_a_time(given, seconds):
    assert Budget.of(given) == Budget(seconds=seconds)


@pytest.mark.parametrize("given", [200, "200"])
def test_a_whole_number_is_a_number_of_trials(given):
    assert Budget.of(given) == Budget(trials=200)


def test_a_budget_stays_what_it_is():
    budget = Budget(seconds=3.0)
    assert Budget.of(budget) is budget


@pytest.mark.parametrize(
    "given",
    [0, -1, "0", "0s", "-5m", "", "m", "10 minutes", "1.5", "1e3", "5x", True, 1.5, None, "nan"],
)
def test_anything_else_is_refused_with_the_rule(given):
    with pytest.raises(ParameterError, match="budget: must be a time above zero, such as 90s"):
        Budget.of(given)


@pytest.mark.parametrize(
    ("given", "told"), [("10m", "10 m"), ("90s", "1.5 m"), ("45s", "45 s"), (7, "7 trials")]
)
def test_a_budget_is_told_in_words(given, told):
    assert str(Budget.of(given)) == told


def test_trials_are_counted_exactly():
    clock = SearchClock.start(Budget(trials=3))
    assert [clock.allows(begun) for begun in range(5)] == [True, True, True, False, False]
    assert clock.left == float("inf")
    assert clock.find_share(1) == pytest.approx(1 / 3)


def test_time_runs_out():
    clock = SearchClock(Budget(seconds=10.0), time.monotonic() - 4.0)
    assert clock.allows(1_000)
    assert 0.4 <= clock.find_share(0) < 0.6
    over = SearchClock(Budget(seconds=10.0), time.monotonic() - 11.0)
    assert not over.allows(0)
    assert over.left < 0
    assert over.find_share(0) == 1.0


def test_without_a_budget_nothing_runs_out():
    clock = SearchClock(None, time.monotonic() - 1e6)
    assert clock.allows(10**9)
    assert clock.find_share(9) == 0.0
