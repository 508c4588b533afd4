"""Distance-based record linkage (SJPPDS paper, A1.3), also after worst-case sorting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from swapmeet.algorithms.encode import Points
from swapmeet.base.arrays import Floats
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score
from swapmeet.intruders.nearest_records import (
    blind,
    of_1000,
    originals_from_released,
    share_of_links,
    standard_points,
)
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.closeness import by_values
from swapmeet.measures.risk.disclosure import FEWER_RIVALS, caveat, find_worst, pairings


class DBRL(RiskMeasure):
    """The share of released records whose nearest original record is their owner.

    Each file is standardised by its own means and standard deviations. Ties share the hit.

    Reference: SJPPDS paper, A1.3.
    """

    name = "dbrl"
    growth = "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    question = "How many released records does an intruder assign to their owner?"
    coverage = Coverage.LINKED

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        links, _ = comparison.once(originals_from_released)
        value, interval = share_of_links(links)
        sentence = (
            f"Of 1,000 released records an intruder who knows {comparison.what_is_known} of "
            f"everybody assigns {of_1000(value, bare=True)} to their owner; {blind(comparison)}."
        )
        return self.make_score(value, sentence, interval=interval, records=links.chances)


class DBRLSorted(RiskMeasure):
    """DBRL with the record in the same place as owner, when both files are sorted by a column.

    Needs no owners, and knows none: the owner of the k-th released record in the order of a column
    is taken to be the k-th original one, for each known column with numbers in turn; the maximum
    counts. The nearest originals are those of DBRL and are sought once; ties share the hit. Rows
    tied in the column are in random order. An unchanged release scores 1 if the column
    distinguishes all records.

    Reference: SJPPDS paper, Algorithm 4.
    """

    name = "dbrl-sorted"
    growth = "people × rows × columns; beyond 100 columns fewer people, so that it is bounded"
    question = "How many links are right if both files are sorted by one column?"
    in_sample = FEWER_RIVALS
    by_pairs = True

    def score(self, comparison: Comparison) -> Score:
        comparison.once(by_values)  # refuses what cannot be sorted or has no distance
        links, rows = comparison.once(originals_from_released)
        original, released = comparison.once(standard_points)
        sorted_links = {
            pairing.column: replace(
                links,
                own=_apart(released.of(rows), original.of(pairing.original_of_released[rows])),
            )
            for pairing in pairings(comparison)
        }
        shares = {name: share_of_links(one)[0] for name, one in sorted_links.items()}
        column, value = find_worst(shares)
        sentence = (
            f"When both files are sorted by {column}, the original record in the same place is the "
            f"nearest one for {of_1000(value)} released records, judged by "
            f"{comparison.what_is_known} "
            f"({blind(comparison)}); {caveat(self.name)}."
        )
        return self.make_score(
            value,
            sentence,
            interval=share_of_links(sorted_links[column])[1],
            details={
                "worst column": column,
                **{f"sorted by {name}": share for name, share in shares.items()},
            },
        )


def _apart(one: Points, other: Points) -> Floats:
    """The squared distance of each point from the one of the same number."""
    away = np.zeros(one.n)
    for left, right in zip(one.numbers, other.numbers, strict=True):
        away += (left - right) ** 2
    for left, right, costs in zip(one.codes, other.codes, one.costs, strict=True):
        away += np.where(left == right, 0.0, costs[left] + costs[right])
    return away
