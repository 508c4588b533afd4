"""Guesses from the leaf of a tree that a person reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.jit import kernel
from swapmeet.intruders.guesses.modes import share_of_modes

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints

MOST = 1_000
"""Of a larger leaf, about this many rows are looked at."""


@kernel
def guess_in_leaves(
    begins: Ints, sizes: Ints, rows: Ints, cells: Floats, givers: Ints, who: Ints, truth: Floats,
    tolerance: float, right: Floats,
) -> None:  # fmt: skip
    """The chance that the most frequent value of a person's leaf is the true one.

    A person's leaf are the `sizes` rows from `begins` on in `rows`. A line of `givers` names all
    whose row it is. `right` has a line for the guess with all rows, and one for that without the
    person's.
    """
    everyone, others = np.empty(2 * MOST), np.empty(2 * MOST)
    for i in range(len(who)):
        step = max(sizes[i] // MOST, 1)
        many, fewer = 0, 0
        for at in range(begins[i], begins[i] + sizes[i], step):
            r = rows[at]
            if np.isnan(cells[r]):
                continue
            everyone[many] = cells[r]
            many += 1
            if not _is_among(givers[r], who[i]):
                others[fewer] = cells[r]
                fewer += 1
        right[0, i] = share_of_modes(everyone, many, truth[i], tolerance)
        right[1, i] = share_of_modes(others, fewer, truth[i], tolerance)


@kernel
def _is_among(givers: Ints, person: int) -> bool:
    for giver in givers:  # noqa: SIM110
        if giver == person:
            return True
    return False
