"""Covariance-based information loss (SJPPDS paper, A1.4)."""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.base.sentences import figure, percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score, Undefined
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.columns import Standards
from swapmeet.measures.utility.pearson import correlations_of
from swapmeet.measures.weights import name_weight

FLAT = 1e-15
"""Shares that are equal except for rounding: squared differences from 1/p below this."""


class CBIL(UtilityMeasure):
    """Difference of the spread along the principal axes of the original: 1 − UM.

    The variances along the eigenvectors of the original's covariance matrix, before and after, each
    divided by their sum; the sum of squared differences, relative to that between the original and
    equal spread in all directions, at most 1. 0 for an unchanged release.

    It is taken of covariances as they are, so that columns with large numbers decide; the details
    give the same for standardised columns. Missing values, and columns that are constant, are
    treated as in `correlations`.

    Reference: SJPPDS paper, A1.4, with both spectra divided by their sums: the reading that
    reproduces its Table A1. Domingo-Ferrer and others (2020) for UM.
    """

    name = "cbil"
    growth = "rows × columns²"
    public = True
    question = "Does the release spread along the same axes as the original?"
    coverage = Coverage.ALL

    def score(self, comparison: Comparison) -> Score:
        matrices = comparison.once(correlations_of)
        matrices.numbers.require(2)
        if np.isnan(matrices.original).any():
            raise Undefined("some pairs of columns have no values in the same rows")
        scale = float(matrices.numbers.original.spread.max())
        raw = [
            _covariances(r, table.spread / scale)
            for r, table in ((matrices.original, matrices.numbers.original),
                             (matrices.released, matrices.numbers.released))
        ]  # fmt: skip
        value, share = _loss(*raw)
        released = _covariances(matrices.released, _relative(matrices.numbers.released))
        standardised, _ = _loss(matrices.original, released)
        sentence = (
            f"Along the principal axes of the original the spread of the release differs by "
            f"{figure(value, 2)}, from 0 (the same) to 1 (as if equal in all directions, or "
            f"worse); the first axis has {percent(share)} of the original's spread."
        )
        details = {
            "for standardised columns": standardised,
            "share of the first axis": share,
            "columns": len(matrices.numbers.names),
            "constant columns": list(matrices.numbers.constant),
            **name_weight(comparison),
        }
        return self.make_score(value, sentence, details=details)


def _covariances(correlations: Floats, spread: Floats) -> Floats:
    return correlations * np.outer(spread, spread)


def _relative(released: Standards) -> Floats:
    """Spread 1 for each column that has some."""
    return (released.spread > 0.0).astype(np.float64)


def _loss(before: Floats, after: Floats) -> tuple[float, float]:
    """1 − UM, and the share of the first axis."""
    values, axes = np.linalg.eigh(before)
    values = np.maximum(values, 0.0)
    along = np.maximum(np.einsum("ij,ik,kj->j", axes, after, axes), 0.0)
    shares, others = values / values.sum(), along / (along.sum() or 1.0)
    difference = float(((shares - others) ** 2).sum())
    from_equal = float(((shares - 1.0 / len(shares)) ** 2).sum())
    if from_equal < FLAT:
        return (0.0 if difference < FLAT else 1.0), float(shares.max())
    return min(difference / from_equal, 1.0), float(shares.max())
