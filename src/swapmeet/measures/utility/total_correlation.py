"""Change of the information that columns share (RWN paper, 9.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from swapmeet.core.base.params import Count, Optional
from swapmeet.measures.base import Measure
from swapmeet.measures.score import Family, Undefined
from swapmeet.measures.utility.columns import require_finite
from swapmeet.measures.utility.entropy import cube_root, total_correlation

if TYPE_CHECKING:
    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.score import Score

MOSTLY = 0.5
"""With a larger share of unique rows there is little to learn from them."""


@dataclass(frozen=True, kw_only=True)
class TotalCorrelation(Measure):
    """The absolute change of total correlation, in nats.

    Total correlation is what all columns together say about each other, whatever the form of the
    relation: the sum of the columns' entropies less the entropy of the rows. Numeric columns are
    cut into bins of equal width between the extremes of their own table. 0 for an unchanged
    release. Methods that copy values from neighbours may raise it.

    With many columns most rows are one of a kind, and chance alone makes columns share nearly as
    much as they can: then it says little, and the sentence says so. A missing value is a value.

    Sampling weights are not taken into account: each row counts as one.

    Reference: RWN paper, section 9.5; Watanabe (1960).
    """

    name: ClassVar[str] = "total-correlation"
    family: ClassVar[Family] = Family.UTILITY
    growth: ClassVar[str] = "rows × columns"
    public: ClassVar[bool] = True
    question: ClassVar[str] = "How much does the information that columns share change?"
    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)
    in_sample: ClassVar[str] = ", which are cut into fewer bins than the whole file would be"

    bins: Annotated[
        int | None, Optional(Count(2)), "bins of a numeric column (default: the cube root of n)"
    ] = None

    def score(self, comparison: Comparison) -> Score:
        require_finite(comparison)
        if len(comparison.original.variables) < 2:
            raise Undefined("a single column shares nothing")
        bins = self.bins or max(cube_root(comparison.n), 1)
        one, other = (
            total_correlation(data, bins) for data in (comparison.original, comparison.released)
        )
        before, after, mostly = one.information, other.information, one.unique > MOSTLY
        sentence = (
            f"The columns share {before:.3f} nats of information in the original and {after:.3f} "
            f"in the release; if nothing were lost or added, both would be the same"
            f"{', but most rows are unique, so that this says little' * mostly}."
        )
        details: dict[str, Any] = {
            "before": before,
            "after": after,
            "relative change": (after - before) / before if before > 0.0 else 0.0,
            "bins": bins,
            "entropy of rows": one.of_rows,
            "share of rows that are unique": one.unique,
            "tells little": mostly,
        }
        return self.make_score(abs(after - before), sentence, details=details)
