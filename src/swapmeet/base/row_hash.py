"""A keyed hash of row numbers, by blocks of a ChaCha20 key stream (RFC 8439)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.parallel import ranges

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Bits, Flags, Ints

    Words = npt.NDArray[np.uint32]

CONSTANT = np.frombuffer(b"expand 32-byte k", "<u4").astype(np.uint32)
DOUBLE_ROUNDS = 10
WORDS = 16
BLOCKS_AT_ONCE = 2048
"""So many that a block's words stay in the cache between two steps."""
_COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
_DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def make_blocks(key: Words, counters: Bits, nonce: tuple[int, int] = (0, 0)) -> Words:
    """The 16 words of the block at each counter, for a key of 8 words; one row per counter.

    The counter has 64 bits and the nonce as many, as its inventor defined it.
    """
    blocks = np.empty((len(counters), WORDS), np.uint32)
    for begin, end in ranges(len(counters), BLOCKS_AT_ONCE):
        blocks[begin:end] = _make_some(key, counters[begin:end], nonce).T
    return blocks


def _make_some(key: Words, counters: Bits, nonce: tuple[int, int]) -> Words:
    start = np.empty((WORDS, len(counters)), np.uint32)
    start[0:4] = CONSTANT[:, np.newaxis]
    start[4:12] = key[:, np.newaxis]
    start[12] = counters & np.uint64(0xFFFFFFFF)
    start[13] = counters >> np.uint64(32)
    start[14:16] = np.array(nonce, np.uint32)[:, np.newaxis]
    state, spare = start.copy(), np.empty(len(counters), np.uint32)
    for _ in range(DOUBLE_ROUNDS):
        for a, b, c, d in (*_COLUMNS, *_DIAGONALS):
            _mix(state[a], state[b], state[d], 16, spare)
            _mix(state[c], state[d], state[b], 12, spare)
            _mix(state[a], state[b], state[d], 8, spare)
            _mix(state[c], state[d], state[b], 7, spare)
    return state + start


def _mix(total: Words, addend: Words, turned: Words, bits: int, spare: Words) -> None:
    """A quarter of ChaCha's quarter round, in place: add, exclusive or, turn to the left."""
    np.add(total, addend, out=total)
    np.bitwise_xor(turned, total, out=turned)
    np.right_shift(turned, np.uint32(32 - bits), out=spare)
    np.left_shift(turned, np.uint32(bits), out=turned)
    np.bitwise_or(turned, spare, out=turned)


PER_BLOCK = 8
"""Rows that share a block of the cipher. Part of the definition of every result by blocks."""


@dataclass(frozen=True, repr=False, eq=False)
class RowHash:
    """64 bits of each row number: those at its place in a ChaCha20 key stream of 256 secret bits.

    So anyone who learns the bits of some rows, say because they see who traded with whom, learns
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
        """64 bits of each row number that tell nothing to anyone who lacks the key."""
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
