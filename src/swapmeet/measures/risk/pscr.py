"""The probability that a record is correctly re-identified (RWN paper, 9.1.4)."""

from __future__ import annotations

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score
from swapmeet.intruders.nearest_records import (
    blind,
    of_1000,
    released_from_originals,
    share_of_links,
)
from swapmeet.measures.base import Coverage, RiskMeasure


class PSCR(RiskMeasure):
    """The share of original records whose nearest released record is their own.

    Distances are those of RWN: columns scaled to [0, 1] by the range of the original, a mismatch of
    a nominal one counting as much as the range. Ties share the hit.

    Reference: RWN paper, section 9.1.4.
    """

    name = "pscr"
    growth = "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    question = "How many people does an intruder find, starting from what they know?"
    coverage = Coverage.LINKED

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        links, _ = comparison.once(released_from_originals)
        value, interval = share_of_links(links)
        sentence = (
            f"An intruder who knows {comparison.what_is_known} of a person and takes the most "
            f"similar released record is right for {of_1000(value)} people; {blind(comparison)}."
        )
        return self.make_score(value, sentence, interval=interval, records=links.chances)
