"""Values and ranks that are released nearly right: by owners, by similarity, and by sorting.

RID and SDID are those of the SJPPDS paper, A1.3, and `interval-sd` is sdcMicro's dRisk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from swapmeet.base.params import Number
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE, Score
from swapmeet.intruders.nearest_records import of_1000, released_from_originals
from swapmeet.measures.base import GROWS_WITH_PEOPLE, Coverage, RiskMeasure
from swapmeet.measures.risk.closeness import (
    FEWER_RIVALS,
    WIDTHS,
    KnownNumbers,
    blind,
    by_ranks,
    by_values,
    caveat,
    farthest,
    find_worst,
    format_share,
    pairings,
    share_of_widths,
)


class IntervalScale(NamedTuple):
    """Numbers that are compared, and the part of their range that intervals are so many % of."""

    look: Callable[[Comparison], KnownNumbers]
    what: str
    part: str


RANKS = IntervalScale(by_ranks, "ranks", "of the records")
VALUES = IntervalScale(by_values, "values", "of a standard deviation")


class ByOwners(RiskMeasure):
    """The share of records inside the ten intervals around the released record of the owner."""

    growth = "rows × columns"
    coverage = Coverage.ALL
    ordered = True
    intervals: ClassVar[IntervalScale]

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        known = comparison.once(self.intervals.look)
        within = known.within()
        value, chance = within.expected / within.rows, blind(known)
        sentence = (
            f"An intruder who assumes that the true {self.intervals.what} differ from the released "
            f"ones by at most 1 to 10 % {self.intervals.part} is right about {known.in_words} for "
            f"{of_1000(value)} people; with columns shuffled at random, for {format_share(chance)}."
        )
        shares = {f"share within {width:.0%}": float(share)
                  for width, share in zip(WIDTHS, within.shares, strict=True)}  # fmt: skip
        return self.make_score(
            value,
            sentence,
            interval=of_share(within.expected, within.rows, CONFIDENCE),
            records=within.records,
            details={**known.details, **shares, "columns shuffled": chance},
        )


class ByLinking(RiskMeasure):
    """The same around the released record that is nearest in all known columns, whosever it is."""

    growth = GROWS_WITH_PEOPLE
    coverage = Coverage.LINKED
    intervals: ClassVar[IntervalScale]

    def score(self, comparison: Comparison) -> Score:
        known = comparison.once(self.intervals.look)
        links, rows = comparison.once(released_from_originals)
        records = share_of_widths(farthest(known.between(rows, links.who)))
        sentence = (
            f"For {of_1000(records.mean())} people, the {self.intervals.what} of the most similar "
            "released record, be it theirs or another's, differ from their own by at most 1 to "
            f"10 % {self.intervals.part} in {known.in_words}."
        )
        return self.make_score(
            records.mean(),
            sentence,
            interval=of_share(records.sum(), len(records), CONFIDENCE),
            details={**known.details, "people looked for": len(rows)},
        )


class BySorting(RiskMeasure):
    """The same around the released record in the same place, for the worst column to sort by."""

    growth = "rows × columns²"
    in_sample = FEWER_RIVALS
    by_pairs = True
    intervals: ClassVar[IntervalScale]

    def score(self, comparison: Comparison) -> Score:
        known = comparison.once(self.intervals.look)
        numbers = known.all()
        records = {
            pairing.column: share_of_widths(farthest(numbers, pairing.released_of_original))
            for pairing in pairings(comparison)
        }
        shares = {name: float(shares.mean()) for name, shares in records.items()}
        column, value = find_worst(shares)
        chance = blind(known, but=column)
        sentence = (
            f"When both files are sorted by {column}, the {self.intervals.what} of records in the "
            f"same place differ by at most 1 to 10 % {self.intervals.part} in {known.in_words} for "
            f"{of_1000(value)} people (with the other columns shuffled at random, for "
            f"{format_share(chance)}); {caveat(self.name)}."
        )
        return self.make_score(
            value,
            sentence,
            interval=of_share(records[column].sum(), comparison.n, CONFIDENCE),
            details={
                **known.details,
                "worst column": column,
                **{f"sorted by {name}": share for name, share in shares.items()},
                "other columns shuffled": chance,
            },
        )


class RID(ByOwners):
    """The share of records whose ranks are released nearly right in all known columns.

    Both files are ranked column by column, ties by their mean rank. A record is disclosed if in
    every known column with numbers its original rank lies within p percent of the rows around its
    released rank, ends included; the score is the mean of the shares at p = 1, 2, ..., 10. An
    unchanged release scores 1. A column in which the original or the released value is missing
    does not count, so that suppressing a value cannot hide the others; a record without any column
    left is not disclosed.

    The paper does not say how ties are ranked; mean ranks do not depend on the order of the rows.

    Reference: SJPPDS paper, A1.3.
    """

    name = "rid"
    question = "For how many people are all ranks released nearly right?"
    intervals = RANKS


class SDID(ByOwners):
    """The share of records whose values are released nearly right in all known columns.

    As RID, with values instead of ranks: a record is disclosed if in every known column with
    numbers its original value lies within p percent of the standard deviation of the released
    column around its released value, ends included; the score is the mean of the shares at p = 1,
    2, ..., 10. An unchanged release scores 1. Missing values count as in RID.

    Reference: SJPPDS paper, A1.3. The mean over p of sdcMicro's `dRisk`.
    """

    name = "sdid"
    question = "For how many people are all values released nearly right?"
    intervals = VALUES


class RIDLinked(ByLinking):
    """RID between each person and the released record that is most similar to theirs.

    Needs no owners: an intruder who looks for a person takes the nearest record, as in `pscr`, no
    matter whose it is. An unchanged release scores 1, and so does one that only moves whole
    records. Where records are crowded, any release scores high: a stranger's record does as well.
    """

    name = "rid-linked"
    question = "For how many people are all ranks of the most similar record nearly right?"
    intervals = RANKS


class SDIDLinked(ByLinking):
    """SDID between each person and the released record that is most similar to theirs.

    Needs no owners: an intruder who looks for a person takes the nearest record, as in `pscr`, no
    matter whose it is. An unchanged release scores 1, and so does one that only moves whole
    records. Where records are crowded, any release scores high: a stranger's record does as well.
    """

    name = "sdid-linked"
    question = "For how many people are all values of the most similar record nearly right?"
    intervals = VALUES


class RIDSorted(BySorting):
    """RID between records in the same place when both files are sorted by a column; the maximum.

    Needs no owners, and knows none: it pairs the k-th original with the k-th released record in the
    order of one known column with numbers, for each of them in turn. An unchanged release scores 1
    if the column distinguishes all records; rows tied in the column are in random order.

    Reference: SJPPDS paper, Algorithm 4.
    """

    name = "rid-sorted"
    question = "How often are ranks nearly right if files are sorted by one column?"
    intervals = RANKS


class SDIDSorted(BySorting):
    """SDID between records in the same place when both files are sorted by a column; the maximum.

    Needs no owners, and knows none: it pairs the k-th original with the k-th released record in the
    order of one known column with numbers, for each of them in turn. An unchanged release scores 1
    if the column distinguishes all records; rows tied in the column are in random order.

    Reference: SJPPDS paper, Algorithm 4.
    """

    name = "sdid-sorted"
    question = "How often are values nearly right if files are sorted by one column?"
    intervals = VALUES


@dataclass(frozen=True, kw_only=True)
class IntervalSD(RiskMeasure):
    """The share of records with all known values within `k` standard deviations of the released.

    The interval is closed, and the standard deviation that of the released column. An unchanged
    release scores 1. A column in which the original or the released value is missing does not
    count, so that suppressing a value cannot hide the others; a record without any column left is
    not disclosed (sdcMicro counts it as disclosed).

    Reference: sdcMicro, `dRisk`, whose default is k = 0.05; the RWN paper takes k = 1.
    """

    name = "interval-sd"
    growth = "rows × columns"
    question = "For how many people are all values close to the released ones?"
    coverage = Coverage.ALL
    ordered = True

    k: Annotated[
        float, Number(), "half the width of the interval, in standard deviations of the column"
    ] = 0.05

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        known, width = comparison.once(by_values), np.array([self.k])
        within = known.within(width)
        value, chance = within.expected / within.rows, blind(known, width)
        sentence = (
            f"An intruder who assumes that true values lie within {self.k:g} standard deviations "
            f"of the released ones is right about {known.in_words} for {of_1000(value)} people; "
            f"with columns shuffled at random, for {format_share(chance)}."
        )
        return self.make_score(
            value,
            sentence,
            interval=of_share(within.expected, within.rows, CONFIDENCE),
            records=within.records,
            details={**known.details, "columns shuffled": chance},
        )
