from __future__ import annotations

import numpy as np
import pytest
from brute import (
    Rule,
    assert_drawn_by_the_rule,
    copy_of,
    draw,
    make_points,
    neighbourhoods,
    squared_distances,
    words_for,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from swapmeet.algorithms.neighbors.exact_draws import tree_of
from swapmeet.algorithms.neighbors.lists import bytes_needed, draw_from_lists, nearest_lists
from swapmeet.base.cache import count_bytes
from swapmeet.base.parallel import Workers


def listed(points, strata, most, threads=2):
    """The shortest lists that serve k up to `most`."""
    tree = tree_of(copy_of(points), strata)
    return tree, nearest_lists(tree, most + 1, Workers(threads))


def draw_listed(points, strata, most, rule, columns=4, seed=1, threads=2):
    words, _ = words_for(points, columns, seed)
    sizes = draw_from_lists(*listed(points, strata, most), rule, words, Workers(threads))
    return words, sizes


def scene(seed, n, d, levels, digits, costs, strata):
    """Points, strata without gaps in their codes, and the largest k that they allow."""
    rng = np.random.default_rng(seed)
    points = make_points(rng, n, d, tuple(levels), digits=digits, costs=costs)
    groups = np.unique(rng.integers(0, strata, n), return_inverse=True)[1].astype(np.int32)
    return points, groups, int(np.bincount(groups).min()) - 1


SCENES = {
    "seed": st.integers(0, 10_000),
    "n": st.integers(4, 300),
    "d": st.integers(0, 9),
    "levels": st.lists(st.integers(1, 12), max_size=3),
    "digits": st.sampled_from([None, 0, 1, 2]),
    "costs": st.sampled_from(["even", "uneven"]),
    "strata": st.integers(1, 4),
    "most": st.integers(1, 60),
}


@given(**SCENES)
def test_lists_hold_the_nearest_in_order(seed, n, d, levels, digits, costs, strata, most):
    points, groups, _ = scene(seed, n, d, levels, digits, costs, strata)
    tree, lists = listed(points, groups, most)
    squares = squared_distances(points)
    squares[groups[:, None] != groups[None, :]] = np.inf
    np.fill_diagonal(squares, np.inf)
    for pos, row in enumerate(tree.rows):
        others = np.sort(squares[row][np.isfinite(squares[row])])[: min(most + 1, n)]
        count = lists.lengths[pos]
        assert count == len(others)
        assert np.allclose(lists.far[pos, :count], others, rtol=1e-12, atol=0)
        assert (np.diff(lists.far[pos, :count]) >= 0).all()
        assert len(set(lists.who[pos, :count])) == count
        assert np.allclose(squares[row, lists.who[pos, :count]], others, rtol=1e-12, atol=0)


@given(**SCENES, below=st.integers(0, 20), ties=st.sampled_from(["random", "all"]))
def test_donors_and_sizes_are_those_of_the_definition_and_of_the_search_without_lists(
    seed, n, d, levels, digits, costs, strata, most, below, ties
):
    points, groups, largest = scene(seed, n, d, levels, digits, costs, strata)
    k = min(max(most - below, 1), largest)
    if k < 1:
        return
    rule = Rule(k=k, ties=ties)
    donors, sizes = draw_listed(points, groups, most, rule)
    assert_drawn_by_the_rule(points, groups, rule, donors, sizes)
    assert (groups[donors] == groups[:, None]).all()
    assert (sizes == draw(points, groups, rule)[1]).all()


def test_by_hand_with_a_tie_inside_the_list_and_one_beyond_its_end():
    """Rows at 0, 1, 1, 1, 9: row 0 has three at distance 1; lists end after 2 + 1 rows."""
    points = make_points(np.random.default_rng(0), 5, 1, ())
    points.numbers[0] = [0.0, 1.0, 1.0, 1.0, 9.0]
    strata = np.zeros(5, np.int32)
    for most in (2, 3, 4):
        donors, sizes = draw_listed(points, strata, most, Rule(k=1, ties="all"), columns=200)
        assert sizes.tolist() == [3, 2, 2, 2, 3]
        assert [set(row) for row in donors] == [{1, 2, 3}, {2, 3}, {1, 3}, {1, 2}, {1, 2, 3}]
        donors, sizes = draw_listed(points, strata, most, Rule(k=2), columns=200)
        assert sizes.tolist() == [2] * 5
        assert [len(set(row)) for row in donors] == [2] * 5
        assert [set(row) for row in donors[1:4]] == [{2, 3}, {1, 3}, {1, 2}]


def test_words_that_stay_stay():
    points = make_points(np.random.default_rng(0), 50, 1, (2,), digits=1)
    words, _ = words_for(points, 4, 1)
    words[:, [1, 3]] = -1
    draw_from_lists(*listed(points, np.zeros(50, np.int32), 5), Rule(k=3), words, Workers(1))
    own = np.arange(50)[:, None]
    assert (words[:, [1, 3]] == own).all()
    assert (words[:, [0, 2]] != own).all()


@pytest.mark.parametrize("most", [3, 250])
def test_twins_win_places_equally_often_and_keep_them_for_all_columns(most):
    """200 twins, 3 places, beyond and inside lists; false alarm once in 10,000 other seeds."""
    points = make_points(np.random.default_rng(0), 200, 0, (1,))
    donors, sizes = draw_listed(points, np.zeros(200, np.int32), most, Rule(k=3), columns=30)
    winners = [set(row) for row in donors]
    assert (sizes == 3).all()
    assert max(map(len, winners)) == 3
    counts = np.bincount(np.concatenate([list(row) for row in winners]), minlength=200)
    assert stats.chisquare(counts).pvalue > 1e-4


SETTINGS = {
    "no ties": (None, (), 1, 7, 9),
    "ties inside lists": (1, (2,), 2, 4, 30),
    "ties beyond lists": (0, (2,), 2, 4, 5),
    "the last of the list": (1, (3,), 1, 8, 8),
}


@pytest.mark.parametrize("ties", ["random", "all"])
@pytest.mark.parametrize(
    ("digits", "levels", "strata", "k", "most"), SETTINGS.values(), ids=SETTINGS
)
def test_members_are_drawn_as_often_as_the_rule_says(digits, levels, strata, k, most, ties):
    """Chi-square over all rows and 500 draws, and a test at 4 sigma of whether two columns of a row
    agree once in the size of its neighbourhood; together false in 2e-4 of all sets of seeds.
    """
    points, groups, _ = scene(7, 60, 2, levels, digits, "uneven", strata)
    rule = Rule(k=k, ties=ties)
    tree, lists = listed(points, groups, most)
    drawn = np.empty((500, 60, 2), np.int64)
    for seed, words in enumerate(drawn):
        words[:] = words_for(points, 2, seed)[0]
        sizes = draw_from_lists(tree, lists, rule, words, Workers(1))
    statistic, freedom = 0.0, 0
    for row, (sure, tied, places) in enumerate(neighbourhoods(points, groups, rule)):
        shares = np.repeat([1.0, places / max(len(tied), 1)], [len(sure), len(tied)]) / sizes[row]
        counts = (drawn[:, row, :1] == np.concatenate([sure, tied])).sum(axis=0)
        assert counts.sum() == 500
        statistic += stats.chisquare(counts, 500 * shares).statistic
        freedom += len(counts) - 1
    assert stats.chi2.sf(statistic, freedom) > 1e-4
    agree, chance = (drawn[..., 0] == drawn[..., 1]).sum(), 1 / sizes
    assert abs(agree - 500 * chance.sum()) < 4 * np.sqrt(500 * (chance * (1 - chance)).sum())


def test_threads_do_not_change_lists_or_draws():
    points = make_points(np.random.default_rng(1), 9000, 3, (4, 2), digits=2)
    strata = np.zeros(9000, np.int32)
    (_, one), (_, two) = (listed(points, strata, 20, threads) for threads in (1, 2))
    assert all(map(np.array_equal, one, two))
    donors = [draw_listed(points, strata, 20, Rule(k=9), threads=t)[0] for t in (1, 2)]
    assert np.array_equal(*donors)


@pytest.mark.parametrize("most", [3, 500])
def test_lists_need_the_memory_that_was_foretold(most):
    points = make_points(np.random.default_rng(1), 300)
    _, lists = listed(points, np.zeros(300, np.int32), most)
    assert count_bytes(lists) == bytes_needed(300, most + 1)
