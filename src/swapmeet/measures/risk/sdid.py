"""Standard deviation interval disclosure (SJPPDS paper, A1.3): by owners, likeness, sorting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Family, Score
from swapmeet.measures.base import Coverage, Measure
from swapmeet.measures.risk.closeness import by_values
from swapmeet.measures.risk.disclosure import (
    FEWER_RIVALS,
    score_by_linking,
    score_by_sorting,
    score_by_widths,
)


@dataclass(frozen=True, kw_only=True)
class SDID(Measure):
    """The share of records whose values are released nearly right in all known columns.

    As RID, with values instead of ranks: a record is disclosed if in every known column with
    numbers its original value lies within p percent of the standard deviation of the released
    column around its released value, ends included; the score is the mean of the shares at p = 1,
    2, ..., 10. An unchanged release scores 1. Missing values count as in RID.

    Reference: SJPPDS paper, A1.3. The mean over p of sdcMicro's `dRisk`.
    """

    name: ClassVar[str] = "sdid"
    family: ClassVar[Family] = Family.RISK
    growth: ClassVar[str] = "rows × columns"
    question: ClassVar[str] = "For how many people are all values released nearly right?"
    coverage: ClassVar[Coverage] = Coverage.ALL
    ordered: ClassVar[bool] = True

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        return score_by_widths(self, comparison, by_values, "values", "of a standard deviation")


@dataclass(frozen=True, kw_only=True)
class SDIDLinked(Measure):
    """SDID between each person and the released record that is most similar to theirs.

    Needs no owners: an intruder who looks for a person takes the nearest record, as in `pscr`, no
    matter whose it is. An unchanged release scores 1, and so does one that only moves whole
    records. Where records are crowded, any release scores high: a stranger's record does as well.
    """

    name: ClassVar[str] = "sdid-linked"
    family: ClassVar[Family] = Family.RISK
    growth: ClassVar[str] = (
        "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    )
    question: ClassVar[str] = (
        "For how many people are all values of the most similar record nearly right?"
    )
    coverage: ClassVar[Coverage] = Coverage.LINKED

    def score(self, comparison: Comparison) -> Score:
        return score_by_linking(self, comparison, by_values, "values", "of a standard deviation")


@dataclass(frozen=True, kw_only=True)
class SDIDSorted(Measure):
    """SDID between records in the same place when both files are sorted by a column; the maximum.

    Needs no owners, and knows none: it pairs the k-th original with the k-th released record in the
    order of one known column with numbers, for each of them in turn. An unchanged release scores 1
    if the column distinguishes all records; rows tied in the column are in random order.

    Reference: SJPPDS paper, Algorithm 4.
    """

    name: ClassVar[str] = "sdid-sorted"
    family: ClassVar[Family] = Family.RISK
    growth: ClassVar[str] = "rows × columns²"
    question: ClassVar[str] = "How often are values nearly right if files are sorted by one column?"
    in_sample: ClassVar[str] = FEWER_RIVALS
    by_pairs: ClassVar[bool] = True

    def score(self, comparison: Comparison) -> Score:
        return score_by_sorting(self, comparison, by_values, "values", "of a standard deviation")
