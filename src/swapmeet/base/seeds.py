"""The seed of a run, and one stream of random numbers per label.

With the seed, anyone can undo a swap. So a seed is 256 bits from the operating system unless the
user gives one, its streams are those of a cipher (ChaCha20), and it never shows in a `repr`.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.errors import ParameterError

BITS = 256
ROWS_PER_STREAM = 1 << 16
"""Rows that share one stream. Part of the definition of every result: never change it."""


@dataclass(frozen=True, eq=False)
class Seed:
    """The root of all randomness of a run; `chosen` by the user, or drawn from the system.

    >>> one, two = Seed.chosen_by_user(7), Seed.chosen_by_user(7)
    >>> bool(one.stream("rwn", "age").random() == two.stream("rwn", "age").random())
    True
    >>> one
    <Seed, chosen by the user>
    """

    key: bytes = field(repr=False)
    chosen: bool = False

    def __repr__(self) -> str:
        return f"<Seed, {'chosen by the user' if self.chosen else 'from the operating system'}>"

    @classmethod
    def fresh(cls) -> Self:
        """256 bits from the operating system."""
        return cls(secrets.token_bytes(BITS // 8))

    @classmethod
    def chosen_by_user(cls, number: int | np.integer[Any]) -> Self:
        """A seed for tests and studies: its release can be reproduced and must not be published."""
        whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not whole or not 0 <= int(number) < 1 << BITS:
            raise ParameterError(f"`seed` must be a whole number from 0 to 2**{BITS} - 1.")
        return cls(int(number).to_bytes(BITS // 8, "little"), chosen=True)

    def derive(self, *label: str | int) -> Seed:
        """The seed of one of many runs; anyone who knows it does not know this one."""
        return Seed(self._key_of("seed", *label), self.chosen)

    def stream(self, *label: str | int) -> np.random.Generator:
        """The stream of this label; labels, not the order of work, tell streams apart."""
        from randomgen import ChaCha

        key = int.from_bytes(self._key_of(*label), "little")
        return np.random.Generator(ChaCha(key=key, rounds=20))

    def _key_of(self, *label: str | int) -> bytes:
        parts = b"".join(_framed(part) for part in label)
        return hashlib.blake2b(parts, key=self.key, digest_size=BITS // 8).digest()

    def within(self, *label: str | int) -> Streams:
        """The streams below a label."""
        return Streams(self, label)


@dataclass(frozen=True, eq=False)
class Streams:
    """The streams of one piece of a run."""

    seed: Seed
    label: tuple[str | int, ...]

    def within(self, *label: str | int) -> Streams:
        """The streams below a further label."""
        return Streams(self.seed, (*self.label, *label))

    def stream(self, *label: str | int) -> np.random.Generator:
        """The stream of a label in this piece."""
        return self.seed.stream(*self.label, *label)

    def normal(self, n: int, *label: str | int) -> Floats:
        """`n` standard normal numbers, one stream for each block of rows."""
        numbers = np.empty(n)
        for block, begin in enumerate(range(0, n, ROWS_PER_STREAM)):
            rows = numbers[begin : begin + ROWS_PER_STREAM]
            self.stream(*label, block).standard_normal(out=rows)
        return numbers

    def random_bits(self, n: int, *label: str | int) -> Ints:
        """`n` times 63 random bits, one stream for each block of rows."""
        words = np.empty(n, np.int64)
        for block, begin in enumerate(range(0, n, ROWS_PER_STREAM)):
            rows = words[begin : begin + ROWS_PER_STREAM]
            raw = self.stream(*label, block).bit_generator.random_raw(len(rows))
            rows[:] = (raw >> np.uint64(1)).view(np.int64)
        return words


def _framed(part: str | int) -> bytes:
    """A label's bytes, so that no two lists of labels have the same."""
    content = f"{type(part).__name__}:{part}".encode("utf-8", "surrogatepass")
    return len(content).to_bytes(4, "little") + content
