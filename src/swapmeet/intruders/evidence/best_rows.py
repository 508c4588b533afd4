"""The rows that fit a person best, and whether they are the right ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.jit import kernel
from swapmeet.intruders.evidence.base import TIED

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints


def share_right(scores: Floats, offsets: Floats, people: Ints, place: Ints, giver: Ints) -> Floats:
    """Share of right links of each person if the best of the rows is taken, tied ones by lot.

    `scores` has a line for each of the people; `offsets` is subtracted from each line. A row is
    right if the person is its `place` or its `giver`.
    """
    shares = np.empty(len(people))
    _share_right(scores, offsets, people, place, giver, shares)
    return shares


@kernel
def _share_right(
    scores: Floats, offsets: Floats, people: Ints, place: Ints, giver: Ints, shares: Floats
) -> None:
    for line in range(scores.shape[0]):
        best = -np.inf
        for row in range(scores.shape[1]):
            best = max(best, scores[line, row] - offsets[row])
        least = best - TIED * max(abs(best), 1.0)
        taken, right = 0, 0
        for row in range(scores.shape[1]):
            if scores[line, row] - offsets[row] >= least:
                taken += 1
                right += place[row] == people[line] or giver[row] == people[line]
        shares[line] = right / taken
