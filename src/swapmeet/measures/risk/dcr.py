"""The distance to the closest record (RWN paper, 9.1.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from swapmeet.algorithms.encode import Scale
from swapmeet.algorithms.neighbors.links import Links
from swapmeet.base.arrays import Rows
from swapmeet.base.params import OneOf
from swapmeet.base.sentences import figure
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_mean
from swapmeet.comparison.score import CONFIDENCE, Direction, Score
from swapmeet.intruders.nearest_records import (
    ClosestRecords,
    of_1000,
    released_from_originals,
)
from swapmeet.measures.base import Coverage, RiskMeasure

QUANTILES = (5, 25, 50, 75, 95)
ORIGINAL, RELEASED = "original", "released"
UNITS = {
    "unit": "where 1 is the whole range of a column",
    "raw": "in units of the columns",
    "ranks": "where 1 is all ranks of a column",
}
"""The scales of a distance, and what one unit of each is."""


@dataclass(frozen=True, kw_only=True)
class DCR(RiskMeasure):
    """The mean distance from an original record to the closest released one.

    Distances are those of RWN: columns scaled to [0, 1] by the range of the original. The paper's
    figures are in the columns' own units (`scale` raw). By ranks, each file is ranked by itself, as
    a share of its rows, ties in their middle; nominal columns count as on the unit scale, and a
    missing value as one in the middle of the others. A record that was released unchanged, by
    whomever, is at distance 0; by ranks, if the columns kept their values, in whatever rows.

    With `of` released it is the mean distance from a released record to the closest original one:
    a release of a few people's records, many times each, is near to these and far from all others.

    Reference: RWN paper, section 9.1.5; by ranks: Domingo-Ferrer, Ricci, Soria-Comas (2017).
    """

    name = "dcr"
    growth = "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    question = "How far is the nearest released record from a real person?"
    coverage = Coverage.LINKED
    direction = Direction.HIGHER
    bounds = (0.0, np.inf)

    scale: Annotated[
        str, OneOf(tuple(UNITS)), "columns scaled to [0, 1], in their own units, or by their ranks"
    ] = "unit"
    of: Annotated[
        str,
        OneOf((ORIGINAL, RELEASED)),
        "from original records to the closest released one, or from released to original ones",
    ] = ORIGINAL

    def score(self, comparison: Comparison) -> Score:
        links, _ = comparison.once(self._search)
        away = np.sqrt(links.nearest)
        same = float((away == 0.0).mean())
        details = {f"quantile {q} %": float(np.percentile(away, q)) for q in QUANTILES}
        return self.make_score(
            away.mean(),
            self._tell(float(away.mean()), same),
            interval=of_mean(away, CONFIDENCE, least=0.0),
            records=away,
            details={"share at distance 0": same, **details},
        )

    @property
    def _search(self) -> Callable[[Comparison], tuple[Links, Rows]]:
        """Shared with other measures where these search in the same way."""
        if (self.scale, self.of) == ("unit", ORIGINAL):
            return released_from_originals
        scale = None if self.scale == "ranks" else Scale(self.scale)
        return ClosestRecords(scale, backwards=self.of == RELEASED)

    def _tell(self, mean: float, same: float) -> str:
        far = f"{figure(mean)} away on average, {UNITS[self.scale]}"
        ranks = self.scale == "ranks"
        if self.of == RELEASED:
            return (
                f"From a released record, the nearest person is {far}; {of_1000(same)} released "
                f"records {'have the ranks of' if ranks else 'are exactly like'} a person's."
            )
        return (
            f"The nearest released record is {far}; {of_1000(same)} people have a record "
            f"{'with the same ranks as' if ranks else 'exactly like'} theirs in the release."
        )
