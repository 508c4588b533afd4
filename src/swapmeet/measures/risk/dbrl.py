"""Distance-based record linkage (SJPPDS paper, A1.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from swapmeet.comparison.score import Family
from swapmeet.intruders.nearest_records import (
    blind,
    of_1000,
    originals_from_released,
    share_of_links,
)
from swapmeet.measures.base import Coverage, Measure

if TYPE_CHECKING:
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.comparison.score import Score


@dataclass(frozen=True, kw_only=True)
class DBRL(Measure):
    """The share of released records whose nearest original record is their owner.

    Each file is standardised by its own means and standard deviations. Ties share the hit.

    Reference: SJPPDS paper, A1.3.
    """

    name: ClassVar[str] = "dbrl"
    family: ClassVar[Family] = Family.RISK
    growth: ClassVar[str] = (
        "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    )
    question: ClassVar[str] = "How many released records does an intruder assign to their owner?"
    coverage: ClassVar[Coverage] = Coverage.LINKED

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        links, _ = comparison.once(originals_from_released)
        value, interval = share_of_links(links)
        sentence = (
            f"Of 1,000 released records an intruder who knows {comparison.what_is_known} of "
            f"everybody assigns {of_1000(value, bare=True)} to their owner; {blind(comparison)}."
        )
        return self.make_score(value, sentence, interval=interval, records=links.found)
