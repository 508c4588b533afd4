"""The correlations of original and release, which several measures share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.utility.columns import Numbers, numbers_of
from swapmeet.utility.moments import SECOND, Moments

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.measures import Comparison

    Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class Matrices:
    """Correlation matrices, over the rows in which both columns of a pair have a value.

    `original` is NaN where there is no correlation; a pair that has none in the release, because a
    column lost its values or all their variation, counts as 0 there. `fewest` is the number of
    rows of the pair that has the fewest.
    """

    numbers: Numbers
    original: Floats
    released: Floats
    fewest: int


def correlations_of(comparison: Comparison) -> Matrices:
    """The correlations of a comparison."""
    numbers = comparison.once(numbers_of)
    before = Moments(numbers.original.scores, SECOND)
    after = Moments(numbers.released.scores, SECOND)
    original, released = before.correlations(), np.nan_to_num(after.correlations(), nan=0.0)
    for matrix in (original, released):
        np.fill_diagonal(matrix, 1.0)
    fewest = min((int(m.count.min()) for m in (before, after) if m.count.size), default=0)
    return Matrices(numbers, original, released, fewest)
