"""Cut the rows into random parts that are searched by themselves: Method 3 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.tables.microdata import split_by_stratum

if TYPE_CHECKING:
    from swapmeet.base.arrays import Groups, Rows
    from swapmeet.base.seeds import Streams


def random_parts(strata: Groups, parts: int, streams: Streams) -> Groups:
    """Random parts of equal size: Method 3 of the paper. No part spans two strata."""
    ordered = split_by_stratum(streams.stream("parts").permutation(len(strata)), strata)
    return _labels(ordered, [_equal(len(rows), _share(rows, strata, parts)) for rows in ordered])


def _share(rows: Rows, strata: Groups, parts: int) -> int:
    """Count the parts that a stratum gets: at least one, at most one per row."""
    return min(max(round(len(rows) * min(parts, len(strata)) / len(strata)), 1), len(rows))


def _equal(rows: int, parts: int) -> Rows:
    return rows // parts + (np.arange(parts) < rows % parts)


def _labels(ordered: list[Rows], sizes: list[Rows]) -> Groups:
    rows, counts = np.concatenate(ordered), np.concatenate(sizes)
    labels = np.empty(len(rows), np.int32)
    labels[rows] = np.repeat(np.arange(len(counts)), counts)
    return labels
