"""The distance to the closest record (RWN paper, 9.1.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from swapmeet.core.base.params import OneOf
from swapmeet.core.base.sentences import figure
from swapmeet.measures.base import Coverage, Measure
from swapmeet.measures.intervals import of_mean
from swapmeet.measures.risk.nearest_records import (
    of_1000,
    released_from_originals,
    released_from_raw_originals,
)
from swapmeet.measures.score import CONFIDENCE, Direction, Family

if TYPE_CHECKING:
    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.score import Score

QUANTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True, kw_only=True)
class DCR(Measure):
    """The mean distance from an original record to the closest released one.

    Distances are those of RWN: columns scaled to [0, 1] by the range of the original; the paper's
    figures are in the columns' own units (`scale` raw). A record that was released unchanged, by
    whomever, is at distance 0.

    Reference: RWN paper, section 9.1.5.
    """

    name: ClassVar[str] = "dcr"
    family: ClassVar[Family] = Family.RISK
    growth: ClassVar[str] = (
        "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    )
    question: ClassVar[str] = "How far is the nearest released record from a real person?"
    coverage: ClassVar[Coverage] = Coverage.LINKED
    direction: ClassVar[Direction] = Direction.HIGHER
    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)

    scale: Annotated[
        str, OneOf(("unit", "raw")), "columns scaled to [0, 1], or in their own units"
    ] = "unit"

    def score(self, comparison: Comparison) -> Score:
        unit = self.scale == "unit"
        search = released_from_originals if unit else released_from_raw_originals
        links, _ = comparison.once(search)
        away = np.sqrt(links.nearest)
        same = float((away == 0.0).mean())
        sentence = (
            f"The nearest released record is {figure(float(away.mean()))} away on average, "
            f"{'where 1 is the whole range of a column' if unit else 'in units of the columns'}; "
            f"{of_1000(same)} people have a record exactly like theirs in the release."
        )
        details = {f"quantile {q} %": float(np.percentile(away, q)) for q in QUANTILES}
        return self.make_score(
            away.mean(),
            sentence,
            interval=of_mean(away, CONFIDENCE, least=0.0),
            records=away,
            details={"share at distance 0": same, **details},
        )
