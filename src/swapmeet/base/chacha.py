"""The blocks of a ChaCha20 key stream, any of them without those before (RFC 8439)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.parallel import ranges

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Bits

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
