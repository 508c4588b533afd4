from __future__ import annotations

import numpy as np
import pytest

from swapmeet.algorithms.groups.by_value import Ranks
from swapmeet.methods.rank_swap.trades import windows_by_correlation, windows_by_mean


def ranks_of(*strata):
    bounds = np.cumsum([0, *map(len, strata)])
    values = np.concatenate(strata).astype(float)
    return Ranks(np.arange(len(values)), values, bounds)


def test_window_that_keeps_a_correlation_by_hand():
    """Of 8, 6, 4, 2 the population variance is 5 and the way from end to end 6."""
    ranks = ranks_of([8, 6, 4, 2])
    window = windows_by_correlation(ranks, ranks.begins, ranks.ends, 0.9)
    assert window == pytest.approx([np.sqrt(2 * 5 * 0.1) / 6])


def test_window_that_keeps_means_by_hand():
    ranks = ranks_of([8, 6, 4, 2])
    window = windows_by_mean(ranks, ranks.begins, ranks.ends, 0.2)
    assert window == pytest.approx([np.sqrt(8 / 3) * 0.2 * 5 / 6])


def test_way_leads_from_the_last_of_the_top_to_the_first_of_the_bottom():
    """Inside: 6 and 4, variance 1; the top ends at 8, the bottom begins at 3."""
    ranks = ranks_of([99, 8, 6, 4, 3, -50])
    begins, ends = np.array([2]), np.array([4])
    assert windows_by_correlation(ranks, begins, ends, 0.5) == pytest.approx([1 / 5])
    assert windows_by_mean(ranks, begins, ends, 0.1) == pytest.approx([np.sqrt(8 / 3) * 0.5 / 5])


def test_every_stratum_has_its_own_window():
    ranks = ranks_of([8, 6, 4, 2], [3, 1])
    windows = windows_by_correlation(ranks, ranks.begins, ranks.ends, 0.9)
    assert windows == pytest.approx([np.sqrt(2 * 5 * 0.1) / 6, np.sqrt(2 * 1 * 0.1) / 2])


def test_window_is_never_more_than_all_rows():
    ranks = ranks_of([8, 6, 4, 2])
    assert windows_by_mean(ranks, ranks.begins, ranks.ends, 50.0).tolist() == [1.0]


@pytest.mark.parametrize("rule", [windows_by_correlation, windows_by_mean])
def test_equal_values_may_trade_without_limit(rule):
    ranks = ranks_of([4, 4, 4], [7])
    assert rule(ranks, ranks.begins, ranks.ends, 0.9).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("scale", [1e-200, 1e150, 1e300])
def test_unit_of_the_values_does_not_matter(scale):
    ranks = ranks_of(np.array([8, 6, 4, 2]) * scale)
    window = windows_by_correlation(ranks, ranks.begins, ranks.ends, 0.9)
    assert window == pytest.approx([np.sqrt(2 * 5 * 0.1) / 6])
