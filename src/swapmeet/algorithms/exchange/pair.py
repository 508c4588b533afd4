"""Rows of a group trade in random pairs; the odd one out keeps its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.exchange.members import members_of, shuffle, sizes_of
from swapmeet.base.jit import kernel

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints


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
