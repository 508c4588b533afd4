"""The stratum of each row, while a table comes piece by piece."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.base.arrays import Ints, ShortInts


class Combinations:
    """Counts of rows that have each combination of codes, as far as seen."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.counts: Counter[tuple[int, ...]] = Counter()

    def __repr__(self) -> str:
        return f"<Combinations: {len(self.counts)}>"

    def add(self, codes: Sequence[ShortInts], rows: int) -> None:
        """Count some rows, given by the codes of each column."""
        combined = np.zeros(rows, np.int64)
        for column in codes:
            combined = combined * (int(column.max(initial=0)) + 2) + column + 1
            combined = np.unique(combined, return_inverse=True)[1]
        first, counts = np.unique(combined, return_index=True, return_counts=True)[1:]
        found = zip(*(column[first].tolist() for column in codes), strict=True)
        keys = list(found) if codes else [()]
        self.counts.update(dict(zip(keys, counts.tolist(), strict=True)))


@dataclass(frozen=True, repr=False, eq=False)
class Strata:
    """The size of each stratum, numbered as `Microdata` numbers those of a whole table.

    >>> seen = Combinations(2)
    >>> seen.add([np.array([0, 1, 0], np.int32), np.array([1, -1, 0], np.int32)], 3)
    >>> strata = Strata.of(seen)
    >>> strata.numbers([np.array([1, 0], np.int32), np.array([-1, 1], np.int32)], 2).tolist()
    [2, 1]
    """

    sizes: Ints
    known: tuple[Ints, ...]
    radices: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<Strata: {len(self.sizes)}>"

    @classmethod
    def of(cls, seen: Combinations) -> Self:
        """Count those of all rows."""
        ordered = sorted(seen.counts)
        sizes = np.array([seen.counts[key] for key in ordered], np.int64)
        keys = np.array(ordered, np.int64).reshape(len(ordered), seen.columns)
        radices = tuple(int(column.max(initial=0)) + 2 for column in keys.T)
        known, combined = [], np.zeros(len(keys), np.int64)
        for column, radix in zip(keys.T, radices, strict=True):
            found, combined = np.unique(combined * radix + column + 1, return_inverse=True)
            known.append(found)
        return cls(sizes, tuple(known), radices)

    def numbers(self, codes: Sequence[ShortInts], rows: int) -> ShortInts:
        """The stratum of each of some rows."""
        combined = np.zeros(rows, np.int64)
        for column, known, radix in zip(codes, self.known, self.radices, strict=True):
            combined = np.searchsorted(known, combined * radix + column + 1)
        return combined.astype(np.int32)
