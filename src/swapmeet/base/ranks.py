"""Ranks of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Floats


def rank_by_middle(values: npt.NDArray[Any]) -> Floats:
    """Ranks from 1; equal values have the rank in their middle. None may be missing.

    >>> rank_by_middle(np.array([30, 10, 30, 20])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    order = np.argsort(values)
    ordered = values[order]
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, len(values))
    starts = np.append(0, ends[:-1])
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(0.5 * (starts + ends + 1), ends - starts)
    return ranks
