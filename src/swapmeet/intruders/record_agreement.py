"""Rows that agree with a person in all columns, all but one, or each; and copies of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags, Floats, Hashes, Ints, Labels, Rows
from swapmeet.base.parallel import ranges
from swapmeet.base.sentences import agree
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE
from swapmeet.comparison.sums import Sums
from swapmeet.comparison.values import hash_values, same_values
from swapmeet.intruders.nearest_records import sample_rows
from swapmeet.release.donors import MADE
from swapmeet.tables.microdata import Microdata

SmallCounts = npt.NDArray[np.integer[Any]]

AT_ONCE = 2_000
"""People of whom it is computed at once what chance would give."""


@dataclass(frozen=True, repr=False, eq=False)
class RecordAgreement(Sums):
    """Numbers of original and of released rows that agree with some people.

    `before` and `after` are (1 + columns, people): in all columns first, then in all but each one.
    `shared` and `values` are (columns, people): how many original rows have a person's value of a
    column, and how many released ones.
    """

    before: SmallCounts
    after: SmallCounts
    shared: SmallCounts
    values: SmallCounts

    @property
    def unique(self) -> Flags:
        """People with whom no other original row agrees in all columns."""
        return self.before[0] == 1

    @property
    def nearly(self) -> Flags:
        """People whose values in all columns but one are theirs alone, and released together.

        What two columns or fewer hold is no record that could nearly be anywhere.
        """
        if len(self.values) < 3:
            return np.zeros(self.before.shape[1], bool)
        return np.asarray(((self.before[1:] == 1) & (self.after[1:] > 0)).any(axis=0))

    @property
    def telling(self) -> Flags:
        """Values that one original row alone has, and that are released: (columns, people)."""
        return (self.shared == 1) & (self.values > 0)

    def expect_rows(self, n: int) -> Floats:
        """Expect how many of `n` released rows agree with each person if columns are shuffled."""
        return self._each_person(lambda values: n * np.prod(values / n, axis=0))

    def expect_any(self, n: int) -> Floats:
        """The chance that some released row would, were all columns shuffled.

        Each row with the rarest of a person's values has the others with the chance that these
        have in their columns.
        """

        def expect(values: SmallCounts) -> Floats:
            others = np.sort(values / n, axis=0)[1:].prod(axis=0)
            return np.asarray(1.0 - (1.0 - others) ** values.min(axis=0))

        return self._each_person(expect)

    def _each_person(self, expect: Callable[[SmallCounts], Floats]) -> Floats:
        """Expect the links of each person, found for some people at a time."""
        blocks = ranges(self.values.shape[1], AT_ONCE)
        return np.concatenate([[], *(expect(self.values[:, b:e]) for b, e in blocks)])


def count_agreement(
    comparison: Comparison, names: tuple[str, ...], people: Rows
) -> RecordAgreement:
    """For some original rows, the rows of both tables that agree with them in these columns."""
    counted = np.promote_types(np.uint32, np.min_scalar_type(comparison.n))
    look = _Count(names, hash_cells(comparison.pick_rows(people).original, names), counted)
    return comparison.gather(look, names)


@dataclass(frozen=True, repr=False, eq=False)
class _Count:
    """SmallCounts rows that agree with people, of whom the hashes of the cells are known.

    Rows are hashed column by column, so that the hashes of a wide table are never there at once.
    """

    names: tuple[str, ...]
    people: Hashes
    counted: np.dtype[Any]

    def __call__(self, piece: Comparison) -> RecordAgreement:
        before, shared = self._count_in(piece.original)
        after, values = self._count_in(piece.released)
        return RecordAgreement(before, after, shared, values)

    def _count_in(self, data: Microdata) -> tuple[SmallCounts, SmallCounts]:
        """Rows that agree in all columns and in all but each one, and in each."""
        people, columns = self.people.shape[1], len(self.names)
        records = np.empty((1 + columns, people), self.counted)
        cells = np.empty((columns, people), self.counted)
        wanted, whole = self.people.sum(axis=0, dtype=np.uint64), self._hash_rows(data)
        records[0] = _count(wanted, whole)
        for at, name in enumerate(self.names):
            own, others = self.people[at], hash_values(data[name].values, at)
            records[1 + at] = _count(wanted - own, whole - others)
            cells[at] = _count(own, others)
        return records, cells

    def _hash_rows(self, data: Microdata) -> Hashes:
        """For each row one number for all its cells."""
        whole = np.zeros(data.n, np.uint64)
        for at, name in enumerate(self.names):
            whole += hash_values(data[name].values, at)
        return whole


def hash_cells(data: Microdata, names: tuple[str, ...]) -> Hashes:
    """A number of 64 bits for each cell: (columns, rows)."""
    hashes = np.empty((len(names), data.n), np.uint64)
    for place, name in enumerate(names):
        hashes[place] = hash_values(data[name].values, place)
    return hashes


def count_each(wanted: Hashes, among: Hashes) -> SmallCounts:
    """Count how often each wanted number is in the same line of the other table."""
    pairs = zip(wanted, among, strict=True)
    return np.stack([_count(numbers, others) for numbers, others in pairs])


def _count(wanted: Hashes, among: Hashes) -> SmallCounts:
    numbers, back = np.unique(wanted, return_inverse=True)
    places = np.minimum(np.searchsorted(numbers, among), len(numbers) - 1)
    met = places[numbers[places] == among]
    return np.bincount(met, minlength=len(numbers))[back]


Names = tuple[str, ...]

MOST_BLOCKS = 3
"""Of the columns that moved as one, the largest sets are looked at."""


def list_column_sets(comparison: Comparison, names: Names) -> list[Names]:
    """All the columns, those that stayed as they were, and sets of columns that moved as one."""
    blocks = sorted(_list_blocks(comparison, names), key=len, reverse=True)[:MOST_BLOCKS]
    return list(dict.fromkeys([names, *blocks]))


def _list_blocks(comparison: Comparison, names: Names) -> Iterator[Names]:
    origin = comparison.provenance
    if origin is None or not origin.columns:
        unchanged = list_unchanged(comparison, names)
        yield from [unchanged] if unchanged else []
        return
    yield from origin.list_blocks(names)


def list_unchanged(comparison: Comparison, names: Names) -> Names:
    """The columns that are the same in every row; none where nobody knows whose rows they are."""
    if not comparison.owners_known:
        return ()
    changed = comparison.gather(partial(_count_changed, names), names)
    return tuple(name for name, count in zip(names, changed, strict=True) if not count)


def _count_changed(names: Names, piece: Comparison) -> Ints:
    """Number of cells of each column that differ from those of the person whose row it is."""
    same = (same_values(piece.original, piece.released, (name,)) for name in names)
    return np.array([np.count_nonzero(~flags) for flags in same])


def frequencies(labels: Labels, among: Labels) -> Labels:
    """Count how often each label occurs `among` others."""
    count = int(max(labels.max(initial=-1), among.max(initial=-1))) + 1
    return np.bincount(among, minlength=count)[labels]


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
