"""Positions in the household: what belongs to persons moves between those of the same position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints, ShortInts


@dataclass(frozen=True, repr=False, eq=False)
class DividedStrata:
    """The stratum of each person once strata are divided by position.

    `small` are the sizes of positions that had too few persons, `joined` those of what they and
    others became, and `apart` is the number of positions before, those of each stratum counted.
    """

    labels: ShortInts
    small: tuple[int, ...] = ()
    joined: tuple[int, ...] = ()
    apart: int = 0

    def __repr__(self) -> str:
        return f"<DividedStrata: {len(self.small)} of {self.apart} positions are too small>"


def divide_strata(strata: ShortInts, position: Ints, fewest: int = 1) -> DividedStrata:
    """Strata divided by position, where positions of fewer than `fewest` persons are joined.

    Those of one stratum become one, and the next larger ones join them until it has enough. Only
    sizes decide, so that whoever knows the positions knows who was joined.

    >>> relation = np.repeat([0, 1, 2, 3, 4], [9, 6, 3, 1, 1])
    >>> np.bincount(divide_strata(np.zeros(20, np.int32), relation, 3).labels).tolist()
    [9, 6, 5]
    >>> np.bincount(divide_strata(np.zeros(20, np.int32), relation, 2).labels).tolist()
    [9, 6, 3, 2]
    """
    pairs = strata.astype(np.int64) * (int(position.max(initial=0)) + 1) + position
    cells, of_row, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
    small = sizes < fewest
    if not small.any():
        return DividedStrata(of_row.astype(np.int32), apart=len(cells))
    stratum = cells // (int(position.max(initial=0)) + 1)
    lacking = np.isin(stratum, stratum[small])
    chosen = lacking & (small | (_count_in_smaller(stratum, sizes) < fewest))
    first = np.flatnonzero(chosen)[np.unique(stratum[chosen], return_index=True)[1]]
    target = np.arange(len(cells))
    target[chosen] = first[np.searchsorted(stratum[first], stratum[chosen])]
    labels = np.unique(target[of_row], return_inverse=True)[1]
    totals = np.bincount(target[chosen], weights=sizes[chosen]).astype(np.int64)
    return DividedStrata(
        labels.astype(np.int32), tuple(sizes[small].tolist()), tuple(totals[first].tolist()),
        len(cells),
    )  # fmt: skip


def _count_in_smaller(stratum: Ints, sizes: Ints) -> Ints:
    """For each position, the persons of its stratum that are in smaller ones."""
    room = int(sizes.max()) + 1
    kinds, which = np.unique(stratum * room + sizes, return_inverse=True)
    totals = np.bincount(which, weights=sizes).astype(np.int64)
    before = np.cumsum(totals) - totals
    begins = np.searchsorted(kinds // room, kinds // room)
    return np.asarray((before - before[begins])[which], np.int64)
