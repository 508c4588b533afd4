from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matched_examples import count_most, make_goal, multiply_out, tables, widen, words
from scipy.stats import binomtest, chi2, chisquare

from swapmeet.methods.matched_swap.trading.features import sum_triples
from swapmeet.methods.matched_swap.trading.matching import objective_of, weigh_directions
from swapmeet.methods.matched_swap.trading.trades import (
    Board,
    TradeGoal,
    count_cells,
    count_together,
    lay_in_turns,
    permute_columns,
    spread_cells,
    trade,
)

X, Y = [1.0, -1.0, 1.0, -1.0], [1.0, -1.0, -1.0, 1.0]
"""In the original, y was the same as x; then rows 2 and 3 had their values of y exchanged."""


def _board(value, *, group=None, feature=None, begins=None):
    value = np.array(value, float)
    n, q = value.shape
    group = np.zeros(n, np.int64) if group is None else np.array(group)
    feature = np.tile(np.arange(q, dtype=np.int32), (n, 1)) if feature is None else feature
    begins = np.arange(q + 1) if begins is None else begins
    donors = np.repeat(np.arange(n)[:, np.newaxis], len(begins) - 1, axis=1)
    starts = np.append(np.searchsorted(group, np.arange(group.max(initial=-1) + 1)), n)
    return Board(feature, value, begins, donors, starts, group)


def _lay_in_turns(value):
    """A board where the cells of each column are those of the member some steps ahead."""
    board = _board(value)
    for j in range(value.shape[1]):
        board.donors[:, j] = (np.arange(len(value)) + j) % len(value)
    return board


def _propose(board, a, b, unit, *, luck=0):
    """The word that proposes to trade `unit` of places a and b of one group of all rows."""
    n, units = board.donors.shape
    return np.array([a + n * (unit + units * ((b - a - 1) % n + (n - 1) * luck))])


# worked by hand


def test_a_trade_that_mends_the_correlation_lowers_the_objective_as_worked_by_hand():
    """E = [[0, -4], [-4, 0]], d = 2, v = 2: 2 · 2 · (-4) · 2 + 0² + 2² · 2² = -16, from 16 to 0."""
    board = _board(np.column_stack([X, Y]))
    goal = make_goal([[0, -4], [-4, 0]], np.eye(2))
    assert objective_of(goal) == 16.0
    assert trade(board, goal, 0.0, _propose(board, 2, 3, 1)) == 16.0
    assert board.value[:, 1].tolist() == X
    assert board.donors[:, 1].tolist() == [0, 1, 3, 2]
    assert not goal.pull.any()


def test_the_same_trade_where_directions_weigh_differently():
    """W = [[2, -1], [-1, 2]]: WEW has -20 beside the diagonal; -160 + (-4)² + 8 · 8 = -80."""
    weights = np.array([[2.0, -1.0], [-1.0, 2.0]])
    board = _board(np.column_stack([X, Y]))
    goal = make_goal([[0, -4], [-4, 0]], weights)
    assert goal.pull.tolist() == [[16.0, -20.0], [-20.0, 16.0]]
    assert objective_of(goal) == pytest.approx(80.0)
    assert trade(board, goal, 0.0, _propose(board, 2, 3, 1)) == 80.0
    np.testing.assert_allclose(goal.pull, 0.0, atol=1e-12)


def test_the_way_back_raises_the_objective_by_as_much_and_is_refused():
    board = _board(np.column_stack([X, X]))
    goal = make_goal(np.zeros((2, 2)), np.eye(2))
    assert trade(board, goal, 0.0, _propose(board, 2, 3, 1)) == 0.0
    assert board.donors.tolist() == [[row, row] for row in range(4)]


def test_a_trade_for_the_worse_is_accepted_as_often_as_heat_says():
    """It costs 16: at a heat of 16 / log 2, every second time; two-sided error rate 1e-6."""
    accepted = 0
    for word in words(4_000, seed=1):
        board = _board(np.column_stack([X, X]))
        luck = word // (4 * 2 * 3)
        goal = make_goal(np.zeros((2, 2)), np.eye(2))
        proposal = _propose(board, 2, 3, 1, luck=luck)
        accepted += trade(board, goal, 16.0 / np.log(2.0), proposal) == -16.0
    assert binomtest(accepted, 4_000, 0.5).pvalue > 1e-6


# against a computation from scratch


def _groups_of(n, seed):
    return np.sort(np.random.default_rng(seed).integers(0, max(n // 4, 1), n))


@given(tables(), st.sampled_from([0.0, 0.1, 50.0]), st.integers(0, 99), st.integers(1, 4))
def test_objective_and_pull_are_those_computed_from_scratch(found, heat, seed, limit):
    n = len(found.feature)
    if n == 0 or len(found.begins) < 2:
        return
    groups = np.unique(_groups_of(n, seed), return_inverse=True)[1]
    board = _board(found.value, group=groups, feature=found.feature.copy(), begins=found.begins)
    original = multiply_out(found.feature, found.value, found.total)
    weights = weigh_directions(found)
    full = widen(weights, found.total)
    gap = np.random.default_rng(seed).normal(size=original.shape)
    gap = gap + gap.T
    threes = np.random.default_rng(seed).normal(size=found.triples.total)
    together = count_together(board.donors)
    pull = full @ gap @ full
    goal = TradeGoal(pull, weights, found.triples, threes.copy(), limit, together, 10**9)
    before = np.trace(full @ gap @ full @ gap) / 2 + threes @ threes
    assert objective_of(goal) == pytest.approx(before, rel=1e-6)
    fallen = trade(board, goal, heat, words(40 * n, seed))
    gap = gap + multiply_out(board.feature, board.value, found.total) - original
    size = 1.0 + np.abs(goal.pull).max(initial=0.0)
    np.testing.assert_allclose(goal.pull, full @ gap @ full, atol=1e-8 * size)
    threes += sum_triples(board.feature, board.value, found.triples)
    threes -= sum_triples(found.feature, found.value, found.triples)
    np.testing.assert_allclose(goal.gaps, threes, atol=1e-8 * size)
    after = np.trace(full @ gap @ full @ gap) / 2 + threes @ threes
    assert before - fallen == pytest.approx(after, rel=1e-6, abs=1e-6 * size)
    np.testing.assert_array_equal(together, count_together(board.donors))
    for unit, (begin, end) in enumerate(zip(found.begins, found.begins[1:], strict=False)):
        came = board.donors[:, unit]
        assert (groups[came] == groups).all()
        assert (np.sort(came) == np.arange(n)).all()
        np.testing.assert_array_equal(board.value[:, begin:end], found.value[came, begin:end])
    stay = slice(found.begins[-1], None)
    np.testing.assert_array_equal(board.value[:, stay], found.value[:, stay])


@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 99), st.integers(1, 4))
def test_no_trade_breaks_the_cap(size, columns, seed, limit):
    """From a start of one cell of each person, at any heat."""
    columns = min(columns, size)
    board = _lay_in_turns(np.random.default_rng(seed).normal(size=(size, columns)))
    goal = make_goal(np.zeros((columns, columns)), np.eye(columns), limit)
    trade(board, goal, 1e9, words(500, seed))
    assert count_most(board.donors) <= limit


@given(st.integers(3, 9), st.integers(2, 5), st.integers(0, 99), st.integers(1, 4))
def test_no_trade_brings_two_columns_together_more_often_than_allowed(size, columns, seed, most):
    """From a start where no two of them are, at any heat; few places may end as they began."""
    columns = min(columns, size)
    board = _lay_in_turns(np.random.default_rng(seed).normal(size=(size, columns)))
    start = board.donors.copy()
    apart = ~np.eye(columns, dtype=bool)
    goal = make_goal(
        np.zeros((columns, columns)), np.eye(columns), columns, donors=board.donors, most=most
    )
    trade(board, goal, 1e9, words(500, seed))
    found = count_together(board.donors)
    np.testing.assert_array_equal(found, goal.together)
    assert (board.donors != start).any() or size < 6
    assert found[apart].max() <= most


def test_places_are_counted_in_which_two_columns_come_from_one_person():
    donors = np.array([[1, 1, 0], [0, 2, 2], [2, 0, 1]])
    assert count_together(donors).tolist() == [[3, 1, 0], [1, 3, 1], [0, 1, 3]]


def test_places_that_hold_the_same_value_do_not_trade():
    board = _board([[1.0, 1.0], [2.0, 1.0]])
    goal = make_goal(np.zeros((2, 2)), np.eye(2))
    trade(board, goal, 1e9, _propose(board, 0, 1, 1))
    assert board.donors.tolist() == [[0, 0], [1, 1]]


def test_a_group_of_one_has_nobody_to_trade_with():
    board = _board([[1.0, 1.0], [2.0, 3.0]], group=[0, 1])
    assert trade(board, make_goal(np.zeros((2, 2)), np.eye(2)), 1e9, words(50, 1)) == 0.0
    assert board.donors.tolist() == [[0, 0], [1, 1]]


# every arrangement


def test_where_the_cap_leaves_no_room_nothing_can_trade():
    """Three columns of three, each row with one cell of each person: any trade makes two."""
    board = _lay_in_turns(np.random.default_rng(1).normal(size=(3, 3)))
    before = board.donors.copy()
    assert trade(board, make_goal(np.zeros((3, 3)), np.eye(3), 1), 1e12, words(500, 1)) == 0.0
    assert (board.donors == before).all()


def _list_allowed(size, columns, limit):
    orders = [np.array(one) for one in permutations(range(size))]
    found = (np.column_stack(each) for each in product(orders, repeat=columns))
    return {each.tobytes() for each in found if count_most(each) <= limit}


@pytest.mark.slow_case("3-3-2")
@pytest.mark.parametrize(("size", "columns", "limit"), [(3, 2, 2), (2, 3, 2), (3, 3, 2)])
def test_trades_lead_to_every_arrangement_that_the_cap_allows_equally_often(size, columns, limit):
    """At a heat at which nothing matters, after an even or odd number of proposals.

    Chi-square over all of them, error rate 1e-4.
    """
    allowed = _list_allowed(size, columns, limit)
    value = np.random.default_rng(1).normal(size=(size, columns))
    runs, seen = 60 * len(allowed), dict.fromkeys(allowed, 0)
    for run in range(runs):
        board = _lay_in_turns(value)
        goal = make_goal(np.zeros((columns, columns)), np.eye(columns), limit)
        trade(board, goal, 1e12, words(60 + run % 2, run))
        seen[board.donors.tobytes()] += 1
    assert chisquare(list(seen.values())).pvalue > 1e-4


SELDOM = 1e-4
"""The error rate of a claim about frequencies."""


def _permute(starts, columns, seed):
    donors = np.empty((starts[-1], columns), np.int64)
    permute_columns(starts, donors, words(donors.shape, seed))
    return donors


def _lay(starts, donors, limit, seed):
    lay_in_turns(starts, donors, limit, words((donors.shape[0], donors.shape[1] + 1), seed))


def _spread(starts, donors, limit, seed, rounds=100):
    for turn in range(rounds):
        if not spread_cells(starts, donors, limit, words(len(donors), (seed, turn))):
            return


SIZES = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(lambda s: np.cumsum([0, *s]))


def _assert_inside(starts, donors):
    for begin, end in pairwise(starts):
        for column in donors[begin:end].T:
            assert sorted(column) == list(range(begin, end))


@given(SIZES, st.integers(1, 9), st.integers(1, 4), st.integers(0, 99))
def test_no_step_of_the_start_takes_a_cell_out_of_its_group(starts, columns, limit, seed):
    donors = _permute(starts, columns, seed)
    _assert_inside(starts, donors)
    _spread(starts, donors, limit, seed, rounds=5)
    _assert_inside(starts, donors)
    _lay(starts, donors, limit, seed)
    _assert_inside(starts, donors)


@given(SIZES, st.integers(1, 12), st.integers(0, 3), st.integers(0, 99))
def test_what_is_laid_in_turns_keeps_every_limit_that_groups_have_room_for(
    starts, columns, more, seed
):
    limit = -(-columns // int(np.diff(starts).min())) + more
    donors = _permute(starts, columns, seed)
    _lay(starts, donors, limit, seed)
    assert count_most(donors) <= limit


def test_groups_within_the_limit_are_not_laid_anew():
    starts = np.array([0, 4, 8])
    donors = np.repeat(np.arange(8)[:, np.newaxis], 4, axis=1)
    donors[4:] = [[4, 5, 6, 7], [5, 6, 7, 4], [6, 7, 4, 5], [7, 4, 5, 6]]
    before = donors.copy()
    _lay(starts, donors, 2, 1)
    assert (donors[4:] == before[4:]).all()
    assert (donors[:4] != before[:4]).any()


def test_cells_spread_until_none_is_left_and_say_so():
    starts = np.array([0, 6])
    donors = np.repeat(np.arange(6)[:, np.newaxis], 6, axis=1)
    assert spread_cells(starts, donors, 3, words(6, 0)) > 0
    _spread(starts, donors, 3, seed=1)
    assert spread_cells(starts, donors, 3, words(6, 0)) == 0
    assert count_most(donors) <= 3


def test_cells_of_a_person_are_counted_without_one_column():
    donors = np.array([[1, 1, 0], [0, 0, 1]])
    assert count_cells(donors, 0, 1, 2) == 2
    assert count_cells(donors, 0, 1, 0) == 1


# what is left to chance


def test_columns_are_permuted_uniformly_and_independently():
    """Chi-square over all 36 arrangements of two columns of three."""
    seen = Counter(_permute(np.array([0, 3]), 2, seed).tobytes() for seed in range(3_600))
    assert len(seen) == 36
    assert chisquare(list(seen.values())).pvalue > SELDOM


def _start(size, columns, limit, seed, *, laid=False):
    starts = np.array([0, size])
    donors = _permute(starts, columns, seed)
    if laid:
        _lay(starts, donors, 0, seed)
    else:
        _spread(starts, donors, limit, seed)
    return donors


@pytest.mark.slow_case("3-4-2-False", "3-3-1-False")
@pytest.mark.parametrize(
    ("size", "columns", "limit", "laid"),
    [(3, 4, 2, False), (2, 4, 2, False), (3, 3, 1, False), (3, 2, 1, True), (3, 3, 1, True)],
)
def test_each_order_of_the_rows_of_a_start_is_equally_likely(size, columns, limit, laid):
    """Chi-square inside each set of rows that came out often."""
    seen: dict[tuple, Counter] = {}
    for seed in range(6_000):
        donors = _start(size, columns, limit, seed, laid=laid)
        rows = tuple(sorted(map(tuple, donors.tolist())))
        seen.setdefault(rows, Counter())[donors.tobytes()] += 1
    orders, statistic, freedom = factorial(size), 0.0, 0
    for counts in seen.values():
        expected = counts.total() / orders
        found = [*counts.values(), *[0] * (orders - len(counts))]
        statistic += sum((one - expected) ** 2 / expected for one in found)
        freedom += orders - 1
    assert chi2.sf(statistic, freedom) > SELDOM


def test_every_arrangement_that_the_cap_allows_can_be_the_start():
    """All 144 of three columns of three; the rarest of 10,000 starts would be missed once in e^9,
    were it seven times rarer than the average."""
    orders = [np.array(one) for one in permutations(range(3))]
    each = (np.column_stack(one) for one in product(orders, repeat=3))
    allowed = {one.tobytes() for one in each if count_most(one) <= 2}
    seen = {_start(3, 3, 2, seed).tobytes() for seed in range(10_000)}
    assert seen == allowed
