"""Standard deviation interval disclosure after worst-case sorting (SJPPDS paper, Algorithm 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from swapmeet.comparison.score import Family
from swapmeet.measures.base import Measure
from swapmeet.measures.risk.closeness import by_values
from swapmeet.measures.risk.disclosure import score_by_sorting
from swapmeet.measures.risk.sorting import FEWER_RIVALS

if TYPE_CHECKING:
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.comparison.score import Score


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
