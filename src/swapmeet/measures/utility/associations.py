"""Changes of the associations between columns of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.base.params import Switch
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_mean
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.association_pairs import KINDS, association_pairs
from swapmeet.measures.weights import name_weight


@dataclass(frozen=True, kw_only=True)
class Associations(UtilityMeasure):
    """The mean change of the association of two columns of any kind.

    An association is a number from 0 to 1: |r| for two numeric columns (ordinal ones by their
    rank), the correlation ratio η for a numeric and a nominal one, Cramér's V for two nominal
    ones. It has a direction: the sign of r, which groups have the higher mean, which cells are
    fuller than the margins say. The change of a pair is that of its strength, or what is gone of
    the association in its own direction, whichever is larger: a gap between groups that is turned
    round counts twice, although η stays; at most 1 is counted. 0 for an unchanged release; for one
    whose columns were shuffled each on its own, about the mean association of the original.

    η and V are above 0 even for columns that have nothing to do with each other, the more so the
    more levels there are; `corrected` takes that off (Kelley's ε, Bergsma's V).

    Pairs of two unmasked columns are left out, and columns that do not vary or never repeat in the
    original. A pair is compared over the rows in which both have a value; if none of its variation
    is left in the release it counts as 0 there. Of more than 20,000 pairs, so many are drawn at
    random; the interval is that of their mean.

    Reference: Bergsma (2013) for the correction of V; Kelley (1935) for that of η.
    """

    name = "associations"
    growth = "rows × pairs of columns, at most 20,000 pairs"
    public = True
    question = "How much do the associations between columns of any kind change?"
    coverage = Coverage.ALL

    corrected: Annotated[bool, Switch(), "take the bias of many levels off η and V"] = False

    def score(self, comparison: Comparison) -> Score:
        sample = association_pairs(comparison, corrected=self.corrected)
        pairs = sample.pairs
        if not pairs:
            raise Undefined("there are no two columns that vary, a masked one among them")
        changes = np.array([pair.change for pair in pairs])
        most = pairs[int(np.argmax(changes))]
        size = float(np.mean([pair.before for pair in pairs]))
        sentence = (
            f"The association of two columns, from 0 to 1, changes by {changes.mean():.3f} on "
            f"average (0 would be none, and their mean is {size:.2f}); {most.as_largest_change}."
            f"{sample.extent}"
        )
        details: dict[str, Any] = {
            "signed mean": float(np.mean([pair.after - pair.before for pair in pairs])),
            "largest change": most.change,
            "between": f"{most.names[0]} and {most.names[1]}",
            "mean before": size,
            "pairs": len(pairs),
            **({"possible pairs": sample.possible} if sample.sampled else {}),
            **name_weight(comparison),
        }
        for kind in KINDS:
            some = [pair.change for pair in pairs if pair.kind == kind]
            if some:
                details[f"mean change between {kind}"] = float(np.mean(some))
                details[f"pairs of {kind}"] = len(some)
        interval = of_mean(changes, CONFIDENCE, 0.0) if sample.sampled else None
        return self.make_score(changes.mean(), sentence, interval=interval, details=details)
