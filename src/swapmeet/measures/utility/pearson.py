"""The moments and correlations of original and release, which several measures share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.base.parallel import ranges
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.sums import BeforeAfter, Sums
from swapmeet.comparison.weights import find_weights, find_worth
from swapmeet.measures.utility.columns import NumericColumns, numbers_of

Powers = tuple[tuple[int, int], ...]


@dataclass(frozen=True, repr=False, eq=False)
class Matrices:
    """Correlation matrices, over the rows in which both columns of a pair have a value.

    `original` is NaN where there is no correlation; a pair that has none in the release, because a
    column lost its values or all their variation, counts as 0 there. `rows` are those of a pair,
    in the table that has fewer; with weights they are worth `worth` of their number, where chance
    matters.
    """

    numbers: NumericColumns
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
    comparison: Comparison, numbers: NumericColumns, powers: Powers, *, weighted: bool = True
) -> tuple[Moments, Moments]:
    """The moments of all pairs of columns, in the original and in the release."""
    sums = comparison.gather(
        partial(_add_up_powers, numbers, powers, weighted=weighted), numbers.names
    )
    return Moments(sums.before), Moments(sums.after)


def _add_up_powers(
    numbers: NumericColumns, powers: Powers, piece: Comparison, *, weighted: bool
) -> BeforeAfter[PowerSums]:
    before, after = (
        PowerSums.of(standards.scores(data), powers, find_weights(data) if weighted else None)
        for standards, data in (
            (numbers.original, piece.original), (numbers.released, piece.released)
        )
    )  # fmt: skip
    return BeforeAfter(before, after)


BLOCK = 1 << 15
FLAT = 1e-12
"""A variance below this share of the column's own is none, except for rounding."""
SECOND = ((0, 0), (1, 0), (2, 0), (1, 1))
FOURTH = (*SECOND, (3, 0), (4, 0), (2, 1), (3, 1), (2, 2))


@dataclass(frozen=True, repr=False, eq=False)
class PowerSums(Sums):
    """Sums of z_i**a z_j**b over the rows in which both are present, for each (a, b).

    With weights each row counts by its own; `rows` are the numbers of rows all the same.
    """

    sums: Mapping[tuple[int, int], Floats]
    rows: Floats

    @classmethod
    def of(
        cls, scores: Floats, powers: Collection[tuple[int, int]], weights: Floats | None = None
    ) -> PowerSums:
        """Compute those of columns, a row each; NaN is missing."""
        p, n = scores.shape
        sums = {power: np.zeros((p, p)) for power in powers}
        rows = sums[0, 0] if weights is None else np.zeros((p, p))
        highest = max(max(power) for power in powers)
        for begin, end in ranges(n, BLOCK):
            values = scores[:, begin:end]
            present = ~np.isnan(values)
            raised = [present.astype(np.float64), np.where(present, values, 0.0)]
            while len(raised) <= highest:
                raised.append(raised[-1] * raised[1])
            counted = raised
            if weights is not None:
                rows += raised[0] @ raised[0].T
                counted = [one * weights[begin:end] for one in raised]
            for a, b in powers:
                sums[a, b] += counted[a] @ raised[b].T
        return cls(sums, rows)


class Moments:
    """Central moments of pairs of standardised columns, as matrices.

    `of(a, b)[i, j]` is the mean of (z_i - mean)**a (z_j - mean)**b over the rows in which both are
    present, with divisor n; there must be at least one. With weights, it is the weighted mean.
    `count` is the number of these rows.
    """

    def __init__(self, sums: PowerSums) -> None:
        self.count: Floats = sums.rows
        sizes = np.where(self.count > 0.0, sums.sums[0, 0], 1.0)
        self._raw = {power: total / sizes for power, total in sums.sums.items() if any(power)}

    def of(self, a: int, b: int) -> Floats:
        """The central moment of order (a, b)."""
        first, second = self._raw[1, 0], self._raw[1, 0].T
        total = np.zeros_like(first)
        for i in range(a + 1):
            for j in range(b + 1):
                signs = _binomial(a, i) * _binomial(b, j) * (-1.0) ** (a - i + b - j)
                total += signs * self._mean(i, j) * first ** (a - i) * second ** (b - j)
        return total

    def _mean(self, a: int, b: int) -> Floats | float:
        if (a, b) == (0, 0):
            return 1.0
        return self._raw[a, b] if (a, b) in self._raw else self._raw[b, a].T

    def correlations(self) -> Floats:
        """NaN where a pair has no rows, or one of its columns no variation in them."""
        variances = self.of(2, 0)
        telling = (np.minimum(variances, variances.T) > FLAT) & (self.count > 1.0)
        scale = np.sqrt(np.where(telling, variances * variances.T, 1.0))
        return np.where(telling, np.clip(self.of(1, 1) / scale, -1.0, 1.0), np.nan)


def _binomial(n: int, k: int) -> float:
    return float((1, 1, 2, 6, 24)[n] // ((1, 1, 2, 6, 24)[k] * (1, 1, 2, 6, 24)[n - k]))
