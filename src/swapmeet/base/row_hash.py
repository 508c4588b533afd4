"""A keyed hash of row numbers, by blocks of a ChaCha20 key stream (RFC 8439)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.chacha import make_blocks

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Bits, Flags, Ints

    Words = npt.NDArray[np.uint32]

PER_BLOCK = 8
"""Rows that share a block of the cipher. Part of the definition of every result by blocks."""


@dataclass(frozen=True, repr=False, eq=False)
class RowHash:
    """64 bits of each row number: those at its place in a ChaCha20 key stream of 256 secret bits.

    So whoever learns the bits of some rows, say because they see who traded with whom, learns
    nothing about those of others. Part of the definition of every result by blocks: never change.

    >>> hashing = RowHash.of(np.random.default_rng(1))
    >>> rows = np.arange(1000)
    >>> np.bincount(hashing.number_below(rows, 2)).sum()
    np.int64(1000)
    """

    key: Words

    def __repr__(self) -> str:
        return "<RowHash>"

    @classmethod
    def of(cls, stream: np.random.Generator) -> RowHash:
        """A hash whose key is drawn from the stream."""
        raw = stream.bit_generator.random_raw(4).astype("<u8")
        return cls(raw.view("<u4").astype(np.uint32))

    def bits(self, rows: Ints) -> Bits:
        """64 bits of each row number that tell nothing to whoever lacks the key."""
        if not len(rows):
            return np.empty(0, np.uint64)
        blocks, word = np.divmod(rows.astype(np.uint64), np.uint64(PER_BLOCK))
        first, last = blocks.min(), blocks.max()
        if last - first < len(rows):
            whole = self._words(np.arange(first, last + np.uint64(1), dtype=np.uint64))
            return whole[blocks - first, word]
        return self._words(blocks)[np.arange(len(rows)), word]

    def _words(self, blocks: Bits) -> Bits:
        pairs = make_blocks(self.key, blocks).astype(np.uint64)
        return pairs[:, 0::2] | (pairs[:, 1::2] << np.uint64(32))

    def number_below(self, rows: Ints, parts: Ints | np.int64 | int) -> Ints:
        """A number below `parts` for each row, each with the same probability."""
        upper = self.bits(rows) >> np.uint64(32)
        return ((upper * np.asarray(parts).astype(np.uint64)) >> np.uint64(32)).astype(np.int64)

    def in_sample(self, rows: Ints, share: float) -> Flags:
        """Flag the rows that are in a random sample of this share of all."""
        return self.bits(rows) < np.uint64(min(int(share * 2.0**64), 2**64 - 1))
