"""People who were unique and can still be found by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from swapmeet.base.arrays import Floats
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE, Score
from swapmeet.intruders.nearest_records import of_1000
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.column_sets import frequencies


class Uniqueness(RiskMeasure):
    """The share of people who are unique in what is known, and whose released record still is.

    A person is found if nobody else in the original has their combination of known values, and
    exactly one released record, their own, has it. Where the owners are unknown, every such match
    counts.
    """

    name = "uniqueness"
    growth = "rows × columns"
    question = "How many unique people does an exact search of the release find?"
    coverage = Coverage.ALL

    def score(self, comparison: Comparison) -> Score:
        look = partial(_Tally.of, comparison.in_memory)
        tally = comparison.gather_classes(look, comparison.known)
        n = comparison.n
        sentence = (
            f"Of 1,000 people {of_1000(tally.unique / n, bare=True)} are unique in "
            f"{comparison.what_is_known}; a search of the release for exactly these values finds "
            f"{of_1000(tally.hits / n, bare=True)} of them"
        )
        false = of_1000((tally.matched - tally.hits) / n, bare=True)
        sentence += f" and {false} wrong ones." if comparison.owners_known else " at most."
        return self.make_score(
            tally.hits / n,
            sentence,
            interval=of_share(tally.hits, n, CONFIDENCE),
            records=tally.records,
            details={
                "unique in the original": tally.unique,
                "matched": tally.matched,
                "found": tally.hits,
            },
        )


@dataclass(frozen=True, repr=False, eq=False)
class _Tally:
    """Numbers of people who are unique, matched by one released record, and found by it."""

    unique: int
    matched: int
    hits: int
    records: Floats | None

    @classmethod
    def of(cls, keep: bool, crowd: EquivalenceClasses) -> _Tally:  # noqa: FBT001
        unique = frequencies(crowd.original, crowd.original) == 1
        matched = unique & (frequencies(crowd.original, crowd.released) == 1)
        right = matched if crowd.same is None else matched & crowd.same
        return cls(
            int(unique.sum()), int(matched.sum()), int(right.sum()),
            right.astype(float) if keep else None,
        )  # fmt: skip

    def __add__(self, other: _Tally) -> _Tally:
        return _Tally(
            self.unique + other.unique, self.matched + other.matched, self.hits + other.hits, None
        )
