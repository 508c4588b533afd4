"""k-anonymity of the release, with MKA and the diversity of sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from swapmeet.measures import Comparison, Direction, Measure, Score
from swapmeet.risk.combinations import Labels, combinations, frequencies
from swapmeet.schema import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL = (3, 5)


@dataclass(frozen=True, kw_only=True)
class KAnonymity(Measure):
    """The smallest number of released records that agree in all known columns.

    Details: the mean over records of that number (MKA), the records that are unique or nearly so,
    and for each sensitive column that is not known how many values such a group has at least (L)
    and how large the share of its most frequent one is at most (theta). A missing value is a value.

    It looks at the release alone. A swapped release may be far from k-anonymous and yet safe,
    because a combination of values need not be anybody's.

    Reference: RWN paper, section 9.1.2 (MKA); Sweeney (2002).
    """

    name: ClassVar[str] = "k-anonymity"
    question: ClassVar[str] = "How many released records share what an intruder knows, at least?"
    direction: ClassVar[Direction] = Direction.HIGHER
    bounds: ClassVar[tuple[float, float]] = (1.0, np.inf)

    def score(self, comparison: Comparison) -> Score:
        original, released = comparison.once(combinations)
        before, after = frequencies(original, original), frequencies(released, released)
        details: dict[str, Any] = {
            "MKA": float(after.mean()),
            "MKA of the original": float(before.mean()),
            "unique": int((after == 1).sum()),
            "unique in the original": int((before == 1).sum()),
        }
        details |= {f"shared by fewer than {k}": int((after < k).sum()) for k in SMALL}
        details |= dict(_diversity(comparison, released))
        least = f"{after.min()} record{'' if after.min() == 1 else 's'}"
        sentence = (
            f"Every combination of {comparison.what_is_known} in the release belongs to at least "
            f"{least} (on average to {after.mean():.4g}); "
            f"{details['unique']} of {len(after)} records are unique in it."
        )
        return self.scored(after.min(), sentence, records=after.astype(float), details=details)


def _diversity(comparison: Comparison, groups: Labels) -> Iterator[tuple[str, float]]:
    """L and theta of each sensitive column that the intruder does not know."""
    for variable in comparison.original.variables:
        if variable.role is Role.SENSITIVE and variable.name not in comparison.known:
            values = comparison.combinations([variable.name])[1]
            pairs, counts = np.unique(groups * (values.max() + 1) + values, return_counts=True)
            of_pair = pairs // (values.max() + 1)
            sizes = np.bincount(groups)
            distinct = np.bincount(of_pair)[np.unique(of_pair)]
            yield f"L of {variable.name}", int(distinct.min())
            yield f"theta of {variable.name}", float((counts / sizes[of_pair]).max())
