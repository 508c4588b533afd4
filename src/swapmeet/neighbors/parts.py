"""Cut the rows into parts that are searched by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.microdata import by_stratum
from swapmeet.neighbors.tree import RIGHT, START, STOP, build

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from swapmeet.encode import Points
    from swapmeet.seeds import Streams

    Groups = npt.NDArray[np.int32]
    Rows = npt.NDArray[np.int64]

FINE = 4
"""Leaves are this many times smaller than a part, so that parts end where the tree divides."""


def random_parts(strata: Groups, parts: int, streams: Streams) -> Groups:
    """Random parts of equal size: Method 3 of the paper. No part spans two strata."""
    ordered = by_stratum(streams.stream("parts").permutation(len(strata)), strata)
    return _labels(ordered, [_equal(len(rows), _share(rows, strata, parts)) for rows in ordered])


def spatial_parts(points: Points, strata: Groups, parts: int) -> Groups:
    """Parts that are near in space and of similar size: neighbouring branches of a tree."""
    ordered, sizes = [], []
    for rows in by_stratum(np.arange(points.n), strata):
        target = len(rows) / _share(rows, strata, parts)
        tree = build(points.of(rows), leaf=max(int(target) // FINE, 1))
        ordered.append(rows[tree.rows])
        sizes.append(np.array(_merged(_branches(tree.nodes, target), target)))
    return _labels(ordered, sizes)


def _share(rows: Rows, strata: Groups, parts: int) -> int:
    """How many of the parts a stratum gets: at least one, at most one per row."""
    return min(max(round(len(rows) * parts / len(strata)), 1), len(rows))


def _equal(rows: int, parts: int) -> Rows:
    return rows // parts + (np.arange(parts) < rows % parts)


def _branches(nodes: Rows, target: float) -> Iterator[int]:
    """Sizes of the largest branches of at most the target size, in tree order."""
    todo = [0]
    while todo:
        node = todo.pop()
        size, right = int(nodes[node, STOP] - nodes[node, START]), int(nodes[node, RIGHT])
        if size <= target or right == 0:
            yield size
        else:
            todo += [right, node + 1]


def _merged(sizes: Iterator[int], target: float) -> list[int]:
    """Join small branches with those beside them: parts of half to twice the target size."""
    parts: list[int] = []
    open_part = 0
    for size in sizes:
        open_part += size
        if open_part >= target / 2:
            parts.append(open_part)
            open_part = 0
    if open_part:
        parts.append(parts.pop() + open_part if parts else open_part)
    return parts


def _labels(ordered: list[Rows], sizes: list[Rows]) -> Groups:
    rows, counts = np.concatenate(ordered), np.concatenate(sizes)
    labels = np.empty(len(rows), np.int32)
    labels[rows] = np.repeat(np.arange(len(counts)), counts)
    return labels
