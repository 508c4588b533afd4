"""How strongly two columns of any kind hang together, from 0 to 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Codes = npt.NDArray[np.int32]
    Ints = npt.NDArray[np.int64]

ROOMY = 4
"""A table with more cells than this for each row is not laid out; its cells are sorted."""


def correlation_ratio(codes: Codes, levels: int, scores: Floats, *, corrected: bool) -> float:
    """η: the root of the share of a number's variance that lies between the levels.

    Corrected, that share is Kelley's ε². NaN where one of the two does not vary.

    >>> codes = np.array([0, 0, 1, 1], np.int32)
    >>> correlation_ratio(codes, 2, np.array([1.0, 1.0, 3.0, 3.0]), corrected=False)
    1.0
    >>> correlation_ratio(codes, 2, np.array([1.0, 3.0, 1.0, 3.0]), corrected=False)
    0.0
    """
    both = (codes >= 0) & ~np.isnan(scores)
    if not both.all():
        codes, scores = codes[both], scores[both]
    n = len(scores)
    counts = np.bincount(codes, minlength=levels)
    present = np.count_nonzero(counts)
    if present < 2 or np.ptp(scores) == 0.0:
        return float("nan")
    scores = scores - scores.mean()
    sums = np.bincount(codes, scores, minlength=levels)
    between = float((sums**2 / np.maximum(counts, 1)).sum())
    share = between / float(scores @ scores)
    if corrected:
        share = 1.0 - (1.0 - share) * (n - 1) / (n - present) if n > present else 0.0
    return float(np.sqrt(np.clip(share, 0.0, 1.0)))


def cramers_v(one: Codes, levels: int, other: Codes, others: int, *, corrected: bool) -> float:
    """Cramér's V, corrected for its bias as Bergsma (2013) does if asked.

    NaN where one of the two does not vary.

    >>> one = np.array([0, 0, 1, 1], np.int32)
    >>> cramers_v(one, 2, one, 2, corrected=False)
    1.0
    >>> cramers_v(one, 2, np.array([0, 1, 0, 1], np.int32), 2, corrected=False)
    0.0
    """
    both = (one >= 0) & (other >= 0)
    if not both.all():
        one, other = one[both], other[both]
    rows, columns = np.bincount(one, minlength=levels), np.bincount(other, minlength=others)
    r, c, n = np.count_nonzero(rows), np.count_nonzero(columns), len(one)
    if min(r, c) < 2:
        return float("nan")
    cells, counts = _table(one.astype(np.int64) * others + other, levels * others)
    expected = rows[cells // others] * columns[cells % others].astype(np.float64)
    phi = max(float((counts.astype(np.float64) ** 2 / expected).sum()) - 1.0, 0.0)
    smaller = float(min(r, c))
    if corrected:
        phi = max(phi - (r - 1.0) * (c - 1.0) / (n - 1.0), 0.0)
        smaller = min(side - (side - 1.0) ** 2 / (n - 1.0) for side in (r, c))
    if smaller <= 1.0:
        return 0.0
    return float(np.sqrt(min(phi / (smaller - 1.0), 1.0)))


def _table(cells: Ints, size: int) -> tuple[Ints, Ints]:
    """The cells that occur, and how often."""
    if size > ROOMY * len(cells):
        return np.unique(cells, return_counts=True)
    counts = np.bincount(cells, minlength=size)
    found = np.flatnonzero(counts)
    return found, counts[found]
