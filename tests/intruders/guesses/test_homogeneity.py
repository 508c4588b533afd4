from __future__ import annotations

import numpy as np

from swapmeet.intruders.guesses.guess_result import share_in_uniform_groups


def test_a_swap_between_equals_hides_nothing():
    values = np.array([1.0, 1.0, 2.0, 3.0, 4.0])
    givers = np.array([1, 0, 3, 2, 4])
    assert share_in_uniform_groups(givers, np.arange(5), values, 0.0) == 2 / 5
    assert share_in_uniform_groups(givers, np.arange(5), values, 1.0) == 4 / 5


def test_nobody_traded():
    assert share_in_uniform_groups(np.arange(4), np.arange(4), np.ones(4), 0.0) is None
    assert share_in_uniform_groups(np.full(4, -2), np.arange(4), np.ones(4), 0.0) is None


def test_missing_values_are_no_other_value():
    values = np.array([1.0, np.nan, 1.0])
    assert share_in_uniform_groups(np.array([1, 2, 0]), np.arange(3), values, 0.0) == 1.0
