"""What RID and SDID share: the score of a file, by its owners, by sorting or by similarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.measures.intervals import of_share
from swapmeet.measures.risk.closeness import WIDTHS, blind, farthest, few, share_of_widths
from swapmeet.measures.risk.linkage import of_1000, released_from_originals
from swapmeet.measures.risk.sorting import hearsay, pairings, worst
from swapmeet.measures.score import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.measures.base import Measure
    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.risk.closeness import Ruler
    from swapmeet.measures.score import Score


def scored_by_widths(
    measure: Measure,
    comparison: Comparison,
    look: Callable[[Comparison], Ruler],
    what: str,
    part: str,
) -> Score:
    """The share of records inside the ten intervals around the released record of the owner."""
    ruler = comparison.once(look)
    within = ruler.within()
    value, chance = within.expected / within.rows, blind(ruler)
    sentence = (
        f"Who takes the released {what} for the true ones, give or take 1 to 10 % {part}, is right "
        f"in {ruler.told} for {of_1000(value)} people; columns shuffled at random would "
        f"give {few(chance)}."
    )
    shares = {f"share within {width:.0%}": float(share)
              for width, share in zip(WIDTHS, within.shares, strict=True)}  # fmt: skip
    return measure.scored(
        value,
        sentence,
        interval=of_share(within.expected, within.rows, CONFIDENCE),
        records=within.records,
        details={**ruler.details, **shares, "columns shuffled": chance},
    )


def scored_by_sorting(
    measure: Measure,
    comparison: Comparison,
    look: Callable[[Comparison], Ruler],
    what: str,
    part: str,
) -> Score:
    """The same around the released record in the same place, for the worst column to sort by."""
    ruler = comparison.once(look)
    numbers = ruler.all()
    records = {
        pairing.column: share_of_widths(farthest(numbers, pairing.released_of_original))
        for pairing in pairings(comparison)
    }
    shares = {name: float(shares.mean()) for name, shares in records.items()}
    column, value = worst(shares)
    chance = blind(ruler, but=column)
    sentence = (
        f"Sorted by {column}, original and released records in the same place have {what} within "
        f"1 to 10 % {part} in {ruler.told} for {of_1000(value)} people (other columns shuffled "
        f"at random: {few(chance)}); {hearsay(measure.name)}."
    )
    return measure.scored(
        value,
        sentence,
        interval=of_share(records[column].sum(), comparison.n, CONFIDENCE),
        details={
            **ruler.details,
            "worst column": column,
            **{f"sorted by {name}": share for name, share in shares.items()},
            "other columns shuffled": chance,
        },
    )


def scored_by_linking(
    measure: Measure,
    comparison: Comparison,
    look: Callable[[Comparison], Ruler],
    what: str,
    part: str,
) -> Score:
    """The same around the released record that is nearest in all known columns, whosever it is."""
    ruler = comparison.once(look)
    links, rows = comparison.once(released_from_originals)
    records = share_of_widths(farthest(ruler.between(rows, links.who)))
    sentence = (
        f"The released record most similar to a person has {what} within 1 to 10 % {part} in "
        f"{ruler.told} for {of_1000(records.mean())} people, whether it is theirs or another's."
    )
    return measure.scored(
        records.mean(),
        sentence,
        interval=of_share(records.sum(), len(records), CONFIDENCE),
        details={**ruler.details, "people looked for": len(rows)},
    )
