"""Rows that share what an intruder knows: k-anonymity, and people who are unique."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats, Labels
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE, Direction, Score
from swapmeet.comparison.sums import JOIN, LEAST, OF_ROWS, Sums
from swapmeet.intruders.nearest_records import of_1000
from swapmeet.intruders.record_agreement import frequencies
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.diversity import list_secrets

SMALL = (3, 5)
NOBODY = 1 << 62
"""The least of no sizes."""


class KAnonymity(RiskMeasure):
    """The smallest number of released records that agree in all known columns.

    Details: the mean over records of that number (MKA), the records that are unique or nearly so,
    and for each sensitive column that is not known how many values such a group has at least (L)
    and how large the share of its most frequent one is at most (theta). A missing value is a value.

    It looks at the release alone. A swapped release may be far from k-anonymous and yet safe,
    because a combination of values need not be anybody's.

    Reference: RWN paper, section 9.1.2 (MKA); Sweeney (2002).
    """

    name = "k-anonymity"
    growth = "rows × columns"
    question = "At least how many released records share what an intruder knows?"
    coverage = Coverage.ALL
    direction = Direction.HIGHER
    bounds = (1.0, np.inf)

    def score(self, comparison: Comparison) -> Score:
        also = list_secrets(comparison, comparison.known)
        look = partial(_Found.of, also, comparison.in_memory)
        sizes = comparison.gather_classes(look, comparison.known, also)
        before, after = sizes.before, sizes.after
        details: dict[str, Any] = {
            "MKA": after.mean,
            "MKA of the original": before.mean,
            "unique": after.fewer[0],
            "unique in the original": before.fewer[0],
        }
        details |= {
            f"shared by fewer than {k}": fewer
            for k, fewer in zip(SMALL, after.fewer[1:], strict=True)
        }
        for name, (least, most) in zip(also, sizes.diversity, strict=True):
            details |= {f"L of {name}": least, f"theta of {name}": most}
        sentence = (
            f"Every combination of {comparison.what_is_known} in the release belongs to at least "
            f"{after.least} record{'' if after.least == 1 else 's'} (on average to "
            f"{after.mean:.4g}); {details['unique']} of {after.rows} records are unique in it."
        )
        return self.make_score(after.least, sentence, records=sizes.records, details=details)


@dataclass(frozen=True)
class _Sizes(Sums):
    """Of the sizes of the groups that rows are in: the least, and their sum over the rows.

    `fewer` has the number of rows that are unique, and that share with fewer than each of SMALL.
    """

    rows: int
    least: int = field(metadata=LEAST)
    total: int
    fewer: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Labels) -> _Sizes:
        fewer = tuple(int(np.count_nonzero(sizes < k)) for k in (2, *SMALL))
        return cls(len(sizes), int(sizes.min(initial=NOBODY)), int(sizes.sum()), fewer)

    @property
    def mean(self) -> float:
        return self.total / self.rows


def _find_extremes(
    some: tuple[tuple[int, float], ...], others: tuple[tuple[int, float], ...]
) -> tuple[tuple[int, float], ...]:
    return tuple(
        (min(least, fewer), max(most, more))
        for (least, most), (fewer, more) in zip(some, others, strict=True)
    )


@dataclass(frozen=True, repr=False, eq=False)
class _Found(Sums):
    """Sizes in both tables; L and theta of each sensitive column; the sizes of released rows."""

    before: _Sizes
    after: _Sizes
    diversity: tuple[tuple[int, float], ...] = field(metadata={JOIN: _find_extremes})
    records: Floats | None = field(metadata=OF_ROWS)

    @classmethod
    def of(cls, also: tuple[str, ...], keep: bool, crowd: EquivalenceClasses) -> _Found:  # noqa: FBT001
        after = frequencies(crowd.released, crowd.released)
        return cls(
            _Sizes.of(frequencies(crowd.original, crowd.original)),
            _Sizes.of(after),
            tuple(_diversity(crowd.released, crowd.data[name].values) for name in also),
            after.astype(float) if keep else None,
        )


def _diversity(groups: Labels, column: npt.NDArray[Any]) -> tuple[int, float]:
    """The least number of values in a group, and the largest share of one."""
    if not len(groups):
        return NOBODY, 0.0
    values = np.unique(column, return_inverse=True)[1]
    pairs, counts = np.unique(groups * (values.max() + 1) + values, return_counts=True)
    of_pair = pairs // (values.max() + 1)
    sizes = np.bincount(groups)
    distinct = np.bincount(of_pair)[np.unique(of_pair)]
    return int(distinct.min()), float((counts / sizes[of_pair]).max())


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
        look = partial(_Uniques.of, comparison.in_memory)
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
class _Uniques(Sums):
    """Numbers of people who are unique, matched by one released record, and found by it."""

    unique: int
    matched: int
    hits: int
    records: Floats | None = field(metadata=OF_ROWS)

    @classmethod
    def of(cls, keep: bool, crowd: EquivalenceClasses) -> _Uniques:  # noqa: FBT001
        unique = frequencies(crowd.original, crowd.original) == 1
        matched = unique & (frequencies(crowd.original, crowd.released) == 1)
        right = matched if crowd.same is None else matched & crowd.same
        return cls(
            int(unique.sum()), int(matched.sum()), int(right.sum()),
            right.astype(float) if keep else None,
        )  # fmt: skip
