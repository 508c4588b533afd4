"""Released rows that are a person's whole record, made of that person's own data or not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from swapmeet.base.arrays import Flags, Hashes, Rows
from swapmeet.base.sentences import agree
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE
from swapmeet.comparison.sums import Sums
from swapmeet.intruders.nearest_records import sample_rows
from swapmeet.intruders.record_agreement import hash_cells
from swapmeet.release.donors import MADE
from swapmeet.tables.microdata import Microdata

Names = tuple[str, ...]


@dataclass(frozen=True, repr=False, eq=False)
class OwnCopies:
    """Of some released rows, how many are the record of a unique person, made of their own data.

    `rows` were looked at, of `n`. A copy is a person's own if the row is in their place, no matter
    who gave them their values back, or if most of its cells came from them, or most of those that
    moved: where the others stayed, two people who have these in common have changed places. Cells
    that were made may be anybody's, and count as theirs. Of a synthetic row, which was drawn cell
    by cell to fit the cells before, a single cell of theirs is enough.
    """

    own: int
    rows: int
    n: int

    @classmethod
    def among(cls, comparison: Comparison, names: Names) -> OwnCopies | None:
        """Find donors by the donor map; None where the owners of these columns are unknown."""
        origin = comparison.provenance
        if origin is None or not set(names) <= set(origin.columns):
            return None
        looked = sample_rows(comparison, comparison.n)
        return cls(len(_find_own(comparison, names, looked).rows), len(looked), comparison.n)

    @property
    def share(self) -> float:
        """The share of released rows that are somebody's record and their own data."""
        return self.own / self.rows

    @property
    def at_most(self) -> float:
        """The same, as it was counted; where only some rows were looked at, what it may be."""
        return self.share if self.rows == self.n else of_share(self.own, self.rows, CONFIDENCE)[1]

    def describe(self) -> dict[str, float]:
        """The shares by name."""
        name = "share of rows that are the person's own data"
        if self.rows == self.n:
            return {name: self.share}
        return {name: self.share, f"{name}, at most": self.at_most}

    def tell(self, copies: int) -> str:
        """Say how many of the `copies` in all rows are the person's own, as a clause."""
        together = "came together from several people"
        if self.rows < self.n:
            count, most = (f"{min(round(share * self.n), copies):,}" for share in
                           (self.share, self.at_most))  # fmt: skip
            return (
                f"as {self.rows:,} random rows show, about {count} of them, and at most {most}, "
                f"are the person's own data, and the others {together}"
            )
        if self.own == copies:
            return f"{agree(copies, 'it is', 'all of them are')} the person's own data"
        if self.own == 0:
            none, which = agree(copies, "it is not", "none of them is"), agree(copies, "it", "they")
            return f"{none} the person's own data; {which} {together}"
        verb = agree(self.own, "is", "are")
        return f"{self.own:,} of them {verb} the person's own data, and the others {together}"


@dataclass(frozen=True, repr=False, eq=False)
class CopiedRows:
    """Released rows, and for each the person whose record it is."""

    rows: Rows
    people: Rows

    @classmethod
    def none(cls) -> CopiedRows:
        """No rows at all."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64))


def find_own_copies(comparison: Comparison, names: Names) -> CopiedRows:
    """All released rows that are the record of a unique person and made of their own data."""
    origin = comparison.provenance
    if origin is None or not set(names) <= set(origin.columns):
        return CopiedRows.none()
    return _find_own(comparison, names, np.arange(comparison.n))


def _find_own(comparison: Comparison, names: Names, looked: Rows) -> CopiedRows:
    copies = _find_copies(comparison, names, looked)
    own = _are_own(comparison, names, copies) if len(copies.rows) else np.zeros(0, bool)
    return CopiedRows(copies.rows[own], copies.people[own])


def _find_copies(comparison: Comparison, names: Names, looked: Rows) -> CopiedRows:
    """Flag the released rows that are the record of one original row alone."""
    records, back = np.unique(
        _hash_records(comparison.pick_rows(looked).released, names), return_inverse=True
    )
    holders = comparison.gather(partial(_find_holders, names, records), names)
    copied = holders.counts[back] == 1
    return CopiedRows(looked[copied], holders.sums[back][copied])


def _hash_records(data: Microdata, names: Names) -> Hashes:
    return np.asarray(hash_cells(data, names).sum(axis=0, dtype=np.uint64))


@dataclass(frozen=True, repr=False, eq=False)
class _Holders(Sums):
    """Count the original rows that have each record, and sum their numbers: of one, its own."""

    counts: Rows
    sums: Rows


def _find_holders(names: Names, records: Hashes, piece: Comparison) -> _Holders:
    """Find the original rows of a piece that have some records, which are sorted."""
    hashes = _hash_records(piece.original, names)
    places = np.minimum(np.searchsorted(records, hashes), len(records) - 1)
    met = np.flatnonzero(records[places] == hashes)
    counts = np.bincount(places[met], minlength=len(records))
    sums = np.zeros(len(records), np.int64)
    np.add.at(sums, places[met], met + piece.first)
    return _Holders(counts, sums)


def _are_own(comparison: Comparison, names: Names, copies: CopiedRows) -> Flags:
    """Return whether each copy is made of the data of the person whose record it is."""
    at_hand = np.unique(np.concatenate([copies.rows, copies.people]))
    origin = comparison.sample_provenance(at_hand)
    assert origin is not None
    rows, people = (np.searchsorted(at_hand, some) for some in (copies.rows, copies.people))
    donors = origin.donors[rows][:, [origin.columns.index(name) for name in names]]
    theirs = (donors == people[:, np.newaxis]) | (donors == MADE)
    if _is_synthetic(comparison):
        return np.asarray((origin.place[rows] == people) | theirs.any(axis=1))
    place = origin.place[rows]
    in_place = (place == people) | (copies.rows == copies.people)
    moved = donors != place[:, np.newaxis]
    return in_place | _are_most(theirs, np.ones_like(theirs)) | _are_most(theirs, moved)


def _is_synthetic(comparison: Comparison) -> bool:
    """Return whether cells were drawn for nobody in particular; so is taken what is not known."""
    origin = comparison.provenance
    assert origin is not None
    return not origin.owned or bool(getattr(origin.method, "is_synthetic", True))


def _are_most(theirs: Flags, among: Flags) -> Flags:
    """For each row, whether more than half of some cells are theirs."""
    return np.asarray(2 * (theirs & among).sum(axis=1) > among.sum(axis=1))
