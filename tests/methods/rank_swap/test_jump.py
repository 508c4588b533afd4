from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.methods.rank_swap.trades import trade_by_jump


def trade(begins, ends, jumps):
    return trade_by_jump(np.array(begins), np.array(ends), np.array(jumps))


def by_search(begins, ends, jumps):
    """The same by looking at all places, every time."""
    partners = list(range(len(jumps)))
    for begin, end in zip(begins, ends, strict=True):
        for place in range(begin, end):
            free = [k for k in range(place + 1, end) if partners[k] == k]
            if partners[place] != place or not free:
                continue
            target = min(place + jumps[place], end - 1)
            other = min(free, key=lambda k: (abs(k - target), -k))
            partners[place], partners[other] = other, place
    return partners


def test_jumps_lead_to_partners():
    assert trade([0], [4], [3, 1, 1, 1]).tolist() == [3, 2, 1, 0]


def test_taken_target_gives_way_to_the_nearest_free_one():
    """0 takes 3; 1 would jump to 3 as well: 4 and 2 are as near, 4 is farther."""
    assert trade([0], [6], [3, 2, 1, 1, 1, 1]).tolist() == [3, 4, 5, 0, 1, 2]


def test_jump_beyond_the_end_takes_the_last_free_one():
    assert trade([0], [5], [99, 99, 1, 1, 1]).tolist() == [4, 3, 2, 1, 0]


def test_odd_one_out_stays():
    assert trade([0, 3], [3, 4], [2, 1, 1, 5]).tolist() == [2, 1, 0, 3]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 25)), min_size=1, max_size=4),
    st.integers(0, 999),
    st.sampled_from([2, 5, 40]),
)
def test_partners_are_those_found_by_search(shapes, seed, longest):
    begins, ends, at = [], [], 0
    for gap, size in shapes:
        begins.append(at + gap)
        ends.append(at + gap + size)
        at = ends[-1]
    jumps = np.random.default_rng(seed).integers(1, longest, at + 1)
    assert trade(begins, ends, jumps).tolist() == by_search(begins, ends, jumps.tolist())


def test_long_jumps_do_not_take_long():
    """All aim at the end, where nearly all are taken: a scan would need 10**10 steps."""
    n = 200_000
    partners = trade([0], [n], np.full(n, n))
    assert np.array_equal(partners, np.arange(n)[::-1])
