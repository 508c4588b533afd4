"""Changes of the associations between columns of any kind, and the share of them that is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.base.params import Switch
from swapmeet.base.sentences import percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_mean
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.comparison.weights import name_weight
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.association_pairs import KINDS, AssociationPair, association_pairs

AGAIN = 200
"""So often the pairs of a sample are drawn again, for the interval."""
SMALL = 0.1
"""Cohen's small effect. Where the associations of a table are smaller than that, the loss is given
as a share of this, so that a table without relations has none to lose."""


class Relations(UtilityMeasure):
    """Share of the relations between two columns of any kind that changed, beyond chance.

    Every pair counts, numeric or nominal, by its association: |r|, η or V, those of many levels
    corrected (see `associations`), with its direction. 0 for an unchanged release, about 1 for one
    whose columns were shuffled each on its own; if all have halved, a half. The value is the larger
    of two shares:

    - *changed*: the root of the sum of squared changes over that of squared associations, so that
      a strong relation that is lost is not averaged away by a hundred pairs that had none. What
      rows drawn at random from the original would change is taken off: about (1 − a²)² / n of the
      square, for an association a and n rows, and more where many levels feign one.
    - *weaker*: by how much all relations together are weaker, each in its own direction. Pair by
      pair this may be less than chance and still be there in all of them.

    Of more than 20,000 pairs, so many are drawn at random; the interval is that of drawing them
    again (a bootstrap of pairs).

    Tables whose pairs hardly hang together are compared with associations of 0.1.

    Reference: Cohen (1988) for what a small association is; Bergsma (2013), Kelley (1935).
    """

    name = "relations"
    growth = "rows × pairs of columns, at most 20,000 pairs"
    public = True
    question = "What share of the relations between columns of any kind is lost?"
    coverage = Coverage.ALL

    def score(self, comparison: Comparison) -> Score:
        sample = association_pairs(comparison, corrected=True)
        pairs = sample.pairs
        if not pairs:
            raise Undefined("there are no two columns that vary, a masked one among them")
        changes = np.array([pair.change for pair in pairs])
        chance = sum(pair.change_by_chance for pair in pairs)
        most = pairs[int(np.argmax(changes))]
        changed, weaker = _share(pairs, float((changes**2).sum()) - chance), _weakening(pairs)
        interval = _draw_again(pairs, comparison) if sample.sampled else None
        value = max(changed, weaker)
        sentence = (
            f"Of the relations between two columns, {percent(value)} is lost or changed beyond "
            f"chance, the strong ones counting most; {most.as_largest_change}."
            f"{sample.extent}"
        )
        details: dict[str, Any] = {
            "changed beyond chance": changed,
            "changed, with what chance changes": _share(pairs, float((changes**2).sum())),
            "changed if rows were drawn at random": _share(pairs, chance),
            "weaker": weaker,
            "largest change": most.change,
            "between": f"{most.names[0]} and {most.names[1]}",
            "largest change from": most.before,
            "largest change to": most.signed_after,
            "pairs": len(pairs),
            **({"possible pairs": sample.possible} if sample.sampled else {}),
            **_by_kind(pairs),
            **name_weight(comparison),
        }
        return self.make_score(value, sentence, interval=interval, details=details)


def _share(pairs: Sequence[AssociationPair], squares: float) -> float:
    """Of the squared associations; those of a table that has nearly none count as small ones."""
    there = max(sum(pair.before**2 for pair in pairs), len(pairs) * SMALL**2)
    return float(np.sqrt(min(max(squares, 0.0) / there, 1.0)))


def _weakening(pairs: Sequence[AssociationPair]) -> float:
    """Return what is gone of all associations, each in its own direction."""
    there = max(sum(pair.square for pair in pairs), len(pairs) * SMALL**2)
    gone = sum(pair.square - pair.shared for pair in pairs)
    return float(min(max(gone / there, 0.0), 1.0))


def _draw_again(pairs: Sequence[AssociationPair], comparison: Comparison) -> tuple[float, float]:
    """The value in samples of the pairs that were looked at: what their drawing may do to it."""
    stream, n = comparison.streams.stream("pairs drawn again"), len(pairs)
    changes = np.array([pair.change**2 - pair.change_by_chance for pair in pairs])
    before = np.array([pair.before**2 for pair in pairs])
    square = np.array([pair.square for pair in pairs])
    gone = square - np.array([pair.shared for pair in pairs])
    values = []
    for _ in range(AGAIN):
        drawn = stream.integers(0, n, n)
        there, own = (max(float(x[drawn].sum()), n * SMALL**2) for x in (before, square))
        changed = float(np.sqrt(np.clip(changes[drawn].sum() / there, 0.0, 1.0)))
        values.append(max(changed, float(np.clip(gone[drawn].sum() / own, 0.0, 1.0))))
    tail = 50.0 * (1.0 - CONFIDENCE)
    low, high = np.percentile(values, [tail, 100.0 - tail])
    return float(low), float(high)


def _by_kind(pairs: Sequence[AssociationPair]) -> dict[str, float]:
    """The share that is lost of the relations of each kind, that of chance included."""
    figures = {}
    for kind in KINDS:
        some = [pair for pair in pairs if pair.kind == kind]
        if some:
            figures[f"share between {kind}"] = _share(some, sum(p.change**2 for p in some))
    return figures


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
