from __future__ import annotations

import numpy as np
import pytest

from swapmeet.comparison.intervals import of_difference, of_paired_difference
from swapmeet.intruders.guesses.guess_result import judge_groups, judge_pairs


def test_the_worst_guess_is_named_and_its_shares_told():
    right = np.array([np.zeros(40), np.ones(40)])
    control = np.array([np.zeros(40), np.r_[np.ones(10), np.zeros(30)]])
    excess = judge_pairs(right, control, 0.95)
    assert excess.chosen == (1,)
    assert (excess.share, excess.control, excess.value) == (1.0, 0.25, 0.75)
    assert excess.interval[0] < 0.75 < excess.interval[1]


def test_people_without_a_value_do_not_count():
    right = np.array([[1.0, 1.0, np.nan, np.nan]])
    assert judge_pairs(right, np.zeros((1, 4)), 0.95).share == 1.0


def test_a_guess_that_is_worse_than_from_strangers_is_no_risk():
    excess = judge_pairs(np.zeros((1, 9)), np.ones((1, 9)), 0.95)
    assert excess.value == 0.0
    assert excess.interval[0] == 0.0


def test_few_people_prove_nothing():
    assert of_paired_difference(np.zeros(10), 0.95)[1] > 0.1
    assert of_paired_difference(np.zeros(0), 0.95)[1] == 1.0
    assert of_paired_difference(np.zeros(1_000), 0.95)[1] < 0.01


def test_many_guesses_do_not_flatter_the_worst():
    """Of 100 guesses of pure chance the largest gain is about 0.11; judged fairly it is 0.

    Mean over 200 tables: standard error 0.005, so that 0.02 is missed by chance in < 1 of 10,000.
    """
    rng = np.random.default_rng(1)
    gains, naive = [], []
    for _ in range(200):
        right, control = (rng.random((2, 100, 100)) < 0.3).astype(float)
        excess = judge_pairs(right, control, 0.95)
        gains.append(excess.share - excess.control)
        naive.append((right - control).mean(axis=1).max())
    assert np.mean(naive) > 0.1
    assert abs(np.mean(gains)) < 0.02


@pytest.mark.parametrize(("more", "less"), [(0.1, 0.1), (0.3, 0.05), (0.02, 0.0)])
def test_intervals_cover(more, less):
    """Nominally 95 %; of 2,000 tables fewer than 93 % happens by chance in < 1 of 10,000."""
    rng, truth = np.random.default_rng(2), more - less
    covered = 0
    for _ in range(2_000):
        drawn = rng.choice([1.0, -1.0, 0.0], 200, p=[more, less, 1.0 - more - less])
        low, high = of_paired_difference(drawn, 0.95)
        covered += low <= truth <= high
    assert covered / 2_000 > 0.93


def test_strangers_may_be_fewer():
    right, control = np.ones((2, 50)), np.array([np.ones(8), np.zeros(8)])
    excess = judge_groups(right, control, 0.95)
    assert (excess.chosen, excess.share, excess.control) == ((1,), 1.0, 0.0)
    assert 0.6 < excess.interval[0] < excess.interval[1] == 1.0
    assert judge_groups(right, np.empty((2, 0)), 0.95).interval[0] < 0.3


@pytest.mark.parametrize(("share", "other"), [(0.3, 0.2), (0.05, 0.05), (0.9, 0.1)])
def test_intervals_of_two_groups_cover(share, other):
    """Nominally 95 %; of 2,000 tables fewer than 93 % happens by chance in < 1 of 10,000."""
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(2_000):
        one, two = rng.random(200) < share, rng.random(100) < other
        low, high = of_difference(one.astype(float), two.astype(float), 0.95)
        covered += low <= share - other <= high
    assert covered / 2_000 > 0.93
