from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from swapmeet.errors import ParameterError
from swapmeet.tuning.candidate import Candidate, median_interval


def test_medians_and_the_score_of_medians_by_hand(candidate):
    found = candidate(1, [0.1, 0.2, 0.9], [0.6, 0.0, 0.3])
    assert found.median("pscr") == found.median("risk") == 0.2
    assert found.median("loss") == 0.3
    assert found.median("score") == pytest.approx(0.25)
    assert len(found) == 3


def test_a_repeat_without_a_figure_leaves_the_median_open(candidate):
    found = candidate(1, [0.1, np.nan, 0.2], 0.3)
    assert np.isnan(found.median("risk"))
    assert np.isnan(found.median("score"))
    assert not found.keeps({"pscr": 1.0})
    assert found.keeps({"margins": 0.3})
    json.dumps(found.to_dict(), allow_nan=False)


def test_limits_are_kept_by_medians_and_met_by_repeats(candidate):
    found = candidate(1, [0.1, 0.2, 0.3, 0.6], 0.1)
    assert found.keeps({"pscr": 0.25, "score": 0.175})
    assert not found.keeps({"pscr": 0.24})
    assert found.count_within("pscr", 0.2) == 2


def test_what_was_not_measured_is_refused_with_a_guess(candidate):
    with pytest.raises(ParameterError, match="'psrc' was not measured; did you mean 'pscr'"):
        candidate(1, 0.1, 0.1).median("psrc")
    with pytest.raises(ParameterError, match="no figures: the method failed"):
        Candidate(1, candidate(1, 0.1, 0.1).setting, {}, "refused").median("pscr")


def test_a_candidate_that_failed_keeps_nothing(candidate, bins):
    failed = Candidate(4, bins(4), {}, "refused")
    assert not failed.keeps({})
    assert len(failed) == 0
    assert repr(failed) == "<Candidate 4: sjppds bins=4, failed>"
    assert failed.to_dict()["failure"] == "refused"
    assert repr(candidate(2, [0.1, 0.2], 0.1)) == "<Candidate 2: sjppds bins=2, 2 repeats>"


@given(st.integers(1, 60))
def test_the_interval_holds_the_median_as_often_as_it_says(n):
    """Coverage of order statistics by the binomial law; of few values they are all."""
    low, high = median_interval(np.arange(float(n)))
    below, above = int(low), n - 1 - int(high)
    assert below == above
    coverage = 1.0 - 2.0 * stats.binom.cdf(below, n, 0.5)
    assert below == 0 or coverage >= 0.95
    narrower = 1.0 - 2.0 * stats.binom.cdf(below + 1, n, 0.5)
    assert n <= 5 or narrower < 0.95


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_median_is_in_its_interval_whatever_the_order(values):
    low, high = median_interval(np.array(values))
    assert low <= np.median(values) <= high
    assert median_interval(np.array(values[::-1])) == (low, high)
