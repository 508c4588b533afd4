from __future__ import annotations

import numpy as np
import pytest

from swapmeet.intruders.presence import Nearness, judge


def test_the_statistic_and_threshold_that_tell_most_are_chosen():
    present = np.array([[5.0, 5.0, 5.0], [1.0, 2.0, 9.0]])
    absent = np.array([[5.0, 5.0, 5.0], [3.0, 8.0, 9.0]])
    nearness = Nearness(present, absent, paired=True)
    assert nearness.find_best() == (1, 2.0)
    called, wrongly = nearness.guess(1, 2.0)
    assert (called.tolist(), wrongly.tolist()) == ([True, True, False], [False] * 3)


def test_nobody_is_called_present_where_nothing_tells():
    nearness = Nearness(np.ones((1, 4)), np.zeros((1, 4)), paired=True)
    assert nearness.find_best() == (0, -np.inf)


@pytest.mark.parametrize("paired", [True, False])
def test_the_anchors(paired):
    rng = np.random.default_rng(1)
    apart = Nearness(np.zeros((1, 200)), np.ones((1, 200)), paired)
    assert judge(apart, rng).value == 1.0
    same = rng.random((1, 200))
    found = judge(Nearness(same, same, paired), rng)
    assert found.value < 0.2
    assert found.interval[0] == 0.0 < found.interval[1]


@pytest.mark.parametrize("paired", [True, False])
def test_the_interval_covers_the_true_advantage(paired):
    """Normal values one apart: Phi(1/2) - Phi(-1/2) = 0.383; 300 draws of 2,000 people.

    Learning from a half costs a little, less of many people. Coverage below 0.92 is seen once in
    50 such tests at 0.95.
    """
    rng = np.random.default_rng(2)
    covered = []
    for _ in range(300):
        present, absent = rng.normal(size=(1, 2000)), rng.normal(size=(1, 2000)) + 1.0
        low, high = judge(Nearness(present, absent, paired), rng).interval
        covered.append(low <= 0.383 <= high)
    assert np.mean(covered) > 0.92


def test_chance_is_rarely_taken_for_an_advantage():
    """400 draws without a difference; the lower end is above 0 in 2.5 % of them, here in 5 %."""
    rng = np.random.default_rng(3)
    alarms = [
        judge(Nearness(*rng.random((2, 1, 200)), paired), rng).interval[0] > 0.0
        for paired in (True, False)
        for _ in range(200)
    ]
    assert np.mean(alarms) < 0.05
