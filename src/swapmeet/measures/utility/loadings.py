"""Changes of the principal components (RWN paper, 9.4: IL2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.base.params import Count
from swapmeet.base.sentences import percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score, Undefined
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.pearson import correlations_of, principal_axes
from swapmeet.measures.weights import name_weight


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
