"""Changes of the correlations (RWN paper, 9.4: IL1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score, Undefined
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.pearson import Matrices, correlations_of
from swapmeet.measures.weights import name_weight

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
