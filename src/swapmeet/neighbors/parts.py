"""Cut the rows into parts that are searched by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.neighbors.tree import build

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.encode import Points
    from swapmeet.seeds import Streams

    Groups = npt.NDArray[np.int32]


def random_parts(strata: Groups, parts: int, streams: Streams) -> Groups:
    """Random parts of equal size: Method 3 of the paper. No part spans two strata."""
    return _cut(streams.stream("parts").permutation(len(strata)), strata, parts)


def spatial_parts(points: Points, strata: Groups, parts: int) -> Groups:
    """Parts of equal size that are near in space: consecutive stretches of the tree's order."""
    walled = points.walled(strata)
    tree = build(replace(walled, numbers=walled.numbers.copy()))
    return _cut(tree.rows, strata, parts)


def _cut(order: npt.NDArray[np.int64], strata: Groups, parts: int) -> Groups:
    """Cut each stratum, in the given order of rows, into its share of the parts, at least one."""
    order = order[np.argsort(strata[order], kind="stable")]
    counts = np.bincount(strata)
    shares = np.maximum(np.rint(counts * (parts / len(strata))).astype(np.int64), 1)
    shares = np.minimum(shares, counts)
    rank = np.arange(len(strata)) - np.repeat(np.cumsum(counts) - counts, counts)
    within = rank * np.repeat(shares, counts) // np.repeat(counts, counts)
    labels = np.empty(len(strata), np.int32)
    labels[order] = within + np.repeat(np.cumsum(shares) - shares, counts)
    return labels
