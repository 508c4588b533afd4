"""The mark by which a journal recognizes its table, and which reveals nothing to others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from swapmeet.base.secret import load_own_key

if TYPE_CHECKING:
    from swapmeet.tables.microdata import Microdata

BYTES = 16
UNSURE = (
    "the journal was written by somebody else, on another machine or by an older version, so only "
    "rows and columns tell that it is about this table."
)
"""What is said where marks of two keys meet."""


@dataclass(frozen=True)
class DataMark:
    """A hash of all that methods and measures see of a table, by a key of the user's own.

    Without the key, whoever knows all cells but one could try the values of that one until the
    hash fits. `key` says which key it was, and not the key; marks of two keys cannot be compared.
    Older journals have a hash without a key.
    """

    key: str
    digest: str

    @classmethod
    def of(cls, data: Microdata) -> Self:
        """The mark of a table."""
        secret = load_own_key()
        digest = hashlib.blake2b(key=secret, digest_size=BYTES, person=b"table")
        for variable in data.variables:
            digest.update(f"{len(variable.name)}:{variable.name}".encode("utf-8", "surrogatepass"))
            digest.update(np.ascontiguousarray(variable.values).tobytes())
        digest.update(np.ascontiguousarray(data.strata).tobytes())
        return cls(_name_key(secret), digest.hexdigest())

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` wrote."""
        key, _, digest = text.rpartition(":")
        return cls(key, digest)

    def __str__(self) -> str:
        return f"{self.key}:{self.digest}" if self.key else self.digest

    def is_comparable(self, other: DataMark) -> bool:
        """Return whether both were made with the same key."""
        return self.key == other.key


def _name_key(secret: bytes) -> str:
    return hashlib.blake2b(key=secret, digest_size=8, person=b"name").hexdigest()
