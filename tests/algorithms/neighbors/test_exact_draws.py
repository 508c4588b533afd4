from __future__ import annotations

import numpy as np
import pytest
from brute import NeighborSearch, Rule, assert_drawn_by_the_rule, draw, make_points, neighbourhoods
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from swapmeet.errors import TableError


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 400),
    d=st.integers(0, 9),
    levels=st.lists(st.integers(1, 12), max_size=3),
    digits=st.sampled_from([None, 0, 1, 2]),
    costs=st.sampled_from(["even", "uneven"]),
    k=st.integers(0, 12),
    eps=st.sampled_from([0.0, 0.05, 0.3, 1.0, 1.5, 5.0]),
    ties=st.sampled_from(["random", "all"]),
    strata=st.integers(1, 4),
)
def test_donors_and_sizes_are_those_of_the_definition(
    seed, n, d, levels, digits, costs, k, eps, ties, strata
):
    rng = np.random.default_rng(seed)
    points = make_points(rng, n, d, tuple(levels), digits=digits, costs=costs)
    groups = rng.integers(0, strata, n).astype(np.int32)
    groups = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    k = min(k, int(np.bincount(groups).min()) - 1)
    rule = Rule(k=k, eps=eps, ties=ties, open_ball=bool(seed % 2))
    donors, sizes = draw(points, groups, rule)
    assert_drawn_by_the_rule(points, groups, rule, donors, sizes)


def test_thousands_of_twins_are_one_neighbourhood():
    points = make_points(np.random.default_rng(0), 3000, 1, (2,), digits=0)
    strata = np.zeros(3000, np.int32)
    rule = Rule(k=5)
    donors, sizes = draw(points, strata, rule)
    assert (sizes == 5).all()
    assert (points.numbers[0][donors] == points.numbers[0][:, None]).all()
    assert (donors != np.arange(3000)[:, None]).all()


@pytest.mark.slow
def test_each_member_is_drawn_equally_often():
    """Chi-square over 40,000 draws; false alarm once in 10,000 runs of another seed."""
    points = make_points(np.random.default_rng(3), 60, 2, ())
    strata = np.zeros(60, np.int32)
    rule = Rule(k=7)
    donors, _ = draw(points, strata, rule, columns=40_000)
    members = np.concatenate(neighbourhoods(points, strata, rule)[0][:2])
    counts = np.array([(donors[0] == member).sum() for member in members])
    assert counts.sum() == 40_000
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.slow
def test_members_of_a_large_ball_are_drawn_equally_often():
    """As above, for a ball whose border cuts leaves in two."""
    points = make_points(np.random.default_rng(4), 900, 2, ())
    strata = np.zeros(900, np.int32)
    rule = Rule(k=1, eps=0.2)
    donors, sizes = draw(points, strata, rule, columns=12_000)
    sure, _, _ = neighbourhoods(points, strata, rule)[5]
    counts = np.array([(donors[5] == member).sum() for member in sure])
    assert sizes[5] == len(sure) > 50
    assert counts.sum() == 12_000
    assert stats.chisquare(counts).pvalue > 1e-4


def test_tied_rows_win_places_equally_often_and_keep_them_for_all_columns():
    """200 twins compete for 3 places; false alarm once in 10,000 runs of another seed."""
    points = make_points(np.random.default_rng(0), 200, 0, (1,))
    strata = np.zeros(200, np.int32)
    donors, _ = draw(points, strata, Rule(k=3), columns=30)
    winners = [set(row) for row in donors]
    assert max(map(len, winners)) == 3
    counts = np.bincount(np.concatenate([list(row) for row in winners]), minlength=200)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_threads_do_not_change_the_result():
    points = make_points(np.random.default_rng(1), 5000, 3, (4, 2))
    strata = np.zeros(5000, np.int32)
    one, _ = draw(points, strata, Rule(k=5, eps=0.1), threads=1)
    two, _ = draw(points, strata, Rule(k=5, eps=0.1), threads=2)
    assert (one == two).all()


def test_different_seeds_draw_differently():
    points = make_points(np.random.default_rng(1), 500)
    strata = np.zeros(500, np.int32)
    one, _ = draw(points, strata, Rule(k=5), seed=1)
    two, _ = draw(points, strata, Rule(k=5), seed=2)
    assert (one != two).mean() > 0.5


def test_columns_draw_on_their_own():
    points = make_points(np.random.default_rng(1), 2000)
    donors, _ = draw(points, np.zeros(2000, np.int32), Rule(k=10), columns=2)
    assert 0.05 < (donors[:, 0] == donors[:, 1]).mean() < 0.15


@pytest.mark.parametrize("search", ["exact", "sample", "pairs", "partition", "cells"])
def test_too_few_rows_for_k_is_an_error_that_names_the_remedy(search):
    points = make_points(np.random.default_rng(1), 5)
    with pytest.raises(TableError, match=r"`k` = 5 needs at least 6 rows.*Lower `k`"):
        draw(points, np.zeros(5, np.int32), Rule(k=5), search=NeighborSearch(search))
    with pytest.raises(TableError, match=r"1 of 2 strata .* smallest stratum has 1.*merge strata"):
        draw(points, np.array([0, 0, 0, 0, 1], np.int32), Rule(k=1), search=NeighborSearch(search))
