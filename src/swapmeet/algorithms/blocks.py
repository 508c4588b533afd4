"""Blocks in which the rows of a table are masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.encode import Space
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.row_hash import RowHash
from swapmeet.base.seeds import Seed
from swapmeet.tables.microdata import Microdata

RADIX = 1 << 16
"""Fewer buckets than this are sorted by counting."""


class BlockAssignment(NamedTuple):
    """The blocks of some rows: row `places[i]` of them goes to block `blocks[i]`.

    Every row is masked in one block, and may be a guest in others, where it can be a donor. `reach`
    is NaN for a guest; else no row within this squared distance is missing from the block. Without
    `reach` there are no guests, and no word on distances.
    """

    places: Ints
    blocks: Ints
    reach: Floats | None = None

    @property
    def buckets(self) -> Ints:
        """Numbers that put the rows of a block side by side, its own before its guests."""
        guests = 0 if self.reach is None else np.isnan(self.reach)
        buckets: Ints = 2 * self.blocks + guests
        return buckets

    @classmethod
    def concatenate(
        cls, pieces: Iterable[BlockAssignment], firsts: Iterable[int]
    ) -> BlockAssignment:
        """Pieces as one; `firsts` has the number of the first row of each."""
        pieces = list(pieces)
        shifted = [p.places + first for p, first in zip(pieces, firsts, strict=True)]
        reaches = [p.reach for p in pieces if p.reach is not None]
        return cls(
            np.concatenate(shifted),
            np.concatenate([p.blocks for p in pieces]),
            np.concatenate(reaches) if reaches else None,
        )


class BlockRows(NamedTuple):
    """A block: its number, its own rows and behind them its guests, each in order of the table.

    `reach` has a figure for each of its own rows, or is None if there is no word on distances.
    """

    block: int
    rows: Ints
    reach: Floats | None

    @property
    def own(self) -> Ints:
        """The rows that are no guests."""
        return self.rows if self.reach is None else self.rows[: len(self.reach)]


def split_into_blocks(dealt: BlockAssignment) -> Iterator[BlockRows]:
    """Each block that has rows of its own, for all rows of a table, dealt in order."""
    buckets = dealt.buckets
    count = int(buckets.max(initial=0)) // 2 + 1
    if 2 * count <= RADIX:
        buckets = buckets.astype(np.uint16)
    order = np.argsort(buckets, kind="stable")
    bounds = np.concatenate(([0], np.cumsum(np.bincount(buckets, minlength=2 * count))))
    for block in range(count):
        begin, own, end = bounds[2 * block : 2 * block + 3].tolist()
        if own > begin:
            reach = None if dealt.reach is None else dealt.reach[order[begin:own]]
            yield BlockRows(block, dealt.places[order[begin:end]], reach)


@dataclass(frozen=True, repr=False, eq=False)
class RandomBlocks:
    """Random blocks: that of a row depends on the seed, its number and the sizes of the strata.

    Strata that fit into a block stay whole, several in one block if there is room. A larger one is
    split by a keyed hash of the row number into as few blocks as hold it, of m rows on average and
    never, but by a chance below 10^-10, of more than m + 7 sqrt(m) + 16. Part of the definition of
    every result by blocks: never change it.

    >>> from swapmeet.base.seeds import Seed
    >>> layout = RandomBlocks.of(np.array([1000]), 100, Seed.chosen_by_user(1))
    >>> layout.count
    10
    >>> rows = np.array([3, 997])
    >>> blocks = layout.blocks(rows, np.zeros(2, np.int32))
    >>> layout.blocks(rows[::-1], np.zeros(2, np.int32)).tolist() == blocks[::-1].tolist()
    True
    """

    first: Ints
    """The first block of each stratum."""
    parts: Ints
    """Into how many blocks each stratum is split."""
    hashing: RowHash

    def __repr__(self) -> str:
        return f"<RandomBlocks: {self.count}>"

    @classmethod
    def of(cls, sizes: Ints, rows_per_block: int, seed: Seed) -> RandomBlocks:
        """The layout of a table whose strata have these sizes."""
        sizes = np.asarray(sizes, np.int64)
        parts = np.maximum(-(-sizes // rows_per_block), 1)
        first = first_blocks(sizes, parts, rows_per_block)
        return cls(first, parts, RowHash.of(seed.stream("blocks")))

    @property
    def count(self) -> int:
        """Number of blocks; by chance some may be empty if they are very small."""
        return int((self.first + self.parts).max(initial=0))

    def blocks(self, rows: Ints, strata: ShortInts) -> Ints:
        """The block of each of these rows, given by number, whose strata are given too."""
        if len(self.parts) == 1:
            return self.first[0] + self.hashing.number_below(rows, self.parts[0])
        blocks = self.first[strata]
        split = np.flatnonzero(self.parts[strata] > 1)
        blocks[split] += self.hashing.number_below(rows[split], self.parts[strata[split]])
        return blocks

    def deal(
        self,
        rows: Ints,
        data: Microdata | None,  # noqa: ARG002
        strata: ShortInts,
    ) -> BlockAssignment:
        """Return the blocks of these rows; their values do not matter."""
        return BlockAssignment(np.arange(len(rows)), self.blocks(rows, strata))


def first_blocks(sizes: Ints, parts: Ints, rows_per_block: int) -> Ints:
    """The first block of each stratum: those that stay whole are packed, then come the others."""
    small = np.flatnonzero(sizes <= rows_per_block)
    packed = _packed(sizes[small], rows_per_block)
    first = np.zeros(len(parts), np.int64)
    first[small] = packed
    large = np.flatnonzero(sizes > rows_per_block)
    used = int(packed.max(initial=-1)) + 1
    first[large] = used + np.cumsum(parts[large]) - parts[large]
    return first


def _packed(sizes: Ints, room: int) -> Ints:
    """The block of each stratum: in order, as many in a block as there is room for."""
    ends = np.cumsum(sizes)
    packed = np.zeros(len(sizes), np.int64)
    begin, block = 0, 0
    while begin < len(sizes):
        before = int(ends[begin - 1]) if begin else 0
        end = int(np.searchsorted(ends, before + room, side="right"))
        packed[begin:end] = block
        begin, block = end, block + 1
    return packed


@dataclass(frozen=True)
class Grouping:
    """Disjoint groups of at least `k` rows that are near in `space`.

    Without a space the strata are the groups.
    """

    space: Space | None
    k: int
