"""Rank interval disclosure (SJPPDS paper, A1.3): by owners, by similarity, and by sorting."""

from __future__ import annotations

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.closeness import by_ranks
from swapmeet.measures.risk.disclosure import (
    FEWER_RIVALS,
    score_by_linking,
    score_by_sorting,
    score_by_widths,
)


class RID(RiskMeasure):
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
    growth = "rows × columns"
    question = "For how many people are all ranks released nearly right?"
    coverage = Coverage.ALL
    ordered = True

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        return score_by_widths(self, comparison, by_ranks, "ranks", "of the records")


class RIDLinked(RiskMeasure):
    """RID between each person and the released record that is most similar to theirs.

    Needs no owners: an intruder who looks for a person takes the nearest record, as in `pscr`, no
    matter whose it is. An unchanged release scores 1, and so does one that only moves whole
    records. Where records are crowded, any release scores high: a stranger's record does as well.
    """

    name = "rid-linked"
    growth = "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    question = "For how many people are all ranks of the most similar record nearly right?"
    coverage = Coverage.LINKED

    def score(self, comparison: Comparison) -> Score:
        return score_by_linking(self, comparison, by_ranks, "ranks", "of the records")


class RIDSorted(RiskMeasure):
    """RID between records in the same place when both files are sorted by a column; the maximum.

    Needs no owners, and knows none: it pairs the k-th original with the k-th released record in the
    order of one known column with numbers, for each of them in turn. An unchanged release scores 1
    if the column distinguishes all records; rows tied in the column are in random order.

    Reference: SJPPDS paper, Algorithm 4.
    """

    name = "rid-sorted"
    growth = "rows × columns²"
    question = "How often are ranks nearly right if files are sorted by one column?"
    in_sample = FEWER_RIVALS
    by_pairs = True

    def score(self, comparison: Comparison) -> Score:
        return score_by_sorting(self, comparison, by_ranks, "ranks", "of the records")
