"""The correlations of original and release, which several measures share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.comparison.comparison import BeforeAfter
from swapmeet.measures.utility.columns import Numbers, numbers_of
from swapmeet.measures.utility.moments import SECOND, Moments, PowerSums
from swapmeet.measures.weights import find_weights, find_worth

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.measures.utility.columns import Standards
    from swapmeet.tables.microdata import Microdata

    Powers = tuple[tuple[int, int], ...]


@dataclass(frozen=True, repr=False, eq=False)
class Matrices:
    """Correlation matrices, over the rows in which both columns of a pair have a value.

    `original` is NaN where there is no correlation; a pair that has none in the release, because a
    column lost its values or all their variation, counts as 0 there. `rows` are those of a pair,
    in the table that has fewer; with weights they are worth `worth` of their number, where chance
    matters.
    """

    numbers: Numbers
    original: Floats
    released: Floats
    rows: Floats
    worth: float = 1.0

    @property
    def fewest(self) -> int:
        """The number of rows of the pair that has the fewest."""
        return int(self.rows.min()) if self.rows.size else 0


def correlations_of(comparison: Comparison) -> Matrices:
    """The correlations of a comparison."""
    numbers = comparison.once(numbers_of)
    before, after = moments_of(comparison, numbers, SECOND)
    original, released = before.correlations(), np.nan_to_num(after.correlations(), nan=0.0)
    for matrix in (original, released):
        np.fill_diagonal(matrix, 1.0)
    rows = np.minimum(before.count, after.count)
    return Matrices(numbers, original, released, rows, find_worth(comparison))


def principal_axes(correlations: Floats) -> tuple[Floats, Floats]:
    """Each principal component's share of the variance, from the largest down, and its direction,
    in columns.
    """
    sizes, axes = np.linalg.eigh(correlations)
    return sizes[::-1] / len(sizes), axes[:, ::-1]


def moments_of(
    comparison: Comparison, numbers: Numbers, powers: Powers, *, weighted: bool = True
) -> tuple[Moments, Moments]:
    """The moments of all pairs of columns, in the original and in the release."""
    sums = comparison.gather(_Look(numbers, powers, weighted), numbers.names)
    return Moments(sums.before), Moments(sums.after)


@dataclass(frozen=True, repr=False, eq=False)
class _Look:
    numbers: Numbers
    powers: Powers
    weighted: bool

    def __call__(self, piece: Comparison) -> BeforeAfter[PowerSums]:
        numbers = self.numbers
        return BeforeAfter(
            self._add_up(numbers.original, piece.original),
            self._add_up(numbers.released, piece.released),
        )

    def _add_up(self, standards: Standards, data: Microdata) -> PowerSums:
        weights = find_weights(data) if self.weighted else None
        return PowerSums.of(standards.scores(data), self.powers, weights)
