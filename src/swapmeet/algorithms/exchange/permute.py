"""All rows of a group trade: a uniformly random permutation inside each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.exchange.members import members_of, shuffle, sizes_of
from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints


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
