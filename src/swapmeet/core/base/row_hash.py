"""A keyed hash of row numbers: random to whoever lacks the key, the same wherever it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Bits = npt.NDArray[np.uint64]


@dataclass(frozen=True, repr=False, eq=False)
class RowHash:
    """64 bits of each row number. Part of the definition of every result by blocks: never change.

    >>> hashing = RowHash.of(np.random.default_rng(1))
    >>> rows = np.arange(1000)
    >>> np.bincount(hashing.number_below(rows, 2)).sum()
    np.int64(1000)
    """

    key: Bits

    def __repr__(self) -> str:
        return "<RowHash>"

    @classmethod
    def of(cls, stream: np.random.Generator) -> RowHash:
        """A hash whose key is drawn from the stream."""
        return cls(stream.bit_generator.random_raw(2))

    def bits(self, rows: Ints) -> Bits:
        """64 bits of each row number that tell nothing to whoever lacks the key."""
        mixed = mix_bits(rows.astype(np.uint64) + self.key[0])
        return mix_bits(mixed ^ self.key[1])

    def number_below(self, rows: Ints, parts: Ints | np.int64 | int) -> Ints:
        """A number below `parts` for each row, each with the same probability."""
        upper = self.bits(rows) >> np.uint64(32)
        return ((upper * np.asarray(parts).astype(np.uint64)) >> np.uint64(32)).astype(np.int64)

    def in_sample(self, rows: Ints, share: float) -> npt.NDArray[np.bool_]:
        """Which of the rows are in a random sample of this share of all."""
        return self.bits(rows) < np.uint64(min(int(share * 2.0**64), 2**64 - 1))


def mix_bits(bits: Bits) -> Bits:
    """The scrambling of splitmix64: each bit depends on all."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
