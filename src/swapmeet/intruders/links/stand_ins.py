"""Links by somebody who knows the method and one person: released rows take the place of the
others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.comparison.comparison import random_rows
from swapmeet.intruders.evidence.sums import add_up, count_together, log_sum

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.base.seeds import Streams
    from swapmeet.intruders.links.evidence import KnownColumns

LARGEST = 30_000
"""In larger tables nobody tries."""
SHARE, MOST = 10, 150
"""One in ten people, at most so many, are sought at once: in the evidence they see each other."""
TIMES = 2
"""So often others are sought."""
FEWEST = 100
"""At least so many rows show what fits anybody."""


def link_by_release(known: KnownColumns, people: Ints, streams: Streams) -> Floats:
    """Return the share of right links of each of some of the people; empty where nobody tries.

    A row is taken that fits the person better than it fits the people whom the rows are taken for.
    """
    n = known.comparison.n
    if n > LARGEST:
        return np.empty(0)
    drawn = streams.stream("singled out").permutation(people)
    size = min(MOST, -(-n // SHARE))
    parts = [drawn[size * time : size * (time + 1)] for time in range(TIMES)]
    rows = random_rows(streams.stream("stand-ins"), n, min(n, max(count_together(n), FEWEST)))
    return np.concatenate([_link(known, part, rows) for part in parts])


def _link(known: KnownColumns, people: Ints, rows: Ints) -> Floats:
    pieces = known.find_traces_of_some(people)
    if not pieces:
        return np.empty(0)
    anybody = log_sum(add_up(pieces, len(people) + rows), axis=0)
    return known.truth.share_right(add_up(pieces, np.arange(len(people))), people, anybody)
