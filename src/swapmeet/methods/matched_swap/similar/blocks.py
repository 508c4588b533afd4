"""Blocks of whole groups near in space."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.groups.average import find_modes
from swapmeet.base.parallel import Workers
from swapmeet.methods.matched_swap.similar.groups import group_rows

if TYPE_CHECKING:
    from swapmeet.algorithms.encode import Points
    from swapmeet.base.arrays import Ints


def gather_groups(points: Points, labels: Ints, size: int) -> Ints:
    """For each group the block it belongs to, numbered without gaps.

    Blocks are cut from the middles of the groups, each standing for all its rows: the mean of its
    numbers, and of each nominal column the commonest level. A block has about `size` rows: as many
    groups as have on average so many rows, the last one up to twice as many.
    """
    middles = find_middles(points, labels)
    together = max(round(size * middles.n / max(points.n, 1)), 1)
    return group_rows(middles, np.zeros(middles.n, np.int32), together, "tree", Workers(threads=1))


def find_middles(points: Points, labels: Ints) -> Points:
    """The middle of each group, the groups being numbered without gaps."""
    sizes = np.bincount(labels)
    numbers = [np.bincount(labels, column) / sizes for column in points.numbers]
    codes = [column[find_modes(column, labels)] for column in points.codes]
    return replace(
        points,
        numbers=np.stack(numbers) if numbers else np.empty((0, len(sizes))),
        codes=np.stack(codes) if codes else np.empty((0, len(sizes)), np.int32),
    )
