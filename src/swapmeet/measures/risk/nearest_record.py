"""Nearest records of the other file, and how often they are the right ones: PSCR, DBRL, DCR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from swapmeet.algorithms.encode import Points, Scale
from swapmeet.algorithms.neighbors.links import Links
from swapmeet.base.arrays import Floats, Rows
from swapmeet.base.params import OneOf
from swapmeet.base.sentences import figure
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_mean
from swapmeet.comparison.score import CONFIDENCE, Direction, Score
from swapmeet.intruders.nearest_records import (
    ClosestRecords,
    blind,
    of_1000,
    originals_from_released,
    released_from_originals,
    share_of_links,
    standard_points,
)
from swapmeet.measures.base import GROWS_WITH_PEOPLE, Coverage, RiskMeasure
from swapmeet.measures.risk.closeness import FEWER_RIVALS, by_values, caveat, find_worst, pairings


class PSCR(RiskMeasure):
    """The share of original records whose nearest released record is their own.

    Distances are those of RWN: columns scaled to [0, 1] by the range of the original, a mismatch of
    a nominal one counting as much as the range. Ties share the hit.

    Reference: RWN paper, section 9.1.4.
    """

    name = "pscr"
    growth = GROWS_WITH_PEOPLE
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


class DBRL(RiskMeasure):
    """The share of released records whose nearest original record is their owner.

    Each file is standardised by its own means and standard deviations. Ties share the hit.

    Reference: SJPPDS paper, A1.3.
    """

    name = "dbrl"
    growth = GROWS_WITH_PEOPLE
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
    growth = GROWS_WITH_PEOPLE
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


QUANTILES = (5, 25, 50, 75, 95)
ORIGINAL, RELEASED = "original", "released"
UNITS = {
    "unit": "where 1 is the whole range of a column",
    "raw": "in units of the columns",
    "ranks": "where 1 is all ranks of a column",
}
"""The scales of a distance, and what one unit of each is."""


@dataclass(frozen=True, kw_only=True)
class DCR(RiskMeasure):
    """The mean distance from an original record to the closest released one.

    Distances are those of RWN: columns scaled to [0, 1] by the range of the original. The paper's
    figures are in the columns' own units (`scale` raw). By ranks, each file is ranked by itself, as
    a share of its rows, ties in their middle; nominal columns count as on the unit scale, and a
    missing value as one in the middle of the others. A record that was released unchanged, by
    whomever, is at distance 0; by ranks, if the columns kept their values, in whatever rows.

    With `of` released it is the mean distance from a released record to the closest original one:
    a release of a few people's records, many times each, is near to these and far from all others.

    Reference: RWN paper, section 9.1.5; by ranks: Domingo-Ferrer, Ricci, Soria-Comas (2017).
    """

    name = "dcr"
    growth = GROWS_WITH_PEOPLE
    question = "How far is the nearest released record from a real person?"
    coverage = Coverage.LINKED
    direction = Direction.HIGHER
    bounds = (0.0, np.inf)

    scale: Annotated[
        str, OneOf(tuple(UNITS)), "columns scaled to [0, 1], in their own units, or by their ranks"
    ] = "unit"
    of: Annotated[
        str,
        OneOf((ORIGINAL, RELEASED)),
        "from original records to the closest released one, or from released to original ones",
    ] = ORIGINAL

    def score(self, comparison: Comparison) -> Score:
        links, _ = comparison.once(self._search)
        away = np.sqrt(links.nearest)
        same = float((away == 0.0).mean())
        details = {f"quantile {q} %": float(np.percentile(away, q)) for q in QUANTILES}
        return self.make_score(
            away.mean(),
            self._tell(float(away.mean()), same),
            interval=of_mean(away, CONFIDENCE, least=0.0),
            records=away,
            details={"share at distance 0": same, **details},
        )

    @property
    def _search(self) -> Callable[[Comparison], tuple[Links, Rows]]:
        """Shared with other measures where these search in the same way."""
        if (self.scale, self.of) == ("unit", ORIGINAL):
            return released_from_originals
        scale = None if self.scale == "ranks" else Scale(self.scale)
        return ClosestRecords(scale, backwards=self.of == RELEASED)

    def _tell(self, mean: float, same: float) -> str:
        far = f"{figure(mean)} away on average, {UNITS[self.scale]}"
        ranks = self.scale == "ranks"
        if self.of == RELEASED:
            return (
                f"From a released record, the nearest person is {far}; {of_1000(same)} released "
                f"records {'have the ranks of' if ranks else 'are exactly like'} a person's."
            )
        return (
            f"The nearest released record is {far}; {of_1000(same)} people have a record "
            f"{'with the same ranks as' if ranks else 'exactly like'} theirs in the release."
        )
