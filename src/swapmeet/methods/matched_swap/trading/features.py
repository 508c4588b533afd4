"""Features of values: their products are the relations of two columns, and of three."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
from swapmeet.base.jit import kernel
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind


class Triples(NamedTuple):
    """Three columns each: where their entries stand, and the first and number of their features.

    The products of triple t are `offsets[t]` and following of `total`, one for each combination of
    features.
    """

    places: Ints
    firsts: Ints
    sizes: Ints
    offsets: Ints
    total: int


@kernel
def sum_triples(feature: ShortInts, value: Floats, triples: Triples) -> Floats:
    """The products of each combination of features, summed over the rows."""
    sums = np.zeros(triples.total)
    for t in range(triples.places.shape[0]):
        for row in range(feature.shape[0]):
            at, by = _look_up(feature, value, triples, t, row, row, 0, 0)
            sums[at] += by
    return sums


@kernel
def change_triples(
    feature: ShortInts, value: Floats, triples: Triples, gaps: Floats, a: int, b: int, begin: int,
    end: int,
) -> float:  # fmt: skip
    """Change of the sum of squared gaps if two rows trade the entries begin:end."""
    at, by = np.empty(4, np.int64), np.empty(4)
    change = 0.0
    for t in range(triples.places.shape[0]):
        if not _touches(triples, t, begin, end):
            continue
        _list_changes(feature, value, triples, t, a, b, begin, end, at, by)
        for i in range(4):
            change += by[i] * (2.0 * gaps[at[i]] + by[i])
            for j in range(i):
                if at[j] == at[i]:
                    change += 2.0 * by[i] * by[j]
    return change


@kernel
def add_triples(
    feature: ShortInts, value: Floats, triples: Triples, gaps: Floats, a: int, b: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Bring the gaps up to date, before two rows trade the entries begin:end."""
    at, by = np.empty(4, np.int64), np.empty(4)
    for t in range(triples.places.shape[0]):
        if _touches(triples, t, begin, end):
            _list_changes(feature, value, triples, t, a, b, begin, end, at, by)
            for i in range(4):
                gaps[at[i]] += by[i]


@kernel
def _touches(triples: Triples, t: int, begin: int, end: int) -> bool:
    """Return whether one of the columns, but not all of them, is traded."""
    traded = 0
    for i in range(3):
        traded += begin <= triples.places[t, i] < end
    return 0 < traded < 3


@kernel
def _list_changes(
    feature: ShortInts, value: Floats, triples: Triples, t: int, a: int, b: int, begin: int,
    end: int, at: Ints, by: Floats,
) -> None:  # fmt: skip
    """Two products vanish, those of the rows as they are, and two come."""
    at[0], by[0] = _look_up(feature, value, triples, t, a, a, begin, end)
    at[1], by[1] = _look_up(feature, value, triples, t, b, b, begin, end)
    by[0], by[1] = -by[0], -by[1]
    at[2], by[2] = _look_up(feature, value, triples, t, a, b, begin, end)
    at[3], by[3] = _look_up(feature, value, triples, t, b, a, begin, end)


@kernel
def _look_up(
    feature: ShortInts, value: Floats, triples: Triples, t: int, row: int, other: int, begin: int,
    end: int,
) -> tuple[int, float]:  # fmt: skip
    """The product of a row that has the entries begin:end of another one, and where it counts."""
    at, by = 0, 1.0
    for i in range(3):
        place = triples.places[t, i]
        own = other if begin <= place < end else row
        at = at * triples.sizes[t, i] + feature[own, place] - triples.firsts[t, i]
        by *= value[own, place]
    return triples.offsets[t] + at, by


RARE = 5
"""Levels that fewer rows have are pooled into one."""
MOST_LEVELS = 100
"""Of more levels than these, all but the commonest are pooled."""
MOST_FEATURES = 1_500
"""Where the levels of all columns are more than these, each column has fewer of its own."""
FARTHEST = 10.0
"""Squares of standardised numbers go up to this."""
CLASSES, CLASS_WEIGHT = 10, 0.3
"""Classes of a number, about equally frequent, and what each counts."""
ROOM = 4
"""Classes take part if there are at least this many cells for each relation."""


@dataclass(frozen=True)
class Keeping:
    """Relations that are kept, beside those of all pairs of columns.

    With `classes`, the relations of ten classes of each number are kept, too, as those of a nominal
    column, if the table is large enough for that; with `squares` those of its squares, so that
    curved relations stay. `triples` are columns whose relation of three is kept. The relations of a
    column count as much as its weight says; 1 unless given.
    """

    classes: bool = False
    squares: bool = False
    triples: tuple[tuple[str, str, str], ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)


class Features(NamedTuple):
    """Each row as a few entries: the numbers of features, and their values.

    `feature` and `value` are (rows, entries). Columns that trade as one are a unit; the entries of
    unit j stand in begins[j]:begins[j + 1], and those of columns that stay, last. A number has one
    entry; a nominal value one, at the feature of its level. The first `numbers` of the `total`
    features are standardised numbers, and their squares. For each feature, `scale` is how much it
    counts, `columns` the number of its column and `shares` the share of rows that have its level.
    `pooled` has, by column, how many rare levels share a feature. `triples` are the relations of
    three columns that are kept.
    """

    feature: ShortInts
    value: Floats
    begins: Ints
    numbers: int
    total: int
    scale: Floats
    columns: Ints
    shares: Floats
    pooled: dict[str, int]
    triples: Triples


class _Entry(NamedTuple):
    """One entry of all rows: the level of each, and its value; `shares` is empty for a number."""

    column: str
    codes: Ints
    values: Floats
    shares: Floats
    weight: float

    @property
    def features(self) -> int:
        """Return their number."""
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
    most = _find_most_levels(data.variables)
    columns = {v.name: _list_entries(v, keeping, most, pooled) for v in data.variables}
    if keeping.classes:
        columns = _add_classes(data, columns)
    units = [[name] for name in data.names] if units is None else units
    moved = [name for unit in units for name in unit]
    stay = [name for name in data.names if name not in moved]
    entries = [entry for name in (*moved, *stay) for entry in columns[name]]
    ordered = sorted(entries, key=lambda entry: len(entry.shares) > 0)
    counts = [entry.features for entry in ordered]
    ends = np.cumsum(counts)
    firsts = {
        id(entry): int(end) - entry.features for entry, end in zip(ordered, ends, strict=True)
    }
    shape = data.n, len(entries)
    feature, value = np.empty(shape, np.int32), np.empty(shape)
    for at, entry in enumerate(entries):
        feature[:, at], value[:, at] = firsts[id(entry)] + entry.codes, entry.values
    return Features(
        feature,
        value,
        np.cumsum([0, *(sum(len(columns[name]) for name in unit) for unit in units)]),
        sum(len(entry.shares) == 0 for entry in entries),
        sum(counts),
        np.repeat([entry.weight for entry in ordered], counts),
        np.repeat([data.names.index(entry.column) for entry in ordered], counts),
        np.concatenate([[], *(entry.shares if len(entry.shares) else [0.0] for entry in ordered)]),
        pooled,
        _list_triples(keeping.triples, entries, firsts),
    )


def _list_triples(
    names: Iterable[tuple[str, str, str]], entries: list[_Entry], firsts: Mapping[int, int]
) -> Triples:
    """List the entries of each three columns; a column without entries has no relations."""
    main = {entry.column: at for at, entry in reversed(list(enumerate(entries)))}
    triples = [[main[name] for name in three] for three in names if all(n in main for n in three)]
    places = np.array(triples, np.int64).reshape(-1, 3)
    sizes = np.array([entry.features for entry in entries], np.int64)[places]
    begins = np.array([firsts[id(entry)] for entry in entries], np.int64)[places]
    ends = np.cumsum(sizes.prod(axis=1))
    return Triples(places, begins, sizes, ends - sizes.prod(axis=1), int(ends.max(initial=0)))


def _add_classes(data: Microdata, columns: dict[str, list[_Entry]]) -> dict[str, list[_Entry]]:
    """The entries with one more for each number, by classes, unless relations become too many."""
    more = {name: _list_classes(data[name], own) for name, own in columns.items()}
    features = np.array([sum(entry.features for entry in own) for own in more.values()])
    relations = (features.sum() ** 2 - (features**2).sum()) / 2
    room = ROOM * relations <= data.n * len(data.names) and features.sum() <= MOST_FEATURES
    return more if room else columns


def _list_classes(variable: Variable, own: list[_Entry]) -> list[_Entry]:
    """The entries of a column with its classes, if it is a number; the missing value is one."""
    present = variable.values[~variable.missing]
    if variable.kind is Kind.NOMINAL or not variable.statistics.varies or not len(present):
        return own
    edges = np.unique(np.quantile(present, np.arange(1, CLASSES) / CLASSES, method="inverted_cdf"))
    codes = np.searchsorted(edges, variable.values, side="left")
    codes[variable.missing] = len(edges) + 1
    counts = np.bincount(codes, minlength=len(edges) + 2)
    numbers = [entry for entry in own if not len(entry.shares)]
    weight = CLASS_WEIGHT * numbers[0].weight
    return [*numbers, *_list_levels(variable.name, codes, counts, weight)]


def _list_entries(
    variable: Variable, keeping: Keeping, most: int, pooled: dict[str, int]
) -> list[_Entry]:
    """The entries of a column; one without two values has none."""
    name, weight = variable.name, keeping.weights.get(variable.name, 1.0)
    if variable.kind is Kind.NOMINAL:
        codes, counts = _pool_levels(variable, most, pooled)
        return _list_levels(name, codes, counts, weight)
    facts, missing = variable.statistics, variable.missing
    entries = []
    if facts.varies:
        none = np.zeros(len(missing), np.int64)
        number = np.where(missing, 0.0, (variable.values - facts.mean) / facts.sd)
        entries.append(_Entry(name, none, number, np.empty(0), weight))
        if keeping.squares:
            entries.append(_Entry(name, none, _square(number, missing), np.empty(0), weight))
    counts = np.array([facts.present, facts.missing])
    return entries + _list_levels(name, missing.astype(np.int64), counts, weight)


def _square(number: Floats, missing: Flags) -> Floats:
    """Squares, centred at what those of a normal number have on average, and about as wide."""
    return np.where(missing, 0.0, (np.minimum(number * number, FARTHEST) - 1.0) / np.sqrt(2.0))


def _list_levels(name: str, codes: Ints, counts: Ints, weight: float) -> list[_Entry]:
    """The entry of levels that so many rows have."""
    if np.count_nonzero(counts) < 2:
        return []
    shares = counts / counts.sum()
    values = 1.0 / np.sqrt(np.where(counts > 0, shares, 1.0))
    return [_Entry(name, codes, values[codes], shares, weight)]


def _find_most_levels(variables: Sequence[Variable]) -> int:
    """Find how many levels a column may have, beside one for all others, lest all be too many.

    One at least, however many columns there are.
    """
    nominal = [v for v in variables if v.kind is Kind.NOMINAL]
    common = np.array([np.count_nonzero(_count_levels(v) >= RARE) for v in nominal], np.int64)
    room = MOST_FEATURES - (len(variables) - len(nominal)) - len(nominal)
    sizes = np.arange(1, MOST_LEVELS + 1)
    totals = np.minimum(common, sizes[:, np.newaxis]).sum(axis=1)
    return max(int(np.searchsorted(totals, room, side="right")), 1)


def _count_levels(variable: Variable) -> Ints:
    """Count the rows of the whole table that have each level; the last is the missing value."""
    known = variable.known
    counts = np.zeros(variable.levels + 1, np.int64)
    counts[known.values] = known.counts
    counts[-1] = variable.statistics.missing
    return counts


def _pool_levels(variable: Variable, most: int, pooled: dict[str, int]) -> tuple[Ints, Ints]:
    """The level of each row and how many have it; rare ones pooled, the missing value is one."""
    counts = _count_levels(variable)
    common = np.flatnonzero(counts >= RARE)
    common = np.sort(common[np.argsort(-counts[common], kind="stable")][:most])
    codes = np.full(len(counts), len(common), np.int64)
    codes[common] = np.arange(len(common))
    rare = np.count_nonzero(counts) - len(common)
    if rare > 1:
        pooled[variable.name] = int(rare)
    own = np.bincount(codes, weights=counts, minlength=len(common) + 1).astype(np.int64)
    return codes[variable.values], own
