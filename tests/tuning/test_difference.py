from __future__ import annotations

import numpy as np
import pytest

import swapmeet as sm
from swapmeet.tuning.candidate import Candidate
from swapmeet.tuning.frontier import FINALISTS, LOOKS, compare_aims, compare_finalists
from swapmeet.tuning.trial import Setting


def still(number, value, goal):
    """A candidate in which chance has no part."""
    figures = {"pscr": np.array([value]), "margins": np.array([value])}
    setting = Setting.of(sm.Microaggregation(k=number))
    return Candidate(number, setting, {**figures, **goal.of(figures)}, goal=goal)


def test_without_chance_the_difference_is_exact(cheap):
    found = compare_aims(still(3, 0.5, cheap), still(4, 0.25, cheap))
    assert (found.value, found.interval, found.decided) == (0.25, (0.25, 0.25), True)
    assert compare_aims(still(3, 0.5, cheap), still(4, 0.5, cheap)).tied


@pytest.mark.parametrize("repeats", [[0.1], [0.1, 0.1]])
def test_fewer_than_three_repeats_decide_nothing(candidate, cheap, repeats):
    found = compare_aims(candidate(1, 0.9, 0.9), candidate(2, repeats, 0.1))
    assert not found.known
    assert not found.decided
    assert found.to_dict()["interval"] is None


def test_the_interval_is_welch_s(candidate):
    """By hand: means 0.25 and 0.05, squared standard errors 0.0025/3 and 0, two degrees."""
    from scipy.stats import t

    one, other = candidate(1, [0.4, 0.5, 0.6], 0.0), candidate(2, [0.1, 0.1, 0.1], 0.0)
    found = compare_aims(one, other)
    reach = t.ppf(1 - 0.05 / (2 * LOOKS * (FINALISTS - 1)), 2) * np.sqrt(0.0025 / 3)
    assert found.interval == pytest.approx((0.2 - reach, 0.2 + reach))


def test_a_search_rarely_calls_a_difference_decided_that_is_none(candidate):
    """250 searches of six equal settings, looked at after 5, 10 and 20 repeats.

    At most 5 in 100 may err: 12.5 ± 3.4; more than 27 happen less than once in 10,000 runs.
    """
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(250):
        risks = rng.normal(0.3, 0.05, (FINALISTS, 20))
        wrong += any(
            found.decided
            for repeats in (5, 10, 20)
            for found in compare_finalists(
                [candidate(n, row[:repeats], 0.1) for n, row in enumerate(risks, 1)]
            )
        )
    assert wrong <= 27


def test_a_true_difference_is_decided_by_twenty_repeats(candidate):
    """The means lie four standard errors of their difference apart and more: 0.9 of 100 fail."""
    rng = np.random.default_rng(6)
    found = [
        compare_aims(
            candidate(1, rng.normal(0.5, 0.05, 20), 0.1),
            candidate(2, rng.normal(0.4, 0.05, 20), 0.1),
        ).decided
        for _ in range(100)
    ]
    assert sum(found) >= 95
