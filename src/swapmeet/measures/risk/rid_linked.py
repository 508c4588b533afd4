"""Rank interval disclosure by the most similar released record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from swapmeet.comparison.score import Family
from swapmeet.measures.base import Coverage, Measure
from swapmeet.measures.risk.closeness import by_ranks
from swapmeet.measures.risk.disclosure import score_by_linking

if TYPE_CHECKING:
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.comparison.score import Score


@dataclass(frozen=True, kw_only=True)
class RIDLinked(Measure):
    """RID between each person and the released record that is most similar to theirs.

    Needs no owners: an intruder who looks for a person takes the nearest record, as in `pscr`, no
    matter whose it is. An unchanged release scores 1, and so does one that only moves whole
    records. Where records are crowded, any release scores high: a stranger's record does as well.
    """

    name: ClassVar[str] = "rid-linked"
    family: ClassVar[Family] = Family.RISK
    growth: ClassVar[str] = (
        "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    )
    question: ClassVar[str] = (
        "For how many people are all ranks of the most similar record nearly right?"
    )
    coverage: ClassVar[Coverage] = Coverage.LINKED

    def score(self, comparison: Comparison) -> Score:
        return score_by_linking(self, comparison, by_ranks, "ranks", "of the records")
