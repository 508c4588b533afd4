from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matched_examples import count_most, words
from scipy.stats import chi2, chisquare

from swapmeet.methods.matched_swap.trading.trades import (
    count_cells,
    lay_in_turns,
    permute_columns,
    spread_cells,
)

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
