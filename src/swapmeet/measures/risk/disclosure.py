"""Base of RID and SDID: the score of a file, by its owners, by similarity or by sorting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from swapmeet.base.arrays import Rows
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.intruders.nearest_records import of_1000, released_from_originals
from swapmeet.measures.base import Measure
from swapmeet.measures.risk.closeness import (
    WIDTHS,
    KnownNumbers,
    blind,
    farthest,
    format_share,
    share_of_widths,
)
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind


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


FEWER_RIVALS = "; it has fewer similar people than the whole file, where the risk is lower"
"""Say what a sample of the rows does to risks of sorting."""


@dataclass(frozen=True, repr=False, eq=False)
class Pairing:
    """Both files in the order of `column`: rows in the same place are taken for the same person."""

    column: str
    original: Rows
    released: Rows

    def __repr__(self) -> str:
        return f"<Pairing by {self.column!r}>"

    @property
    def released_of_original(self) -> Rows:
        """For each original row the released one."""
        return _matched(self.original, self.released)

    @property
    def original_of_released(self) -> Rows:
        """For each released row the original one."""
        return _matched(self.released, self.original)


def pairings(comparison: Comparison) -> Iterator[Pairing]:
    """One for each known column with numbers, missing values last.

    Rows tied in the column are in random order. Their order in the files, which may be that of
    the owners, plays no part.
    """
    names = [name for name in comparison.known if name in comparison.numeric]
    if not names:
        raise Undefined("the intruder knows no column with numbers to sort by")
    one, other = comparison.once(_settled)
    for name in names:
        yield Pairing(
            name, _sorted(comparison.original, name, one), _sorted(comparison.released, name, other)
        )


def find_worst(shares: Mapping[str, float]) -> tuple[str, float]:
    """The column that gives most, the first of several, and what it gives."""
    column = max(shares, key=lambda name: shares[name])
    return column, shares[column]


def caveat(measure: str) -> str:
    """Say how far a measure of this name can be believed, to end its sentence with."""
    return (
        "this is the paper's worst-case sorting, which does not know the owners: where "
        f"{measure.removesuffix('-sorted')} has a value, rely on that instead"
    )


def _matched(places: Rows, rows: Rows) -> Rows:
    matched = np.empty_like(places)
    matched[places] = rows
    return matched


def _sorted(data: Microdata, name: str, settled: Rows) -> Rows:
    return settled[np.argsort(data[name].values[settled], kind="stable")]


def _settled(comparison: Comparison) -> tuple[Rows, Rows]:
    """A random order of the rows of each file that depends on nothing but their known values."""
    original, released = (
        data.select(comparison.known) for data in (comparison.original, comparison.released)
    )
    orders = [_levels_in_order(original, released, name) for name in comparison.known]
    one, other = (
        np.lexsort([
            variable.values if order is None else order[variable.values]
            for variable, order in zip(data.variables, orders, strict=True)
        ])
        for data in (original, released)
    )  # fmt: skip
    shuffles = [comparison.streams.stream("sorting", file) for file in ("original", "released")]
    return shuffles[0].permutation(one), shuffles[1].permutation(other)


def _levels_in_order(original: Microdata, released: Microdata, name: str) -> Rows | None:
    """Levels of a nominal column by their frequency; their codes follow the rows of the file."""
    if original[name].kind is not Kind.NOMINAL:
        return None
    counts = [
        np.bincount(data[name].values + 1, minlength=data[name].levels + 1)
        for data in (released, original)
    ]
    places = np.empty(len(counts[0]), np.int64)
    places[np.lexsort(counts)] = np.arange(len(places))
    return np.roll(places, -1)
