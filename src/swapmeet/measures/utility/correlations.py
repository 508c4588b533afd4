"""Changes of correlations and principal components (RWN paper, IL1 and IL2; SJPPDS paper, CBIL)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.params import Count
from swapmeet.base.sentences import figure, percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score, Undefined
from swapmeet.comparison.weights import name_weight
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.columns import Standards
from swapmeet.measures.utility.pearson import Matrices, correlations_of, principal_axes

SINGULAR = 1e-10
"""Correlation matrices with a smaller eigenvalue have no inverse to speak of."""
HARDLY = 5e-4
"""A change of the mean size that is not worth a word."""
TOLD = 0.005
"""The least change of a correlation that is mentioned; less would be rounded to none."""


class Correlations(UtilityMeasure):
    """The mean absolute change of a correlation, over pairs of numeric columns.

    0 for an unchanged release; for one whose columns were shuffled each on its own, the mean size
    of the original correlations. The signed mean in the details separates weakening (below 0),
    which swapping and noise bring, from strengthening (above 0), which aggregation brings.

    Pairs of two unmasked columns are left out, and columns that are constant in the original. A
    correlation is over the rows in which both columns have a value; where the release has none left
    to compute it from, it counts as 0 there.

    Reference: RWN paper, section 9.4, IL1; the eigenvalues and inverses of the details are
    sdcMicro's `dUtility(method="eigen")` and `IL_correl`.
    """

    name = "correlations"
    growth = "rows × columns²"
    public = True
    question = "How much do the correlations between columns change?"
    coverage = Coverage.ALL
    bounds = (0.0, 2.0)

    def score(self, comparison: Comparison) -> Score:
        matrices = comparison.once(correlations_of)
        matrices.numbers.require(2)
        first, second = list_pairs(matrices)
        before, after = matrices.original[first, second], matrices.released[first, second]
        changes = np.abs(after - before)
        sizes, later = np.abs(before), np.abs(after)
        most = int(np.argmax(changes))
        between = " and ".join(matrices.numbers.names[j] for j in (first[most], second[most]))
        signed = float((later - sizes).mean())
        sentence = (
            f"A correlation of two columns changes by {changes.mean():.3f} on average (0 would be "
            f"none, and their mean size is {sizes.mean():.2f}); {_trend(signed)}, and that between "
            f"{between} changes most, by {changes[most]:.2f}."
            if changes[most] >= TOLD
            else f"No correlation of two columns changes by {TOLD:g} or more; their mean size is "
            f"{sizes.mean():.2f}."
        )
        details: dict[str, Any] = {
            "signed mean": signed,
            "largest change": float(changes[most]),
            "between": between,
            "mean size before": float(sizes.mean()),
            "mean size after": float(later.mean()),
            "pairs": len(changes),
            "fewest rows of a pair": matrices.fewest,
            "constant columns": list(matrices.numbers.constant),
            "columns constant in the release": list(matrices.numbers.flat),
            **_of_whole_matrices(matrices),
            **name_weight(comparison),
        }
        return self.make_score(changes.mean(), sentence, details=details)


def list_pairs(matrices: Matrices) -> tuple[Ints, Ints]:
    """The pairs that have a correlation in the original."""
    first, second = matrices.numbers.pairs
    defined = ~np.isnan(matrices.original[first, second])
    if not defined.any():
        raise Undefined("no two columns have values in the same rows")
    return first[defined], second[defined]


def _trend(signed: float) -> str:
    if abs(signed) < HARDLY:
        return "on the whole they become neither weaker nor stronger"
    return f"on the whole they become {'weaker' if signed < 0 else 'stronger'}"


def _of_whole_matrices(matrices: Matrices) -> dict[str, float]:
    """The figures of sdcMicro, where the matrices have what they are made of."""
    if np.isnan(matrices.original).any():
        return {}
    before, after = (np.linalg.eigvalsh(r) for r in (matrices.original, matrices.released))
    if before.min() < SINGULAR:
        return {}
    figures = {"eigen (sdcMicro)": float((np.abs(before - after) / before).sum())}
    if after.min() >= SINGULAR:
        one, other = (_inverse_diagonal(r) for r in (matrices.original, matrices.released))
        figures["IL_correl (sdcMicro)"] = float(np.sqrt(0.5 * ((one - other) ** 2).sum()))
    return figures


def _inverse_diagonal(matrix: Floats) -> Floats:
    diagonal = np.diag(np.linalg.inv(matrix))
    return diagonal / np.linalg.norm(diagonal)


@dataclass(frozen=True, kw_only=True)
class Loadings(UtilityMeasure):
    """The mean absolute change of a loading on the first principal components.

    Components are those of the correlation matrix of all numeric columns, of length 1; the sign of
    a component has no meaning, so the one with the smaller change counts. The value is the mean
    over the first `components`. 0 for an unchanged release. Where two components of the original
    explain nearly the same, they may trade places although little has changed: look at the
    explained shares in the details.

    Missing values, and columns that are constant, are treated as in `correlations`.

    Reference: RWN paper, section 9.4, IL2.
    """

    name = "loadings"
    growth = "rows × columns²"
    public = True
    question = "How much do the principal components change?"
    coverage = Coverage.ALL

    components: Annotated[int, Count(1), "number of leading components that count"] = 2

    def score(self, comparison: Comparison) -> Score:
        matrices = comparison.once(correlations_of)
        matrices.numbers.require(2)
        if np.isnan(matrices.original).any():
            raise Undefined("some pairs of columns have no values in the same rows")
        before, after = (principal_axes(r) for r in (matrices.original, matrices.released))
        used = min(self.components, len(matrices.numbers.names))
        changes = _changes(before[1][:, :used], after[1][:, :used])
        size = float(np.abs(before[1][:, :used]).mean())
        shares = [shares[:used] for shares, _ in (before, after)]
        which = "principal component" if used == 1 else f"{used} principal components"
        sentence = (
            f"A loading on the first {which} changes by {changes.mean():.3f} on average "
            f"(0 would be none, and their mean size is {size:.2f}); they explain "
            f"{percent(shares[0].sum())} of the original and {percent(shares[1].sum())} of the "
            "release."
        )
        details: dict[str, Any] = {
            "change per component": changes.tolist(),
            "explained before": shares[0].tolist(),
            "explained after": shares[1].tolist(),
            "columns": len(matrices.numbers.names),
            "constant columns": list(matrices.numbers.constant),
            **name_weight(comparison),
        }
        return self.make_score(changes.mean(), sentence, details=details)


def _changes(before: Floats, after: Floats) -> Floats:
    """The mean absolute change of each component, with the sign that makes it least."""
    return np.minimum(np.abs(before - after).mean(axis=0), np.abs(before + after).mean(axis=0))


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
