"""The random start: each column permuted inside the groups, and no row too much of one person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.exchange import shuffle
from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints


@kernel
def permute_columns(starts: Ints, donors: Ints, random_bits: Ints) -> None:
    """Fill the donors of each column with a uniformly random order of each group's places.

    Groups are the places starts[g]:starts[g + 1]; `random_bits` has 63 bits for each cell.
    """
    for j in range(donors.shape[1]):
        order = np.arange(donors.shape[0])
        for group in range(starts.shape[0] - 1):
            shuffle(order, starts[group], starts[group + 1], random_bits[:, j])
        for place in range(donors.shape[0]):
            donors[place, j] = order[place]


@kernel
def spread_cells(starts: Ints, donors: Ints, limit: int, random_bits: Ints) -> int:
    """Let places with more than `limit` cells of one person trade; return how many such are left.

    Each of them offers a random cell to a random place of its group, and trades unless that makes
    it worse. `random_bits` has 63 bits for each place.
    """
    left = 0
    for group in range(starts.shape[0] - 1):
        begin, size = starts[group], starts[group + 1] - starts[group]
        for place in range(begin, begin + size):
            if _excess_of(donors, place, limit) > 0:
                word = random_bits[place]
                other, column = begin + word % size, (word // size) % donors.shape[1]
                _trade_unless_worse(donors, place, other, column, limit)
                left += 1
    return left


@kernel
def lay_in_turns(starts: Ints, donors: Ints, limit: int, random_bits: Ints) -> None:
    """Lay out anew the groups in which a place has more than `limit` cells of one person.

    Members stand in a random order, and so do the places. In each column, a place has the cell of
    the member some steps ahead; all numbers of steps are used by about as many columns.
    `random_bits` has 63 bits for each cell, and for one column more.
    """
    for group in range(starts.shape[0] - 1):
        begin, end = starts[group], starts[group + 1]
        excess = 0
        for place in range(begin, end):
            excess += _excess_of(donors, place, limit)
        if excess > 0:
            _lay_group(donors, begin, end, random_bits)


@kernel
def count_cells(donors: Ints, place: int, person: int, skipped: int) -> int:
    """Count the cells of a place that come from a person, one column left out."""
    count = 0
    for j in range(donors.shape[1]):
        count += j != skipped and donors[place, j] == person
    return count


@kernel
def _excess_of(donors: Ints, place: int, limit: int) -> int:
    """Count the cells by which persons exceed the limit, each cell counting those before it."""
    excess = 0
    for j in range(donors.shape[1]):
        earlier = 0
        for other in range(j):
            earlier += donors[place, other] == donors[place, j]
        excess += earlier >= limit
    return excess


@kernel
def _trade_unless_worse(donors: Ints, a: int, b: int, j: int, limit: int) -> None:
    before = _excess_of(donors, a, limit) + _excess_of(donors, b, limit)
    donors[a, j], donors[b, j] = donors[b, j], donors[a, j]
    if _excess_of(donors, a, limit) + _excess_of(donors, b, limit) > before:
        donors[a, j], donors[b, j] = donors[b, j], donors[a, j]


@kernel
def _lay_group(donors: Ints, begin: int, end: int, random_bits: Ints) -> None:
    columns, size = donors.shape[1], end - begin
    members, places = np.arange(begin, end), np.arange(begin, end)
    shuffle(members, 0, size, random_bits[begin:end, columns] >> 8)
    shuffle(places, 0, size, random_bits[begin:end, 0])
    turns = np.arange(columns) % size
    words = np.empty(columns, np.int64)
    for j in range(columns):
        words[j] = random_bits[begin + j % size, j] >> 8
    shuffle(turns, 0, columns, words)
    for at in range(size):
        for j in range(columns):
            donors[places[at], j] = members[(at + turns[j]) % size]
