"""Change of the share that a regression explains (RWN paper, 9.4)."""

from __future__ import annotations

from dataclasses import dataclass

from swapmeet.base.sentences import percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.regression import Explained, Regression
from swapmeet.measures.weights import name_weight


@dataclass(frozen=True, kw_only=True)
class RSquared(UtilityMeasure):
    """The absolute change of R², in the regression of one column on all others.

    The regression is that of `coefficients`. 0 for an unchanged release; for one whose columns were
    shuffled each on its own, nearly the R² of the original. Swapping and noise lower R²,
    aggregation raises it: either is a loss.

    Reference: RWN paper, section 9.4.
    """

    name = "r-squared"
    growth = "rows × columns²"
    public = True
    question = "How much does the explanatory power of a regression change?"
    coverage = Coverage.ALL

    target: Explained = None

    def score(self, comparison: Comparison) -> Score:
        fits = comparison.once(Regression(self.target))
        before, after = fits.before.r_squared, fits.after.r_squared
        sentence = (
            f"The other columns explain {percent(before)} of the variance of {fits.target} in the "
            f"original and {percent(after)} in the release; if nothing were lost, the two would be "
            "the same."
        )
        details = {
            "target": fits.target,
            "R² before": before,
            "R² after": after,
            "adjusted R² before": fits.before.adjusted,
            "adjusted R² after": fits.after.adjusted,
            "terms": len(fits.terms),
            "rows before": fits.before.rows,
            "rows after": fits.after.rows,
            **name_weight(comparison),
        }
        return self.make_score(abs(after - before), sentence, details=details)
