"""The conditions on a cluster: K rows, L values, no more than θ of one; and stricter ones.

With several sensitive columns, L and θ hold for each of them. Stricter conditions are other
diversities, and closeness to the whole table. A union of two groups that satisfy one of these
satisfies it, too: mixing distributions lowers
neither their entropy nor their recursive diversity, and brings them no farther from the whole. So
groups that fall short can be merged until all satisfy, as long as the whole table does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.diversity import (
    count_in_groups,
    measure_entropy,
    measure_equal_distance,
    measure_ordered_distance,
    measure_recursive,
)
from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.base.sentences import percent
from swapmeet.errors import ParameterError
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind

FEW = 63
"""Up to so many levels of a nominal column a mark is one bit."""


class Divisor(StrEnum):
    """Divisor of numbers: their range, or the largest absolute value."""

    RANGE = "range"
    LARGEST = "largest"


class EncodedKeys(NamedTuple):
    """Numbers and marks of each row, the weight of each number and the cost of each mark.

    The marks of a column's levels have a different sum for each set of levels: they are powers of
    two or, for more than 63 levels, scrambled bits, which fail with a chance of about one in 2⁶⁰.
    """

    numbers: Floats
    marks: Ints
    weights: Floats
    costs: Floats

    def of(self, rows: Ints) -> EncodedKeys:
        """The keys of these rows."""
        return self._replace(numbers=self.numbers[rows], marks=self.marks[rows])


def encode_keys(
    variables: Sequence[Variable], weights: Mapping[str, float], divisor: Divisor
) -> EncodedKeys:
    """Scale numeric columns and the ranks of ordinal ones, and mark the levels of nominal ones.

    Two levels are the numbers 0 and 1 instead. A missing number is the mean, and another number, 0
    or 1, of the same weight tells it apart; a missing nominal value is a level of its own. Columns
    that are constant or have weight 0 take no part.
    """
    n = len(variables[0].values)
    numbers: list[tuple[Floats, float]] = []
    marks: list[tuple[Ints, float]] = []
    for variable in variables:
        weight = weights.get(variable.name, 1.0)
        if weight == 0.0:
            continue
        if variable.kind is Kind.NOMINAL:
            codes, count = _codes(variable)
            if count == 2:
                numbers.append((codes.astype(np.float64), weight))
            elif count > 2:
                marks.append((_marks(count)[codes], weight))
        else:
            columns = (_scaled(variable, divisor), variable.missing.astype(np.float64))
            numbers += [(column, weight) for column in columns if np.ptp(column) > 0.0]
    return EncodedKeys(
        np.array([column for column, _ in numbers]).reshape(-1, n).T.copy(),
        np.array([column for column, _ in marks], np.int64).reshape(-1, n).T.copy(),
        np.array([weight for _, weight in numbers]),
        np.array([weight for _, weight in marks]),
    )


def _codes(variable: Variable) -> tuple[Ints, int]:
    """The number of each row's level among those that the column has, and how many these are."""
    known = variable.known.values
    if variable.statistics.missing:
        known = np.append(-1, known)
    return np.searchsorted(known, variable.values), len(known)


def _scaled(variable: Variable, divisor: Divisor) -> Floats:
    values, low, high, mean = _numbers(variable)
    if not low < high:
        return np.zeros(len(values))
    numbers = np.where(variable.missing, mean, values)
    if divisor is Divisor.RANGE:
        return (numbers - low) / (high - low)
    return numbers / max(-low, high)


def _numbers(variable: Variable) -> tuple[Floats, float, float, float]:
    """The values or, if ordinal, their ranks; the least, the largest and the mean of the column."""
    facts = variable.statistics
    if variable.kind is not Kind.ORDINAL:
        return variable.values, facts.low, facts.high, facts.mean
    levels = variable.known
    return variable.ranks(), 0.0, len(levels.values) - 1.0, levels.mean_rank()


def _marks(levels: int) -> Ints:
    """Bits of their own, or scrambled ones (splitmix64), none of which is a power of two."""
    if levels <= FEW:
        return np.int64(1) << np.arange(levels)
    bits = np.arange(1, levels + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (bits ^ (bits >> np.uint64(31))).view(np.int64) >> 1 | 3


class SensitiveCodes(NamedTuple):
    """For each row and sensitive column a number, the same for the same value.

    Column j has the numbers from `ranges[j]` up to `ranges[j + 1]`, so that one table can count the
    values of all columns.
    """

    codes: Ints
    ranges: Ints

    @property
    def in_column(self) -> Ints:
        """Return the number of values of each column."""
        return np.diff(self.ranges)

    def of(self, rows: Ints) -> SensitiveCodes:
        """The values of these rows, numbered anew."""
        return number_columns(column[rows] for column in self.codes.T)


def encode_sensitive(variables: Iterable[Variable]) -> SensitiveCodes:
    """The values of these columns; a missing value is a value too."""
    return number_columns(variable.values for variable in variables)


def number_columns(columns: Iterable[Ints]) -> SensitiveCodes:
    """Number the distinct values of each column, one column after the other."""
    codes, ranges = [], [0]
    for column in columns:
        distinct, numbers = np.unique(column, return_inverse=True)
        codes.append(numbers + ranges[-1])
        ranges.append(ranges[-1] + len(distinct))
    return SensitiveCodes(np.stack(codes, axis=1).astype(np.int64), np.array(ranges))


LARGEST = 1 << 52
"""Beyond this size, clusters are reckoned with as if they were of it."""


class Conditions(NamedTuple):
    """At least `k` rows and `diversity` distinct values, each in at most `theta` of the rows."""

    k: int
    diversity: int
    theta: float

    def most(self, size: int) -> int:
        """Return how often a value may occur in a cluster of this size.

        >>> Conditions(10, 5, 0.3).most(10), Conditions(10, 5, 0.29).most(100)
        (3, 29)
        """
        most = int(self.theta * min(size, LARGEST)) + 1
        while most / min(size, LARGEST) > self.theta:
            most -= 1
        return most

    def list_conflicts(self) -> Iterator[str]:
        """List the reasons why no cluster of any table can satisfy the conditions."""
        if self.theta < 1 / self.diversity:
            yield (
                f"`theta` must be at least 1/`l`; got theta = {self.theta:g} and "
                f"l = {self.diversity}. Raise `theta` to {1 / self.diversity:.3g}, or raise `l`."
            )
        if self.most(self.k) < 1:
            yield (
                f"`theta` times `k` must be at least 1; got theta = {self.theta:g} and "
                f"k = {self.k}: a cluster of k rows could hold no value even once. Raise one."
            )

    def refuse_conflicts(self, method: str) -> None:
        """Refuse conditions that no table can satisfy, on behalf of a method."""
        conflicts = [f"{method}: {conflict}" for conflict in self.list_conflicts()]
        if conflicts:
            raise ParameterError("\n".join(conflicts))

    def target(self, values: SensitiveCodes) -> int:
        """The least size, from K up, at which all rows fit into clusters of this size.

        θ must leave room for the most frequent value, and there must be L values for each cluster.
        """
        n = len(values.codes)
        counts = np.split(np.bincount(values.codes.ravel()), values.ranges[1:-1])
        clusters = min(_most_clusters(column, self.diversity) for column in counts)
        share = max(int(column.max()) for column in counts) / n
        least = max(self.k, self.diversity, -(-n // clusters))
        sizes = range(least, 4 * least + 1)
        roomiest = max(sizes, key=lambda size: min(self.most(size) / size, share))
        return min(roomiest, n)

    def obstacles(
        self, names: tuple[str, ...], values: SensitiveCodes, strata: ShortInts
    ) -> Iterator[str]:
        """List why no partition of the rows of each stratum can satisfy the conditions."""
        sizes = np.bincount(strata)
        several = len(sizes) > 1
        if sizes.min() < self.k:
            small = int((sizes < self.k).sum())
            where = f"{small} of {len(sizes)} strata have as few as" if several else "the table has"
            remedy = "Lower `k`, or merge strata." if several else "Lower `k`."
            yield f"{where} {sizes.min()} rows; `k` = {self.k} needs at least as many. {remedy}"
        within = " in one of the strata" if several else ""
        for name, column in zip(names, values.codes.T, strict=True):
            fewest, highest, rows = _extremes(column, strata, sizes)
            if fewest < self.diversity:
                yield (
                    f"column {name!r} has {fewest} distinct values{within}; `l` = {self.diversity} "
                    "needs at least as many. Lower `l`, or give the column another role."
                )
            if highest / rows > self.theta:
                least = -(-highest * 10_000 // rows) / 10_000
                yield (
                    f"column {name!r}: one value has {percent(highest / rows)} of the rows"
                    f"{within}, more than `theta` = {self.theta:g} allows in every cluster. The "
                    f"least `theta` that can be met is {least:g}."
                )


def _extremes(column: Ints, strata: ShortInts, sizes: Ints) -> tuple[int, int, int]:
    """The fewest distinct values of a stratum, the highest count of one value, and the rows there.

    The count is the highest relative to the rows of its stratum.
    """
    width = int(column.max()) + 1
    cells, counts = np.unique(strata.astype(np.int64) * width + column, return_counts=True)
    stratum = cells // width
    begins = np.flatnonzero(np.diff(stratum, prepend=-1))
    highest = np.maximum.reduceat(counts, begins)
    worst = int(np.argmax(highest / sizes))
    return int(np.bincount(stratum).min()), int(highest[worst]), int(sizes[worst])


def _most_clusters(counts: Ints, diversity: int) -> int:
    """Count the clusters that can have L distinct values each, if the values occur this often."""
    low, high = 1, int(counts.sum())
    while low < high:
        middle = (low + high + 1) // 2
        if np.minimum(counts, middle).sum() >= diversity * middle:
            low = middle
        else:
            high = middle - 1
    return low


DISTINCT, ENTROPY, RECURSIVE = "distinct", "entropy", "recursive"
DIVERSITIES = (DISTINCT, ENTROPY, RECURSIVE)
NEARLY = 1e-9
"""A condition holds if it does so up to this."""


class WholeColumn(NamedTuple):
    """A sensitive column of the whole table: its codes begin at `first`, each has a share.

    `missing` is the code of missing values in a column with an order, which is the last, or -1;
    shares are then those among the values that are there, and `present` is the share of these.
    """

    first: int
    shares: Floats
    ordered: bool
    missing: int
    present: float

    @classmethod
    def of(cls, variable: Variable, codes: Ints, first: int) -> WholeColumn:
        counts = np.bincount(codes - first).astype(np.float64)
        ordered = variable.kind is not Kind.NOMINAL
        if not ordered or not variable.missing.any():
            return cls(first, counts / counts.sum(), ordered, -1, 1.0)
        there = counts[:-1]
        shares = there / max(there.sum(), 1.0)
        return cls(first, shares, ordered, first + len(there), there.sum() / counts.sum())

    def measure_distance(self, groups: Ints, codes: Ints) -> Floats:
        """The earth mover's distance of each group from the whole; missing is 1 from any value."""
        places = codes - self.first
        if not self.ordered:
            return measure_equal_distance(count_in_groups(groups, places), self.shares)
        there = codes != self.missing
        present = np.bincount(groups, weights=there) / np.bincount(groups)
        inside, numbers = np.unique(groups[there], return_inverse=True)
        distances = np.zeros(len(present))
        if len(inside):
            pairs = count_in_groups(numbers, places[there])
            distances[inside] = measure_ordered_distance(pairs, self.shares)
        return np.asarray(
            np.minimum(present, self.present) * distances + np.abs(present - self.present)
        )


@dataclass(frozen=True, kw_only=True)
class StrictConditions:
    """`l` values in the sense of a `diversity`, and values at most `t` from those of the table."""

    l: int  # noqa: E741
    diversity: str = DISTINCT
    c: float = 3.0
    t: float | None = None

    @property
    def demands_more(self) -> bool:
        """Return whether they demand more than K, L and θ do."""
        return self.diversity != DISTINCT or self.t is not None

    def find_short(
        self, groups: Ints, values: SensitiveCodes, wholes: Sequence[WholeColumn]
    ) -> Ints:
        """The groups, numbered without gaps, that break a condition in some column."""
        short = np.zeros(int(groups.max(initial=-1)) + 1, np.bool_)
        for codes, whole in zip(values.codes.T, wholes, strict=True):
            if self.diversity != DISTINCT:
                short |= self._measure_diversity(groups, codes) < self.l - NEARLY
            if self.t is not None:
                short |= whole.measure_distance(groups, codes) > self.t + NEARLY
        return np.flatnonzero(short)

    def list_obstacles(
        self,
        names: Sequence[str],
        values: SensitiveCodes,
        wholes: Sequence[WholeColumn],
        strata: Ints,
    ) -> Iterator[str]:
        """List why no partition of the rows of each stratum can satisfy the conditions."""
        within = " in one of the strata" if strata.any() else ""
        for name, codes, whole in zip(names, values.codes.T, wholes, strict=True):
            if self.diversity != DISTINCT:
                least = float(self._measure_diversity(strata, codes).min())
                if least < self.l - NEARLY:
                    figure = int(least * 1000) / 1000
                    yield (
                        f"column {name!r} has a diversity ({self.diversity}) of {figure:g}"
                        f"{within}; `l` = {self.l} needs at least as much in every cluster. The "
                        f"largest `l` that can be met is {int(least + NEARLY)}."
                    )
            if self.t is not None:
                far = float(whole.measure_distance(strata, codes).max())
                if far > self.t + NEARLY:
                    yield (
                        f"column {name!r}: the values of a stratum are {far:.3g} from those of the "
                        f"whole table, more than `t` = {self.t:g} allows in every cluster. The "
                        f"least `t` that can be met is {-(-far * 10_000 // 1) / 10_000:g}; or "
                        "merge strata."
                    )

    def _measure_diversity(self, groups: Ints, codes: Ints) -> Floats:
        pairs = count_in_groups(groups, codes - codes.min())
        if self.diversity == ENTROPY:
            return measure_entropy(pairs)
        return measure_recursive(pairs, self.c)
