"""Positions in the household, and which of them are joined."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from swapmeet.tables.units import divide_strata

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=60)


def divide(rows, fewest):
    strata, position = (np.array(column) for column in zip(*rows, strict=True))
    return divide_strata(strata.astype(np.int32), position, fewest), strata, position


def test_positions_that_are_large_enough_stay_apart():
    divided, *_ = divide([(0, 0)] * 5 + [(0, 1)] * 5 + [(1, 0)] * 5, 5)
    assert np.bincount(divided.labels).tolist() == [5, 5, 5]
    assert divided.small == ()


def test_small_positions_become_one_and_take_the_next_larger_only_where_they_must():
    rows = [(0, 0)] * 9 + [(0, 1)] * 4 + [(0, 2)] * 2 + [(0, 3)]
    assert np.bincount(divide(rows, 3)[0].labels).tolist() == [9, 4, 3]
    found = divide(rows, 4)[0]
    assert np.bincount(found.labels).tolist() == [9, 7]
    assert (found.small, found.joined, found.apart) == ((2, 1), (7,), 4)


@given(ROWS, st.integers(1, 12))
def test_every_stratum_has_enough_unless_it_has_too_few_as_a_whole(rows, fewest):
    divided, strata, _ = divide(rows, fewest)
    sizes = np.bincount(divided.labels)
    assert (sizes > 0).all()
    for label, size in enumerate(sizes):
        (stratum,) = set(strata[divided.labels == label])
        assert size >= fewest or size == (strata == stratum).sum()


@given(ROWS, st.integers(1, 12))
def test_nobody_of_one_position_is_parted_and_order_does_not_matter(rows, fewest):
    divided, strata, position = divide(rows, fewest)
    pairs = set(zip(strata, position, divided.labels, strict=True))
    assert len(pairs) == len(set(rows))
    again = divide(rows[::-1], fewest)[0]
    assert again.labels[::-1].tolist() == divided.labels.tolist()
