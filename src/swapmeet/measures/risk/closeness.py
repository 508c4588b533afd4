"""Distances of released records from original ones, over the known columns of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from swapmeet.base.arrays import Floats, Ints, Rows
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.knowledge import MANY_COLUMNS
from swapmeet.comparison.score import Undefined
from swapmeet.comparison.sums import OF_ROWS, Sums
from swapmeet.comparison.values import present_in
from swapmeet.intruders.nearest_records import of_1000
from swapmeet.tables.microdata import LARGEST, Microdata
from swapmeet.tables.schema import Kind

WIDTHS = np.arange(1, 11) / 100.0
"""Half the widths of the intervals of RID and SDID: 1 % to 10 % of the ranks, or of the sd."""
ROUNDING = 1e-11
HARDLY = 1e-5
BLIND_SAMPLE = 20_000


@dataclass(frozen=True, repr=False, eq=False)
class PairedNumbers:
    """The known columns with numbers, in the original and in the release: (columns, rows).

    NaN is missing. `unit` is the length that distances in a column are measured in.
    """

    names: tuple[str, ...]
    original: Floats
    released: Floats
    unit: Floats

    @classmethod
    def of(
        cls, original: Microdata, released: Microdata, names: tuple[str, ...], unit: Floats
    ) -> PairedNumbers:
        """Some columns of rows of both tables."""
        one, other = (
            np.stack([data[name].values for name in names]) for data in (original, released)
        )
        return cls(names, one, other, unit)


@dataclass(frozen=True, repr=False, eq=False)
class KnownNumbers:
    """Way to compare the known columns with numbers, and its unit.

    The rows are those of `comparison`; `nominal` counts the columns that are left out.
    """

    comparison: Comparison
    names: tuple[str, ...]
    unit: Floats
    nominal: int

    def all(self) -> PairedNumbers:
        """All rows."""
        original, released = self.comparison.original, self.comparison.released
        return PairedNumbers.of(original, released, self.names, self.unit)

    def between(self, people: Rows, records: Rows) -> PairedNumbers:
        """Some original rows, and some released ones."""
        one, other = (self.comparison.pick_rows(rows) for rows in (people, records))
        return PairedNumbers.of(one.original, other.released, self.names, self.unit)

    def within(self, widths: Floats = WIDTHS) -> Within:
        """Count the people who have all values so near."""
        look = partial(_count_near, self.names, self.unit, widths, keep=self.comparison.in_memory)
        return self.comparison.gather(look, self.names)

    @property
    def in_words(self) -> str:
        """The columns in words; many are counted rather than named."""
        if len(self.names) > MANY_COLUMNS:
            return f"all of {len(self.names)} columns"
        *others, last = self.names
        return f"all of {', '.join(others)} and {last}" if others else last

    @property
    def details(self) -> dict[str, int]:
        """Say what was looked at."""
        return {"columns": len(self.names), "nominal columns left out": self.nominal}


@dataclass(frozen=True, repr=False, eq=False)
class Within(Sums):
    """Of all `rows`, how many are within each width, and in how many widths single ones are."""

    rows: int
    counts: Ints
    records: Floats | None = field(metadata=OF_ROWS)

    @property
    def expected(self) -> float:
        """The mean of the counts."""
        return float(self.counts.mean())

    @property
    def shares(self) -> Floats:
        """The share of the rows within each width."""
        return self.counts / self.rows


def _count_near(
    names: tuple[str, ...], unit: Floats, widths: Floats, piece: Comparison, *, keep: bool
) -> Within:
    distance = farthest(PairedNumbers.of(piece.original, piece.released, names, unit))
    counts = [np.count_nonzero(distance <= width + ROUNDING) for width in widths]
    records = share_of_widths(distance, widths) if keep else None
    return Within(len(distance), np.array(counts), records)


def by_values(comparison: Comparison) -> KnownNumbers:
    """The values; a unit is the standard deviation of the released column."""
    names, nominal = _known(comparison)
    for name in names:
        sizes = [data[name].statistics.size for data in comparison.tables]
        if max(sizes) > LARGEST:
            raise Undefined(f"{name} holds infinite numbers, or some beyond {LARGEST:.0e}")
    unit = np.array([comparison.released[name].statistics.sd for name in names])
    return KnownNumbers(comparison, names, unit, nominal)


def by_ranks(comparison: Comparison) -> KnownNumbers:
    """The ranks of the values in their file, as a share of the rows; ties have their mean rank."""
    names, nominal = _known(comparison)
    return KnownNumbers(comparison.to_ranks(names), names, np.ones(len(names)), nominal)


def _known(comparison: Comparison) -> tuple[tuple[str, ...], int]:
    """The known columns with numbers, and how many have none."""
    names = tuple(name for name in comparison.known if name in comparison.numeric)
    if not names:
        raise Undefined("the intruder knows no column with numbers")
    return names, len(comparison.known) - len(names)


def farthest(numbers: PairedNumbers, partners: Rows | None = None) -> Floats:
    """For each original record, how far it is from its released one, in the farthest column.

    Columns in which either value is missing do not count; without any other the distance is
    infinite. `partners` are the released rows, if not those of the same number.
    """
    worst = np.full(numbers.original.shape[1], -1.0)
    for one, other, unit in zip(numbers.original, numbers.released, numbers.unit, strict=True):
        away = np.abs(one - (other if partners is None else other[partners]))
        np.fmax(worst, _in_units(away, unit), out=worst)
    return np.where(worst < 0.0, np.inf, worst)


def _in_units(away: Floats, unit: float) -> Floats:
    if unit == 0.0:
        return np.where(away > 0.0, np.inf, away)
    with np.errstate(over="ignore"):
        return away / unit


def share_of_widths(distance: Floats, widths: Floats = WIDTHS) -> Floats:
    """For each record, the share of the intervals that hold it."""
    held = np.searchsorted(widths + ROUNDING, distance, side="left")
    return (len(widths) - held) / len(widths)


def format_share(share: float) -> str:
    """A share, perhaps a tiny one, as so many of 1,000.

    >>> format_share(0.012), format_share(1e-9)
    ('12 of 1,000', 'hardly anyone')
    """
    return of_1000(share) if share >= HARDLY else "hardly anyone"


def blind(ruler: KnownNumbers, widths: Floats = WIDTHS, but: str | None = None) -> float:
    """Return what columns that are each shuffled would give: the mean over the widths.

    `but` names a column that is not shuffled but paired in order.
    """
    chance = np.ones(len(widths))
    for name, unit in zip(ruler.names, ruler.unit, strict=True):
        if name != but:
            chance *= _chance(*ruler.comparison.in_order(name), unit * (widths + ROUNDING))
    return float(chance.mean())


def _chance(one: Floats, other: Floats, reach: Floats) -> Floats:
    """The share of all pairs of an original and a released value that are so near; a sample."""
    ordered, others = present_in(one), present_in(other)
    ordered = ordered[:: -(-len(ordered) // BLIND_SAMPLE) or 1]
    if not len(ordered) or not len(others):
        return np.ones(len(reach))
    near = [
        np.searchsorted(others, ordered + r, "right") - np.searchsorted(others, ordered - r, "left")
        for r in reach
    ]
    return np.array([count.mean() / len(others) for count in near])


FEWER_RIVALS = "; it has fewer similar people than the whole file, where the risk is lower"
"""Say what a sample of the rows does to risks of sorting."""


@dataclass(frozen=True, repr=False, eq=False)
class Pairing:
    """Both files in the order of `column`: rows in the same place are taken for the same person."""

    column: str
    original: Rows
    released: Rows

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
    original, released = (data.select(comparison.known) for data in comparison.tables)
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
