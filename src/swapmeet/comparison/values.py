"""Operations on values for callers that take comparisons piece by piece."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from swapmeet.base.arrays import Bits, Flags, Floats, Ints
    from swapmeet.tables.microdata import Microdata

FACTOR = np.uint64(0x9E3779B97F4A7C15)
SALT = np.uint64(0xD1B54A32D192ED03)
SHIFT = np.uint64(32)


def buckets_of(columns: Sequence[npt.NDArray[Any]], rows: int, count: int) -> Ints:
    """The bucket of each row, below `count`: rows with the same codes and numbers meet in one.

    >>> buckets = buckets_of([np.array([0.0, -0.0, np.nan, -np.nan, 1.0])], 5, 1000)
    >>> buckets[0] == buckets[1] != buckets[2] == buckets[3] != buckets[4]
    np.True_
    """
    mixed = np.zeros(rows, np.uint64)
    for values in columns:
        mixed ^= _bits(values)
        mixed *= FACTOR
        mixed ^= mixed >> SHIFT
        mixed *= FACTOR
        mixed ^= mixed >> SHIFT
    return (mixed % np.uint64(count)).astype(np.int64)


def hash_values(values: npt.NDArray[Any], place: int) -> Bits:
    """A number of 64 bits for each value of the column at a place: the same for the same value.

    >>> hashes = hash_values(np.array([0.0, -0.0, np.nan, np.nan, 1.0]), 0)
    >>> hashes[0] == hashes[1] != hashes[2] == hashes[3] != hashes[4]
    np.True_
    """
    mixed = _bits(values) + np.array([place + 1], np.uint64) * SALT
    for factor in (FACTOR, SALT, FACTOR):
        mixed ^= mixed >> SHIFT
        mixed *= factor
    return mixed ^ (mixed >> SHIFT)


def _bits(values: npt.NDArray[Any]) -> Bits:
    """The same for the same value: one zero, and one NaN."""
    if values.dtype.kind != "f":
        return values.astype(np.int64).view(np.uint64)
    return np.where(np.isnan(values), np.nan, values + 0.0).view(np.uint64)


def same_values(one: Microdata, other: Microdata, names: Sequence[str]) -> Flags:
    """Rows that have the same values in both tables; a missing value is a value."""
    same = np.ones(one.n, bool)
    for name in names:
        first, second = one[name], other[name]
        same &= (first.values == second.values) | (first.missing & second.missing)
    return same


def present_in(ordered: Floats) -> Floats:
    """Sorted values without NaN, which comes last."""
    return ordered[: len(ordered) - np.count_nonzero(np.isnan(ordered))]


def shares_below(values: Floats, ordered: Floats) -> Floats:
    """The share of the ordered values below each value, and of half of those equal to it.

    >>> shares_below(np.array([3.0, np.nan, 1.0]), np.array([1.0, 1.0, 2.0, 3.0])).tolist()
    [0.875, nan, 0.25]
    """
    order = np.argsort(values)
    wanted = values[order]
    below, up_to = (np.searchsorted(ordered, wanted, side) for side in ("left", "right"))
    shares = np.empty(len(values))
    shares[order] = (below + up_to) / 2.0 / max(len(ordered), 1)
    shares[np.isnan(values)] = np.nan
    return shares


def alone(data: Microdata) -> Microdata:
    """As a table of its own, of whose columns nothing is known but what is here."""
    return replace(data, variables=tuple(replace(v, whole=None) for v in data.variables))
