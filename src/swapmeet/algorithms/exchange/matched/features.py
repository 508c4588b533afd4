"""What is looked at of each value: features whose products are the relations of two columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from swapmeet.core.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from swapmeet.core.base.jit import Codes, Floats, Ints
    from swapmeet.core.tables.microdata import Microdata, Variable

RARE = 5
"""Levels that fewer rows have are pooled into one."""
MOST_LEVELS = 100
"""Of more levels than these, all but the commonest are pooled."""
FARTHEST = 10.0
"""Squares of standardised numbers go up to this."""


@dataclass(frozen=True)
class Keeping:
    """Which relations are kept, beside those of all pairs of columns.

    `squares` of numbers take part, too, so that curved relations stay. The relations of a column
    count as often as its weight says; 1 unless given.
    """

    squares: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)


class Features(NamedTuple):
    """Each row as a few entries: the numbers of features, and their values.

    `feature` and `value` are (rows, entries). Columns that trade as one are a unit; the entries of
    unit j stand in begins[j]:begins[j + 1], and those of columns that stay, last. A number has one
    entry; a nominal value one, at the feature of its level. The first `numbers` of the `total`
    features are standardised numbers, and their squares. For each feature, `scale` is how much it
    counts, `columns` the number of its column and `shares` the share of rows that have its level.
    `pooled` has, by column, how many rare levels share a feature.
    """

    feature: Codes
    value: Floats
    begins: Ints
    numbers: int
    total: int
    scale: Floats
    columns: Ints
    shares: Floats
    pooled: dict[str, int]


class _Entry(NamedTuple):
    """One entry of all rows: the level of each, and its value; `shares` is empty for a number."""

    column: str
    codes: npt.NDArray[np.int64]
    values: Floats
    shares: Floats
    weight: float

    @property
    def features(self) -> int:
        """How many there are."""
        return max(len(self.shares), 1)


def encode_features(
    data: Microdata, keeping: Keeping, units: Sequence[Sequence[str]] | None = None
) -> Features:
    """The features of all columns of `data`; each column is a unit, unless others are given.

    A number is its z-score; a nominal value, and a missing one, the indicator of its level divided
    by the root of the level's share, so that the sum of squares of products is the contingency of
    two nominal columns, or the correlation ratio of a number.
    """
    pooled: dict[str, int] = {}
    units = [[name] for name in data.names] if units is None else units
    moved = [name for unit in units for name in unit]
    found = {v.name: _list_entries(v, keeping, pooled) for v in data.variables}
    lengths = [sum(len(found[name]) for name in unit) for unit in units]
    stay = [name for name in data.names if name not in moved]
    entries = [entry for name in (*moved, *stay) for entry in found[name]]
    feature = np.empty((data.n, len(entries)), np.int32)
    value = np.empty((data.n, len(entries)))
    first = 0
    for at in sorted(range(len(entries)), key=lambda at: len(entries[at].shares) > 0):
        feature[:, at], value[:, at] = first + entries[at].codes, entries[at].values
        first += entries[at].features
    ordered = sorted(entries, key=lambda entry: len(entry.shares) > 0)
    counts = [entry.features for entry in ordered]
    return Features(
        feature,
        value,
        np.cumsum([0, *lengths]),
        sum(len(entry.shares) == 0 for entry in entries),
        first,
        np.repeat([entry.weight for entry in ordered], counts),
        np.repeat([data.names.index(entry.column) for entry in ordered], counts),
        np.concatenate([[], *(entry.shares if len(entry.shares) else [0.0] for entry in ordered)]),
        pooled,
    )


def _list_entries(variable: Variable, keeping: Keeping, pooled: dict[str, int]) -> list[_Entry]:
    """The entries of a column; one without two values has none."""
    name, weight = variable.name, keeping.weights.get(variable.name, 1.0)
    if variable.kind is Kind.NOMINAL:
        codes, counts = _pool_levels(variable, pooled)
        return _list_levels(name, codes, counts, weight)
    facts, missing = variable.statistics, variable.missing
    found = _list_levels(
        name, missing.astype(np.int64), np.array([facts.present, facts.missing]), weight
    )
    if facts.varies:
        none = np.zeros(len(missing), np.int64)
        number = np.where(missing, 0.0, (variable.values - facts.mean) / facts.sd)
        found.append(_Entry(name, none, number, np.empty(0), weight))
        if keeping.squares:
            found.append(_Entry(name, none, _square(number, missing), np.empty(0), weight))
    return found


def _square(number: Floats, missing: npt.NDArray[np.bool_]) -> Floats:
    """Squares, centred at what those of a normal number have on average, and about as wide."""
    return np.where(missing, 0.0, (np.minimum(number * number, FARTHEST) - 1.0) / np.sqrt(2.0))


def _list_levels(name: str, codes: Ints, counts: Ints, weight: float) -> list[_Entry]:
    """The entry of levels that so many rows have."""
    if np.count_nonzero(counts) < 2:
        return []
    shares = counts / counts.sum()
    values = 1.0 / np.sqrt(np.where(counts > 0, shares, 1.0))
    return [_Entry(name, codes, values[codes], shares, weight)]


def _pool_levels(variable: Variable, pooled: dict[str, int]) -> tuple[Ints, Ints]:
    """The level of each row and how many have it; rare ones pooled, the missing value is one."""
    known = variable.known
    counts = np.zeros(variable.levels + 1, np.int64)
    counts[known.values] = known.counts
    counts[-1] = variable.statistics.missing
    common = np.flatnonzero(counts >= RARE)
    common = np.sort(common[np.argsort(-counts[common], kind="stable")][:MOST_LEVELS])
    codes = np.full(len(counts), len(common), np.int64)
    codes[common] = np.arange(len(common))
    rare = np.count_nonzero(counts) - len(common)
    if rare > 1:
        pooled[variable.name] = int(rare)
    own = np.bincount(codes, weights=counts, minlength=len(common) + 1).astype(np.int64)
    return codes[variable.values], own
