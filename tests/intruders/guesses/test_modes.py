from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.intruders.guesses.scan import find_mode, share_of_blind_guess, share_of_modes

NUMBERS = st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=30)


def plain_share(values, truth, tolerance):
    counts = [sum(abs(one - other) <= tolerance for other in values) for one in values]
    modes = [v for v, count in zip(values, counts, strict=True) if count == max(counts)]
    return np.mean([abs(mode - truth) <= tolerance for mode in modes])


@given(NUMBERS, st.integers(-9, 9), st.sampled_from([0.0, 1.0, 2.5]))
def test_the_share_is_that_of_counting_every_pair(values, truth, tolerance):
    share = share_of_modes(np.array(values), len(values), float(truth), tolerance)
    assert share == plain_share(values, truth, tolerance)


@given(NUMBERS, st.sampled_from([0.0, 1.0, 2.5]))
def test_the_mode_is_one_of_the_most_frequent_values(values, tolerance):
    mode = find_mode(np.array(values), tolerance)
    counts = [sum(abs(one - other) <= tolerance for other in values) for one in values]
    assert max(counts) == counts[values.index(mode)]


def test_nothing_to_guess_from_is_never_right():
    assert share_of_modes(np.array([5.0]), 0, 5.0, 0.0) == 0.0
    assert share_of_blind_guess(np.array([np.nan]), np.array([5.0]), 0.0) == 0.0


def test_a_blind_guess_is_the_most_frequent_released_value():
    released, truth = np.array([1.0, 2.0, 2.0, np.nan]), np.array([1.0, 2.0, 2.0, 2.0, np.nan])
    assert share_of_blind_guess(released, truth, 0.0) == 3 / 5
