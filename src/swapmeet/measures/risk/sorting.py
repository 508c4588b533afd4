"""Both files sorted by a column, and rows in the same place taken for the same person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from swapmeet.base.arrays import Rows
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind

FEWER_RIVALS = "; it has fewer similar people than the whole file, where the risk is lower"
"""Say what a sample of the rows does to risks of sorting."""


@dataclass(frozen=True, repr=False, eq=False)
class Pairing:
    """Both files in the order of `column`: rows in the same place are taken for the same person."""

    column: str
    original: Rows
    released: Rows

    def __repr__(self) -> str:
        return f"<Pairing by {self.column!r}>"

    @property
    def released_of_original(self) -> Rows:
        """For each original row the released one."""
        return _matched(self.original, self.released)

    @property
    def original_of_released(self) -> Rows:
        """For each released row the original one."""
        return _matched(self.released, self.original)


def pairings(comparison: Comparison) -> Iterator[Pairing]:
    """One for each known column with numbers, missing values last.

    Rows tied in the column are in random order. Their order in the files, which may be that of
    the owners, plays no part.
    """
    names = [name for name in comparison.known if name in comparison.numeric]
    if not names:
        raise Undefined("the intruder knows no column with numbers to sort by")
    one, other = comparison.once(_settled)
    for name in names:
        yield Pairing(
            name, _sorted(comparison.original, name, one), _sorted(comparison.released, name, other)
        )


def find_worst(shares: Mapping[str, float]) -> tuple[str, float]:
    """The column that gives most, the first of several, and what it gives."""
    column = max(shares, key=lambda name: shares[name])
    return column, shares[column]


def caveat(measure: str) -> str:
    """Say how far a measure of this name can be believed, to end its sentence with."""
    return (
        "this is the paper's worst-case sorting, which does not know the owners: where "
        f"{measure.removesuffix('-sorted')} has a value, rely on that instead"
    )


def _matched(places: Rows, rows: Rows) -> Rows:
    matched = np.empty_like(places)
    matched[places] = rows
    return matched


def _sorted(data: Microdata, name: str, settled: Rows) -> Rows:
    return settled[np.argsort(data[name].values[settled], kind="stable")]


def _settled(comparison: Comparison) -> tuple[Rows, Rows]:
    """A random order of the rows of each file that depends on nothing but their known values."""
    original, released = (
        data.select(comparison.known) for data in (comparison.original, comparison.released)
    )
    orders = [_levels_in_order(original, released, name) for name in comparison.known]
    one, other = (
        np.lexsort([
            variable.values if order is None else order[variable.values]
            for variable, order in zip(data.variables, orders, strict=True)
        ])
        for data in (original, released)
    )  # fmt: skip
    shuffles = [comparison.streams.stream("sorting", file) for file in ("original", "released")]
    return shuffles[0].permutation(one), shuffles[1].permutation(other)


def _levels_in_order(original: Microdata, released: Microdata, name: str) -> Rows | None:
    """Levels of a nominal column by their frequency; their codes follow the rows of the file."""
    if original[name].kind is not Kind.NOMINAL:
        return None
    counts = [
        np.bincount(data[name].values + 1, minlength=data[name].levels + 1)
        for data in (released, original)
    ]
    places = np.empty(len(counts[0]), np.int64)
    places[np.lexsort(counts)] = np.arange(len(places))
    return np.roll(places, -1)
