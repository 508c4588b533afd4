"""What became of the associations between columns of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from swapmeet.measures import Comparison, Measure, Score, Undefined
from swapmeet.params import Switch
from swapmeet.schema import Kind
from swapmeet.utility.association import correlation_ratio, cramers_v
from swapmeet.utility.pearson import correlations_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swapmeet.microdata import Microdata, Variable
    from swapmeet.utility.pearson import Matrices

KINDS = ("two numeric columns", "a numeric and a nominal column", "two nominal columns")


@dataclass(frozen=True)
class _Pair:
    """Two columns and how strongly they hang together before and after."""

    kind: str
    names: tuple[str, str]
    before: float
    after: float

    @property
    def change(self) -> float:
        return abs(self.after - self.before)


@dataclass(frozen=True, kw_only=True)
class Associations(Measure):
    """The mean absolute change of the association of two columns of any kind.

    An association is a number from 0 to 1: |r| for two numeric columns (ordinal ones by their
    rank), the correlation ratio η for a numeric and a nominal one, Cramér's V for two nominal
    ones. 0 for an unchanged release; for one whose columns were shuffled each on its own, about
    the mean association of the original.

    η and V are above 0 even for columns that have nothing to do with each other, the more so the
    more levels there are; `corrected` takes that off (Kelley's ε, Bergsma's V).

    Pairs of two unmasked columns are left out, and columns that do not vary or never repeat in the
    original. A pair is compared over the rows in which both have a value; if none of its variation
    is left in the release it counts as 0 there.

    Reference: Bergsma (2013) for the correction of V; Kelley (1935) for that of η.
    """

    name: ClassVar[str] = "associations"
    question: ClassVar[str] = "How much do the associations between columns of any kind change?"

    corrected: Annotated[bool, Switch(), "take the bias of many levels off η and V"] = False

    def score(self, comparison: Comparison) -> Score:
        pairs = [pair for pair in self._pairs(comparison) if not np.isnan(pair.before)]
        if not pairs:
            raise Undefined("there are no two columns that vary, a masked one among them")
        changes = np.array([pair.change for pair in pairs])
        most = pairs[int(np.argmax(changes))]
        size = float(np.mean([pair.before for pair in pairs]))
        sentence = (
            f"The association of two columns, from 0 to 1, changes by {changes.mean():.3f} on "
            f"average (0 would be none, and their mean is {size:.2f}); that between "
            f"{most.names[0]} and {most.names[1]} changes most, from {most.before:.2f} to "
            f"{most.after:.2f}."
        )
        details: dict[str, Any] = {
            "signed mean": float(np.mean([pair.after - pair.before for pair in pairs])),
            "largest change": most.change,
            "between": f"{most.names[0]} and {most.names[1]}",
            "mean before": size,
            "pairs": len(pairs),
        }
        for kind in KINDS:
            some = [pair.change for pair in pairs if pair.kind == kind]
            if some:
                details[f"mean change between {kind}"] = float(np.mean(some))
                details[f"pairs of {kind}"] = len(some)
        return self.scored(changes.mean(), sentence, details=details)

    def _pairs(self, comparison: Comparison) -> Iterator[_Pair]:
        found = comparison.once(correlations_of)
        nominal = [v.name for v in comparison.original.variables if _is_telling(v)]
        masked = set(comparison.masked)
        yield from _numeric_pairs(found)
        for name in nominal:
            for j, number in enumerate(found.numbers.names):
                if name in masked or number in masked:
                    before, after = (
                        self._ratio(data[name], table.scores[j])
                        for data, table in (
                            (comparison.original, found.numbers.original),
                            (comparison.released, found.numbers.released),
                        )
                    )
                    yield _Pair(KINDS[1], (number, name), before, _or_none(after))
        for one, other in combinations(nominal, 2):
            if one in masked or other in masked:
                before = self._v(comparison.original, one, other)
                after = self._v(comparison.released, one, other)
                yield _Pair(KINDS[2], (one, other), before, _or_none(after))

    def _ratio(self, variable: Variable, scores: Any) -> float:
        return correlation_ratio(variable.values, variable.levels, scores, corrected=self.corrected)

    def _v(self, data: Microdata, one: str, other: str) -> float:
        first, second = data[one], data[other]
        return cramers_v(
            first.values, first.levels, second.values, second.levels, corrected=self.corrected
        )


def _or_none(association: float) -> float:
    """0 where there is none left."""
    return 0.0 if np.isnan(association) else association


def _is_telling(variable: Variable) -> bool:
    """Whether a nominal column varies, and has a value that repeats."""
    if variable.kind is not Kind.NOMINAL:
        return False
    counts = np.bincount(variable.values + 1, minlength=2)[1:]
    return bool(np.count_nonzero(counts) > 1 and counts.max() > 1)


def _numeric_pairs(found: Matrices) -> Iterator[_Pair]:
    names = found.numbers.names
    for i, j in zip(*found.numbers.pairs, strict=True):
        before, after = abs(found.original[i, j]), abs(found.released[i, j])
        yield _Pair(KINDS[0], (names[i], names[j]), float(before), float(after))
