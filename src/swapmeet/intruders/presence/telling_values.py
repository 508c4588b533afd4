"""Values and pairs of values that one person alone has, and that are released."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.comparison.comparison import random_rows
from swapmeet.intruders.nearest_records import sample_rows
from swapmeet.intruders.record_agreement import count_agreement, count_each, hash_cells

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.base.arrays import Hashes
    from swapmeet.comparison.comparison import Comparison

PEOPLE = 2_000
"""Pairs of values are looked at for so many random people."""
COLUMNS = 12
"""Pairs of these first columns are looked at."""


def count_telling_values(comparison: Comparison) -> dict[str, Any]:
    """Shares of people by what gives their presence away; the columns by their names."""
    names = comparison.masked_directly
    agreement = count_agreement(comparison, names, sample_rows(comparison, comparison.n))
    telling = agreement.telling
    by_column = {f"share with a value of their own, {name}": float(some.mean())
                 for name, some in zip(names, telling, strict=True) if some.any()}  # fmt: skip
    return {
        "share with a value of their own": float(telling.any(axis=0).mean()),
        **by_column,
        **_count_pairs(comparison, names[:COLUMNS]),
    }


def _count_pairs(comparison: Comparison, names: tuple[str, ...]) -> dict[str, float]:
    if len(names) < 2:
        return {}
    n = comparison.n
    people = random_rows(comparison.streams.stream("membership pairs"), n, min(n, PEOPLE))
    hashes = _hash_pairs(hash_cells(comparison.pick_rows(people).original, names))
    pairs = comparison.gather(_CountPairs(names, hashes), names)
    telling = (pairs.before == 1) & (pairs.after > 0)
    return {"share with a pair of values of their own": float(telling.any(axis=0).mean())}


@dataclass(frozen=True, repr=False, eq=False)
class _Counts:
    before: npt.NDArray[np.integer[Any]]
    after: npt.NDArray[np.integer[Any]]

    def __add__(self, other: _Counts) -> _Counts:
        return _Counts(self.before + other.before, self.after + other.after)


@dataclass(frozen=True, repr=False, eq=False)
class _CountPairs:
    """Count the rows of a piece that have the pairs of values that some people have."""

    names: tuple[str, ...]
    people: Hashes

    def __call__(self, piece: Comparison) -> _Counts:
        return _Counts(*(
            count_each(self.people, _hash_pairs(hash_cells(data, self.names)))
            for data in (piece.original, piece.released)
        ))  # fmt: skip


def _hash_pairs(cells: Hashes) -> Hashes:
    """One number for the values of each pair of columns: (pairs, rows)."""
    return np.stack([one + other for one, other in combinations(cells, 2)])
