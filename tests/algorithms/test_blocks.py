from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.algorithms.blocks import BlockAssignment, RandomBlocks, split_into_blocks
from swapmeet.base.seeds import Seed

SEED = Seed.chosen_by_user(11)
SIZES = st.lists(st.integers(1, 400), min_size=1, max_size=8)


def strata_of(sizes, seed=0):
    strata = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return np.random.default_rng(seed).permutation(strata)


def laid_out(sizes, rows_per_block, seed=SEED):
    strata = strata_of(sizes)
    layout = RandomBlocks.of(np.bincount(strata), rows_per_block, seed)
    return strata, layout, layout.blocks(np.arange(len(strata)), strata)


@given(SIZES, st.integers(2, 200))
def test_every_row_is_in_one_block_and_rows_come_in_order(sizes, rows_per_block):
    strata, layout, blocks = laid_out(sizes, rows_per_block)
    members = list(split_into_blocks(layout.deal(np.arange(len(strata)), None, strata)))
    assert sorted(np.concatenate([m.rows for m in members])) == list(range(len(strata)))
    for member in members:
        assert (np.diff(member.rows) > 0).all()
        assert (blocks[member.rows] == member.block).all()
        assert member.reach is None
        assert member.own is member.rows


@given(SIZES, st.integers(2, 200))
def test_strata_that_fit_stay_whole_and_others_have_their_own_blocks(sizes, rows_per_block):
    strata, _, blocks = laid_out(sizes, rows_per_block)
    for stratum, size in enumerate(sizes):
        own = np.unique(blocks[strata == stratum])
        if size <= rows_per_block:
            assert len(own) == 1
        else:
            assert len(own) <= -(-size // rows_per_block)
            assert set(np.unique(strata[np.isin(blocks, own)])) == {stratum}


@given(SIZES, st.integers(2, 200))
def test_no_block_is_much_larger_than_asked_for(sizes, rows_per_block):
    _, layout, blocks = laid_out(sizes, rows_per_block)
    limit = rows_per_block + 7 * rows_per_block**0.5 + 16
    assert np.bincount(blocks, minlength=layout.count).max() <= limit


@given(st.integers(1, 2000), st.integers(2, 2000))
def test_without_strata_there_are_as_few_blocks_as_hold_all(n, rows_per_block):
    assert laid_out([n], rows_per_block)[1].count == -(-n // rows_per_block)


def test_strata_are_packed_into_blocks_in_order():
    _, layout, _ = laid_out([40, 50, 20, 100, 60, 250], 100)
    assert layout.first.tolist() == [0, 0, 1, 2, 3, 4]
    assert layout.parts.tolist() == [1, 1, 1, 1, 1, 3]
    assert layout.count == 7


def test_rows_are_looked_up_in_any_order_and_any_pieces():
    strata, layout, blocks = laid_out([300, 50, 700], 100)
    rows = np.random.default_rng(2).permutation(len(strata))
    pieces = [layout.blocks(some, strata[some]) for some in np.array_split(rows, 9)]
    assert np.array_equal(np.concatenate(pieces), blocks[rows])


def test_the_seed_decides_and_nobody_else_can_tell():
    one, same, other = (
        laid_out([10_000], 1000, seed)[2]
        for seed in (SEED, Seed.chosen_by_user(11), Seed.chosen_by_user(12))
    )
    assert np.array_equal(one, same)
    assert (one == other).mean() == pytest.approx(0.1, abs=0.02)


def test_blocks_are_even_and_neighbours_in_the_table_are_not_neighbours_in_a_block():
    _, layout, blocks = laid_out([100_000], 1000)
    sizes = np.bincount(blocks, minlength=layout.count)
    assert ((sizes - 1000) ** 2 / 1000).sum() == pytest.approx(99, abs=5 * (2 * 99) ** 0.5)
    assert (blocks[1:] == blocks[:-1]).mean() == pytest.approx(0.01, abs=0.002)
    assert np.corrcoef(np.arange(100_000), blocks)[0, 1] == pytest.approx(0.0, abs=0.015)


def test_the_layout_is_what_it_always_was():
    blocks = laid_out([20], 5)[2]
    assert blocks.tolist() == [0, 2, 0, 0, 3, 2, 0, 3, 3, 0, 3, 3, 1, 1, 1, 0, 2, 2, 0, 3]


def test_more_blocks_than_two_bytes_can_number():
    strata, layout, blocks = laid_out([140_000], 2)
    assert layout.count == 70_000
    for member in split_into_blocks(layout.deal(np.arange(len(strata)), None, strata)):
        assert (blocks[member.rows] == member.block).all()


def test_repr_keeps_the_key():
    assert repr(laid_out([20], 5)[1]) == "<RandomBlocks: 4>"


def test_a_block_has_its_own_rows_before_its_guests_and_none_without_rows_of_its_own():
    nan = np.nan
    dealt = BlockAssignment(
        np.array([0, 0, 1, 2, 2, 2]),
        np.array([1, 0, 0, 1, 0, 5]),
        np.array([4.0, nan, 3.0, 2.0, nan, nan]),
    )
    first, second = split_into_blocks(dealt)
    assert (first.block, first.rows.tolist(), first.reach.tolist()) == (0, [1, 0, 2], [3.0])
    assert (second.block, second.rows.tolist(), second.reach.tolist()) == (1, [0, 2], [4.0, 2.0])
    assert first.own.tolist() == [1]


def test_pieces_are_joined_by_the_number_of_their_first_row():
    one, two = (
        BlockAssignment(np.array([0, 1]), np.array([0, b]), np.array([1.0, 2.0])) for b in (1, 2)
    )
    whole = BlockAssignment.concatenate([one, two], [0, 2])
    assert whole.places.tolist() == [0, 1, 2, 3]
    assert whole.blocks.tolist() == [0, 1, 0, 2]
    assert whole.reach.tolist() == [1.0, 2.0, 1.0, 2.0]
