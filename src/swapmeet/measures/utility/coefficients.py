"""Changes of the coefficients of a regression (RWN paper, 9.4: IL3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from swapmeet.base.sentences import percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.regression import Explained, Regression, overlaps
from swapmeet.measures.weights import name_weight


@dataclass(frozen=True, kw_only=True)
class Coefficients(UtilityMeasure):
    """The mean absolute change of a coefficient, in the regression of one column on all others.

    Each table is standardised by itself, so that a coefficient is in standard deviations and there
    is no intercept. 0 for an unchanged release; for one whose columns were shuffled each on its
    own, about the mean size of the original coefficients. The details give the overlap of the 95 %
    intervals (1: they agree, 0: disjoint), which says whether an analyst would conclude the same.

    A nominal column has a term for each of its more frequent levels; terms that are combinations of
    others are dropped. Rows with a missing value are left out, as are columns missing in more than
    half of them; a term that no longer varies in the release has the coefficient 0 there.

    Reference: RWN paper, section 9.4, IL3; Karr and others (2006) for the overlap.
    """

    name = "coefficients"
    growth = "rows × columns²"
    public = True
    question = "How much do the coefficients of a regression change?"
    coverage = Coverage.ALL
    bounds = (0.0, np.inf)

    target: Explained = None

    def score(self, comparison: Comparison) -> Score:
        fits = comparison.once(Regression(self.target))
        changes = np.abs(fits.before.coefficients - fits.after.coefficients)
        most = int(np.argmax(changes))
        shared = overlaps(fits.before, fits.after)
        size = float(np.abs(fits.before.coefficients).mean())
        sentence = (
            f"In a regression of {fits.target} on the other columns a coefficient changes by "
            f"{changes.mean():.3f} standard deviations on average (0 would be none, and their mean "
            f"size is {size:.2f}); the 95 % intervals before and after overlap by "
            f"{percent(shared.mean())}."
        )
        details: dict[str, Any] = {
            "target": fits.target,
            "largest change": float(changes[most]),
            "of": fits.terms[most],
            "mean overlap of intervals": float(shared.mean()),
            "mean standard error before": float(fits.before.errors.mean()),
            "mean standard error after": float(fits.after.errors.mean()),
            "R² before": fits.before.r_squared,
            "R² after": fits.after.r_squared,
            "terms": list(fits.terms),
            "coefficients before": fits.before.coefficients.tolist(),
            "coefficients after": fits.after.coefficients.tolist(),
            "standard errors before": fits.before.errors.tolist(),
            "standard errors after": fits.after.errors.tolist(),
            "terms dropped": fits.dropped,
            "terms lost in the release": fits.lost,
            "rows before": fits.before.rows,
            "rows after": fits.after.rows,
            **name_weight(comparison),
        }
        return self.make_score(changes.mean(), sentence, details=details)
