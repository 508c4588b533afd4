"""Rank interval disclosure (SJPPDS paper, A1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from swapmeet.comparison.score import Family
from swapmeet.measures.base import Coverage, Measure
from swapmeet.measures.risk.closeness import by_ranks
from swapmeet.measures.risk.disclosure import score_by_widths

if TYPE_CHECKING:
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.comparison.score import Score


@dataclass(frozen=True, kw_only=True)
class RID(Measure):
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

    name: ClassVar[str] = "rid"
    family: ClassVar[Family] = Family.RISK
    growth: ClassVar[str] = "rows × columns"
    question: ClassVar[str] = "For how many people are all ranks released nearly right?"
    coverage: ClassVar[Coverage] = Coverage.ALL
    ordered: ClassVar[bool] = True

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        return score_by_widths(self, comparison, by_ranks, "ranks", "of the records")
