"""Standard deviation interval disclosure (SJPPDS paper, A1.3): by owners, likeness, sorting."""

from __future__ import annotations

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.closeness import by_values
from swapmeet.measures.risk.disclosure import (
    FEWER_RIVALS,
    score_by_linking,
    score_by_sorting,
    score_by_widths,
)


class SDID(RiskMeasure):
    """The share of records whose values are released nearly right in all known columns.

    As RID, with values instead of ranks: a record is disclosed if in every known column with
    numbers its original value lies within p percent of the standard deviation of the released
    column around its released value, ends included; the score is the mean of the shares at p = 1,
    2, ..., 10. An unchanged release scores 1. Missing values count as in RID.

    Reference: SJPPDS paper, A1.3. The mean over p of sdcMicro's `dRisk`.
    """

    name = "sdid"
    growth = "rows × columns"
    question = "For how many people are all values released nearly right?"
    coverage = Coverage.ALL
    ordered = True

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        return score_by_widths(self, comparison, by_values, "values", "of a standard deviation")


class SDIDLinked(RiskMeasure):
    """SDID between each person and the released record that is most similar to theirs.

    Needs no owners: an intruder who looks for a person takes the nearest record, as in `pscr`, no
    matter whose it is. An unchanged release scores 1, and so does one that only moves whole
    records. Where records are crowded, any release scores high: a stranger's record does as well.
    """

    name = "sdid-linked"
    growth = "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    question = "For how many people are all values of the most similar record nearly right?"
    coverage = Coverage.LINKED

    def score(self, comparison: Comparison) -> Score:
        return score_by_linking(self, comparison, by_values, "values", "of a standard deviation")


class SDIDSorted(RiskMeasure):
    """SDID between records in the same place when both files are sorted by a column; the maximum.

    Needs no owners, and knows none: it pairs the k-th original with the k-th released record in the
    order of one known column with numbers, for each of them in turn. An unchanged release scores 1
    if the column distinguishes all records; rows tied in the column are in random order.

    Reference: SJPPDS paper, Algorithm 4.
    """

    name = "sdid-sorted"
    growth = "rows × columns²"
    question = "How often are values nearly right if files are sorted by one column?"
    in_sample = FEWER_RIVALS
    by_pairs = True

    def score(self, comparison: Comparison) -> Score:
        return score_by_sorting(self, comparison, by_values, "values", "of a standard deviation")
