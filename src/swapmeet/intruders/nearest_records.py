"""Linking records by distance: what PSCR, DBRL and DCR share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.encode import Encoding, Points, Scale
from swapmeet.base.arrays import Rows
from swapmeet.base.sentences import figure
from swapmeet.comparison.comparison import Comparison, random_rows
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE, Inapplicable
from swapmeet.tables.microdata import LARGEST, refuse_infinite

if TYPE_CHECKING:
    from swapmeet.algorithms.neighbors.links import Links


def released_from_originals(comparison: Comparison) -> tuple[Links, Rows]:
    """From original records to the released ones, in the unit encoding of the original."""
    return _links(comparison, _from_originals(comparison, Scale.UNIT))


@dataclass(frozen=True)
class ClosestRecords:
    """From original records to the released ones, or `backwards`.

    Columns are on the scale of the original; by ranks, they are the shares of rows below, each file
    ranked by itself, and nominal columns count as they do on the unit scale.
    """

    scale: Scale | None
    backwards: bool = False

    def __call__(self, comparison: Comparison) -> tuple[Links, Rows]:
        if self.backwards:
            _refuse_infinite(comparison, released=True)
        scale = self.scale or Scale.UNIT
        original, released = _encodings(comparison, scale, each_by_its_own=False)
        if self.scale is None:
            comparison = comparison.to_ranks(comparison.known)
            original, released = original.to_ranks(), released.to_ranks()
        places = (released, original) if self.backwards else (original, released)
        return _links(comparison, _Search(*places, self.backwards))


def links_of_originals(comparison: Comparison, rows: Rows) -> Links:
    """Links of some original records, as `released_from_originals` has them for all."""
    return _from_originals(comparison, Scale.UNIT).links(comparison, rows, rows)


def originals_from_released(comparison: Comparison) -> tuple[Links, Rows]:
    """From released records to the original ones, each file scaled by its own mean and sd."""
    original, released = _encodings(comparison, Scale.ZSCORE, each_by_its_own=True)
    return _links(comparison, _Search(released, original, backwards=True))


def standard_points(comparison: Comparison) -> tuple[Points, Points]:
    """Original and released records, each file scaled by its own mean and sd."""
    original, released = _encodings(comparison, Scale.ZSCORE, each_by_its_own=True)
    return original.points(comparison.original), released.points(comparison.released)


def encode_by_original(comparison: Comparison) -> tuple[Encoding, Encoding]:
    """Places of original and released records by the ranges of the original."""
    return _encodings(comparison, Scale.UNIT, each_by_its_own=False)


def _from_originals(comparison: Comparison, scale: Scale) -> _Search:
    return _Search(*_encodings(comparison, scale, each_by_its_own=False), backwards=False)


def _encodings(
    comparison: Comparison, scale: Scale, *, each_by_its_own: bool
) -> tuple[Encoding, Encoding]:
    one, other = (data.select(comparison.known) for data in comparison.tables)
    _refuse_infinite(comparison, released=each_by_its_own)
    encoding = Encoding.of_both(one, other, scale, each_by_its_own=each_by_its_own)
    if not encoding[0].can_differ:
        raise Inapplicable("all records are alike in what the intruder knows")
    return encoding


def _refuse_infinite(comparison: Comparison, *, released: bool) -> None:
    for data in comparison.tables[: 1 + released]:
        names = [name for name in comparison.known if data[name].statistics.size > LARGEST]
        if names:
            look = partial(_count_beyond, names, data is comparison.released)
            refuse_infinite(comparison.gather(look, names))


def _count_beyond(names: list[str], released: bool, piece: Comparison) -> Counter[str]:
    """Count the values of some columns that are infinite, or too large."""
    data = piece.released if released else piece.original
    return Counter({name: data[name].beyond for name in names})


def _links(comparison: Comparison, search: _Search) -> tuple[Links, Rows]:
    """Links of all queries, or of a random sample of them; and which rows these are."""
    rows = linked_rows(comparison)
    own = rows if comparison.owners_known else np.full(len(rows), -1)
    return search.links(comparison, rows, own), rows


@dataclass(frozen=True, repr=False, eq=False)
class _Search:
    """Places of the records that ask, and of those they are compared with.

    Originals ask for released records, or released ones for originals (`backwards`).
    """

    queries: Encoding
    targets: Encoding
    backwards: bool

    def links(self, comparison: Comparison, rows: Rows, own: Rows) -> Links:
        """Links of some rows, whose own targets are the rows `own`; -1 where unknown."""
        chosen = comparison.pick_rows(rows)
        queries = self.queries.points(chosen.released if self.backwards else chosen.original)
        return comparison.gather(partial(self._in_piece, queries, own), comparison.known)

    def _in_piece(self, queries: Points, own: Rows, piece: Comparison) -> Links:
        from swapmeet.algorithms.neighbors.links import nearest_links

        targets = self.targets.points(piece.original if self.backwards else piece.released)
        here = (own >= piece.first) & (own < piece.first + targets.n)
        homes = np.where(here, own - piece.first, -1)
        links = nearest_links(queries, targets, homes, piece.workers)
        return replace(links, who=links.who + piece.first)


def sample_rows(comparison: Comparison, n: int) -> Rows:
    """The rows that are looked at."""
    return _draw_rows(comparison, n, comparison.at_most)


def linked_rows(comparison: Comparison) -> Rows:
    """The rows of the people who are compared with every row, in all columns that are known."""
    return _draw_rows(comparison, comparison.n, comparison.people)


def _draw_rows(comparison: Comparison, n: int, most: int | None) -> Rows:
    if most is None or n <= most:
        return np.arange(n)
    return random_rows(comparison.streams.stream("sample"), n, most)


def share_of_links(links: Links) -> tuple[float, tuple[float, float]]:
    """The share of queries that find their own, with its interval."""
    total = len(links.chances)
    hits = float(links.chances.sum())
    return hits / total, of_share(hits, total, CONFIDENCE)


def of_1000(share: float, *, bare: bool = False) -> str:
    """A share as so many of 1,000.

    >>> of_1000(0.0124), of_1000(0.0124, bare=True), of_1000(0.0001)
    ('12 of 1,000', '12', '0.1 of 1,000')
    """
    many = 1000 * share
    number = f"{many:.0f}" if many >= 1 or many == 0 else figure(many, 1)
    return number if bare else f"{number} of 1,000"


def blind(comparison: Comparison) -> str:
    """Return what guessing without looking would give."""
    return f"a blind guess would be right for {of_1000(1 / comparison.n)}"
