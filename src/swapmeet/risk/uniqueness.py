"""People who were unique and can still be found by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from swapmeet.intervals import of_share
from swapmeet.measures import CONFIDENCE, Comparison, Measure, Score
from swapmeet.risk.combinations import combinations, frequencies
from swapmeet.risk.linkage import of_1000


@dataclass(frozen=True, kw_only=True)
class Uniqueness(Measure):
    """The share of people who are unique in what is known, and whose released record still is.

    Found is who has a combination of known values that nobody else has in the original, when
    exactly one released record has it, and it is theirs. Where the owners are unknown, every
    such match counts as found.
    """

    name: ClassVar[str] = "uniqueness"
    question: ClassVar[str] = "How many unique people does an exact search of the release find?"

    def score(self, comparison: Comparison) -> Score:
        original, released = comparison.once(combinations)
        unique = frequencies(original, original) == 1
        matched = unique & (frequencies(original, released) == 1)
        found = matched & (original == released) if comparison.owners_known else matched
        n = comparison.n
        sentence = (
            f"Of 1,000 people {of_1000(unique.mean(), bare=True)} are unique in "
            f"{comparison.what_is_known}; a search of the release for exactly these values finds "
            f"{of_1000(found.mean(), bare=True)} of them"
        )
        false = of_1000((matched & ~found).mean(), bare=True)
        sentence += f" and {false} wrong ones." if comparison.owners_known else " at most."
        return self.scored(
            found.mean(),
            sentence,
            interval=of_share(int(found.sum()), n, CONFIDENCE),
            records=found.astype(float),
            details={
                "unique in the original": int(unique.sum()),
                "matched": int(matched.sum()),
                "found": int(found.sum()),
            },
        )
