"""Ways in which the rows of a group trade: in a random order, or in random pairs."""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Ints
from swapmeet.base.jit import kernel


@kernel
def permute_within_groups(labels: Ints, random_bits: Ints) -> Ints:
    """The donor of each row, from its own group; rows in no group keep their value.

    `random_bits` has 63 bits for each row.
    """
    sizes = sizes_of(labels)
    members = members_of(labels, sizes)
    donors = np.arange(labels.shape[0])
    given = members.copy()
    begin = 0
    for group in range(sizes.shape[0]):
        end = begin + sizes[group]
        shuffle(given, begin, end, random_bits)
        for place in range(begin, end):
            donors[members[place]] = given[place]
        begin = end
    return donors


@kernel
def pair_within_groups(labels: Ints, random_bits: Ints) -> Ints:
    """The partner of each row, from its own group; itself where there is none.

    `random_bits` has 63 bits for each row.
    """
    sizes = sizes_of(labels)
    members = members_of(labels, sizes)
    donors = np.arange(labels.shape[0])
    begin = 0
    for group in range(sizes.shape[0]):
        end = begin + sizes[group]
        shuffle(members, begin, end, random_bits)
        for place in range(begin, end - 1, 2):
            donors[members[place]] = members[place + 1]
            donors[members[place + 1]] = members[place]
        begin = end
    return donors


@kernel
def sizes_of(labels: Ints) -> Ints:
    """The number of rows in each group; rows with a negative label are in none."""
    last = -1
    for row in range(labels.shape[0]):
        last = max(last, labels[row])
    sizes = np.zeros(last + 1, np.int64)
    for row in range(labels.shape[0]):
        if labels[row] >= 0:
            sizes[labels[row]] += 1
    return sizes


@kernel
def members_of(labels: Ints, sizes: Ints) -> Ints:
    """The rows of group 0 in order, then those of group 1, ..."""
    places = np.empty(sizes.shape[0], np.int64)
    total = 0
    for group in range(sizes.shape[0]):
        places[group] = total
        total += sizes[group]
    members = np.empty(total, np.int64)
    for row in range(labels.shape[0]):
        if labels[row] >= 0:
            members[places[labels[row]]] = row
            places[labels[row]] += 1
    return members


@kernel
def shuffle(rows: Ints, begin: int, end: int, random_bits: Ints) -> None:
    """Put rows[begin:end] into a uniformly random order, with 63 random bits for each."""
    for place in range(end - 1, begin, -1):
        other = begin + random_bits[place] % (place - begin + 1)
        rows[place], rows[other] = rows[other], rows[place]


@kernel
def find_lone_rows(labels: Ints) -> Ints:
    """The rows that are the only ones in their group."""
    sizes = sizes_of(labels)
    count = 0
    for group in range(sizes.shape[0]):
        count += sizes[group] == 1
    rows = np.empty(count, np.int64)
    place = 0
    for row in range(labels.shape[0]):
        if labels[row] >= 0 and sizes[labels[row]] == 1:
            rows[place] = row
            place += 1
    return rows
