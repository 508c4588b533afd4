"""Base of RID and SDID: the score of a file, by its owners, by sorting or by similarity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE
from swapmeet.intruders.nearest_records import of_1000, released_from_originals
from swapmeet.measures.risk.closeness import WIDTHS, blind, farthest, format_share, share_of_widths
from swapmeet.measures.risk.sorting import caveat, find_worst, pairings

if TYPE_CHECKING:
    from collections.abc import Callable

    from swapmeet.comparison.comparison import Comparison
    from swapmeet.comparison.score import Score
    from swapmeet.measures.base import Measure
    from swapmeet.measures.risk.closeness import KnownNumbers


def score_by_widths(
    measure: Measure,
    comparison: Comparison,
    look: Callable[[Comparison], KnownNumbers],
    what: str,
    part: str,
) -> Score:
    """The share of records inside the ten intervals around the released record of the owner."""
    known = comparison.once(look)
    within = known.within()
    value, chance = within.expected / within.rows, blind(known)
    sentence = (
        f"An intruder who assumes that the true {what} differ from the released ones by at most 1 "
        f"to 10 % {part} is right about {known.in_words} for {of_1000(value)} people; with columns "
        f"shuffled at random, for {format_share(chance)}."
    )
    shares = {f"share within {width:.0%}": float(share)
              for width, share in zip(WIDTHS, within.shares, strict=True)}  # fmt: skip
    return measure.make_score(
        value,
        sentence,
        interval=of_share(within.expected, within.rows, CONFIDENCE),
        records=within.records,
        details={**known.details, **shares, "columns shuffled": chance},
    )


def score_by_sorting(
    measure: Measure,
    comparison: Comparison,
    look: Callable[[Comparison], KnownNumbers],
    what: str,
    part: str,
) -> Score:
    """The same around the released record in the same place, for the worst column to sort by."""
    known = comparison.once(look)
    numbers = known.all()
    records = {
        pairing.column: share_of_widths(farthest(numbers, pairing.released_of_original))
        for pairing in pairings(comparison)
    }
    shares = {name: float(shares.mean()) for name, shares in records.items()}
    column, value = find_worst(shares)
    chance = blind(known, but=column)
    sentence = (
        f"When both files are sorted by {column}, the {what} of records in the same place differ "
        f"by at most 1 to 10 % {part} in {known.in_words} for {of_1000(value)} people (with the "
        f"other columns shuffled at random, for {format_share(chance)}); {caveat(measure.name)}."
    )
    return measure.make_score(
        value,
        sentence,
        interval=of_share(records[column].sum(), comparison.n, CONFIDENCE),
        details={
            **known.details,
            "worst column": column,
            **{f"sorted by {name}": share for name, share in shares.items()},
            "other columns shuffled": chance,
        },
    )


def score_by_linking(
    measure: Measure,
    comparison: Comparison,
    look: Callable[[Comparison], KnownNumbers],
    what: str,
    part: str,
) -> Score:
    """The same around the released record that is nearest in all known columns, no matter whose it
    is.
    """
    known = comparison.once(look)
    links, rows = comparison.once(released_from_originals)
    records = share_of_widths(farthest(known.between(rows, links.who)))
    sentence = (
        f"For {of_1000(records.mean())} people, the {what} of the most similar released record, be "
        f"it theirs or another's, differ from their own by at most 1 to 10 % {part} in "
        f"{known.in_words}."
    )
    return measure.make_score(
        records.mean(),
        sentence,
        interval=of_share(records.sum(), len(records), CONFIDENCE),
        details={**known.details, "people looked for": len(rows)},
    )
