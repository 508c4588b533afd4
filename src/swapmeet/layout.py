"""Which block each row of a table is masked in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from swapmeet.seeds import Seed

    Ints = npt.NDArray[np.int64]

RADIX = 1 << 16
"""Fewer blocks than this are sorted by counting."""


@dataclass(frozen=True, repr=False, eq=False)
class Layout:
    """The block of each row: it depends on the seed, the row's number and the sizes of the strata.

    Strata that fit into a block stay whole, several in one block if there is room. A larger one is
    split by a keyed hash of the row number into as few blocks as hold it, of m rows on average and
    never, but by a chance below 10^-10, of more than m + 7 sqrt(m) + 16. Part of the definition of
    every result by blocks: never change it.

    >>> from swapmeet.seeds import Seed
    >>> layout = Layout.of(np.array([1000]), 100, Seed.chosen_by_user(1))
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
    key: npt.NDArray[np.uint64]

    def __repr__(self) -> str:
        return f"<Layout of {self.count} blocks>"

    @classmethod
    def of(cls, sizes: Ints, rows_per_block: int, seed: Seed) -> Layout:
        """The layout of a table whose strata have these sizes."""
        sizes = np.asarray(sizes, np.int64)
        parts = -(-sizes // rows_per_block)
        small = np.flatnonzero(parts <= 1)
        packed = _packed(sizes[small], rows_per_block)
        first = np.zeros(len(parts), np.int64)
        first[small] = packed
        large = np.flatnonzero(parts > 1)
        used = int(packed.max(initial=-1)) + 1
        first[large] = used + np.cumsum(parts[large]) - parts[large]
        words = seed.stream("blocks").bit_generator.random_raw(2)
        return cls(first, np.maximum(parts, 1), words)

    @property
    def count(self) -> int:
        """Number of blocks; by chance some may be empty if they are very small."""
        return int((self.first + self.parts).max(initial=0))

    def blocks(self, rows: Ints, strata: npt.NDArray[np.int32]) -> Ints:
        """The block of each of these rows, given by number, whose strata are given too."""
        if len(self.parts) == 1:
            return self.first[0] + _among(self._hashes(rows), self.parts[0])
        found = self.first[strata]
        split = np.flatnonzero(self.parts[strata] > 1)
        found[split] += _among(self._hashes(rows[split]), self.parts[strata[split]])
        return found

    def members(self, strata: npt.NDArray[np.int32]) -> Iterator[tuple[int, Ints]]:
        """Number and rows, in order, of each block that has some, for all rows of the table."""
        found = self.blocks(np.arange(len(strata)), strata)
        if self.count <= RADIX:
            found = found.astype(np.uint16)
        order = np.argsort(found, kind="stable")
        bounds = np.concatenate(([0], np.cumsum(np.bincount(found, minlength=self.count))))
        for block in range(self.count):
            rows = order[bounds[block] : bounds[block + 1]]
            if len(rows):
                yield block, rows

    def _hashes(self, rows: Ints) -> npt.NDArray[np.uint64]:
        """64 bits of each row number that tell nothing to whoever lacks the key."""
        mixed = _mixed(rows.astype(np.uint64) + self.key[0])
        return _mixed(mixed ^ self.key[1])


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


def _mixed(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The scrambling of splitmix64: each bit depends on all."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _among(hashes: npt.NDArray[np.uint64], parts: Ints | np.int64) -> Ints:
    """A number below `parts`, each with the same probability."""
    upper = hashes >> np.uint64(32)
    return ((upper * np.asarray(parts).astype(np.uint64)) >> np.uint64(32)).astype(np.int64)
