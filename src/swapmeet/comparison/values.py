"""Values as codes that people and released rows share, and piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Bits, Flags, Floats, Ints
from swapmeet.base.quantiles import places_in
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


MANY = 2_000
"""Of more values than this, each is rare: rows that have it are listed rather than looked up."""


@dataclass(frozen=True, repr=False, eq=False)
class SharedCodes:
    """The code of each person's value, and of each released one; `count` codes in all."""

    people: Ints
    rows: Ints
    count: int

    def __repr__(self) -> str:
        return f"<SharedCodes of {self.count} values>"

    @property
    def are_many(self) -> bool:
        """Return whether going from a value to its rows is faster than the other way round."""
        return self.count > MANY

    @cached_property
    def chances(self) -> Floats:
        """The share of released rows that hold each value."""
        return np.bincount(self.rows, minlength=self.count) / max(len(self.rows), 1)

    @cached_property
    def chances_of_rows(self) -> Floats:
        """For each row, the logarithm of the share of rows that hold its value."""
        return np.log(self.chances[self.rows])

    def find_people(self, code: int) -> Ints:
        """Everybody who has this value."""
        order, starts = self.people_in_order
        return order[starts[code] : starts[code + 1]]

    def spread_over_rows(self, by_code: Floats, lines: Ints, codes: Ints, values: Floats) -> Floats:
        """One line of all rows for each of some people: `by_code`, but `values` for some codes.

        `lines` and `codes` tell where each of the `values` belongs.
        """
        count = int(lines.max(initial=-1)) + 1
        if not self.are_many:
            table = np.tile(by_code, (count, 1))
            table[lines, codes] = values
            return np.take(table, self.rows, axis=1)
        order, starts = self._rows_in_order
        spread = np.tile(by_code[self.rows], (count, 1))
        lengths = starts[codes + 1] - starts[codes]
        places = places_in(starts[codes], starts[codes + 1])
        spread[np.repeat(lines, lengths), order[places]] = np.repeat(values, lengths)
        return spread

    @cached_property
    def people_in_order(self) -> tuple[Ints, Ints]:
        """Everybody in the order of their codes, and where each code begins."""
        return _order(self.people, self.count)

    @cached_property
    def _rows_in_order(self) -> tuple[Ints, Ints]:
        return _order(self.rows, self.count)


def code_both(people: Iterable[npt.NDArray[Any]], rows: Iterable[npt.NDArray[Any]]) -> SharedCodes:
    """Codes of the combinations of values in some columns; a missing value is a value.

    >>> codes = code_both([np.array([5.0, 7.0, np.nan])], [np.array([7.0, np.nan, 5.0])])
    >>> codes.people.tolist(), codes.rows.tolist()
    ([0, 1, 2], [1, 2, 0])
    """
    pairs = list(zip(people, rows, strict=True))
    n = len(pairs[0][0])
    labels = np.zeros(n + len(pairs[0][1]), np.int64)
    for one, other in pairs:
        codes = np.unique(np.concatenate([one, other]), return_inverse=True)[1]
        labels = labels * (int(codes.max(initial=0)) + 1) + codes
        labels = np.unique(labels, return_inverse=True)[1]
    return SharedCodes(labels[:n], labels[n:], int(labels.max(initial=-1)) + 1)


def add_up_shares(
    lines: Ints, codes: Ints, shares: Floats, count: int
) -> tuple[Ints, Ints, Floats]:
    """Shares of the same line and code added up: the lines, the codes, and the sums.

    >>> add_up_shares(np.array([0, 0, 1]), np.array([4, 4, 0]), np.full(3, 0.5), 5)[2].tolist()
    [1.0, 0.5]
    """
    cells, which = np.unique(lines * count + codes, return_inverse=True)
    sums = np.bincount(which, weights=shares, minlength=len(cells))
    return cells // count, cells % count, np.asarray(sums, np.float64)


def _order(codes: Ints, count: int) -> tuple[Ints, Ints]:
    order = np.argsort(codes, kind="stable")
    return order, np.searchsorted(codes[order], np.arange(count + 1))
