"""Standard deviation interval disclosure (SJPPDS paper, A1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from swapmeet.comparison.score import Family
from swapmeet.measures.base import Coverage, Measure
from swapmeet.measures.risk.closeness import by_values
from swapmeet.measures.risk.disclosure import score_by_widths

if TYPE_CHECKING:
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.comparison.score import Score


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
