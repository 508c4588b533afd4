"""Random queries that count values among selected rows (KLθ paper, 4.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.sums import Sums
from swapmeet.comparison.values import present_in
from swapmeet.comparison.weights import find_weights
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind, Role

Tallies = Ints | Floats

CLASSES = 10
"""A numeric column is counted in this many classes, equally frequent in the original."""
MOST_VALUES = 1_000_000
"""Conditions on a numeric column are drawn from this many of its values, if it has more."""
MOST_DEALT = 10**9
"""Of more rows it hardly matters whether one is dealt twice."""
FEW = 2
"""A numeric column with no more values than this is selected by value, not by range."""


@dataclass(frozen=True, repr=False, eq=False)
class LevelChoice:
    """A condition on a nominal column: its level is one of those `wanted`."""

    name: str
    wanted: Flags

    def holds(self, data: Microdata) -> Flags:
        """The rows that fulfil it; a missing value, code -1, is the last of `wanted`: False."""
        return self.wanted[data[self.name].values]


@dataclass(frozen=True, repr=False, eq=False)
class Range:
    """A condition on a numeric column: its value lies between two, inclusive."""

    name: str
    low: float
    high: float

    def holds(self, data: Microdata) -> Flags:
        """The rows that fulfil it; a missing value does not."""
        values = data[self.name].values
        return (values >= self.low) & (values <= self.high)


@dataclass(frozen=True, repr=False, eq=False)
class ConditionSource:
    """Values of the original from which conditions on a column are drawn.

    Levels are in order of frequency, since their codes depend on the order of rows.
    """

    name: str
    kind: Kind
    values: npt.NDArray[Any]
    levels: int
    size: float | None = None
    """Number of levels wanted, or width of a range; None for a random half, or range."""

    @classmethod
    def on(cls, comparison: Comparison, name: str) -> ConditionSource | None:
        """None if the column has nothing to choose between."""
        variable = comparison.original[name]
        if variable.statistics.levels is None:
            values = np.unique(present_in(comparison.in_order(name)[0]))
            values = values[:: -(-len(values) // MOST_VALUES) or 1]
        else:
            values = variable.known.values
        if len(values) < 2:
            return None
        if variable.kind is Kind.NOMINAL:
            values = values[np.argsort(variable.known.counts, kind="stable")]
        return cls(name, variable.kind, values, variable.levels)

    def draw(self, generator: np.random.Generator) -> LevelChoice | Range:
        """So many of the levels, or a range so wide; by default a random half, or between two."""
        if self.kind is Kind.NOMINAL:
            wanted = np.zeros(self.levels + 1, np.bool_)
            many = (len(self.values) + 1) // 2 if self.size is None else int(self.size)
            wanted[generator.permutation(self.values)[:many]] = True
            return LevelChoice(self.name, wanted)
        if self.size is not None:
            return self._draw_range(self.size, generator)
        count = 1 if len(self.values) <= FEW else 2
        ends = self.values[generator.choice(len(self.values), count, replace=False)]
        return Range(self.name, float(ends.min()), float(ends.max()))

    def _draw_range(self, width: float, generator: np.random.Generator) -> Range:
        """A range so wide that begins at a random value and ends inside; all, if it is wider."""
        ordered = np.sort(self.values)
        starts = ordered[ordered <= ordered[-1] - width]
        low = float(generator.choice(starts)) if len(starts) else float(ordered[0])
        return Range(self.name, low, low + width if len(starts) else float(ordered[-1]))


@dataclass(frozen=True, repr=False, eq=False)
class Workload:
    """Queries for the counts of a column's values, under conditions on other columns."""

    comparison: Comparison
    target: str
    conditions: int
    keys: tuple[ConditionSource, ...]
    """The columns that may be selected by."""

    @classmethod
    def of(cls, comparison: Comparison, target: str, conditions: int) -> Workload:
        """Queries that select by any column but the one counted."""
        others = (
            variable.name
            for variable in comparison.original.variables
            if variable.name != target and variable.role is not Role.WEIGHT
        )
        possible = (ConditionSource.on(comparison, name) for name in others)
        keys = tuple(condition for condition in possible if condition is not None)
        return cls(comparison, target, min(conditions, len(keys)), keys)

    @classmethod
    def by_keys(
        cls,
        comparison: Comparison,
        target: str,
        keys: Iterable[str],
        sizes: float | Mapping[str, float] | None,
    ) -> Workload:
        """Queries that all select by all keys, as the author of KLθ asks; see `Condition.size`."""
        conditions = [
            replace(condition, size=sizes.get(name) if isinstance(sizes, Mapping) else sizes)
            for name in keys
            if name != target and (condition := ConditionSource.on(comparison, name)) is not None
        ]
        return cls(comparison, target, len(conditions), tuple(conditions))

    def counts(self, queries: int, generator: np.random.Generator) -> Iterator[tuple[Tallies, ...]]:
        """For each query the counts in the original, the release, and a blind release.

        The blind one is the original with the counted values dealt out at random: as many of them
        as rows were selected. With weights, rows count by these, and as many values are dealt as
        the effective number of the rows selected.
        """
        drawn = [[key.draw(generator) for key in self._pick(generator)] for _ in range(queries)]
        classes = Classes.of(self.comparison, self.target)
        names = (self.target, *(condition.name for query in drawn for condition in query))
        answers = self.comparison.gather(partial(_ask, classes, drawn), names)
        for number, (before, after) in enumerate(zip(answers.before, answers.after, strict=True)):
            if answers.squares is None:
                yield before, after, _dealt(answers.classes, int(before.sum()), generator)
                continue
            total = float(before.sum())
            rows = round(total**2 / answers.squares[number]) if total else 0
            dealt = _dealt(answers.classes, rows, generator).astype(np.float64)
            yield before, after, dealt * (total / max(rows, 1))

    def _pick(self, generator: np.random.Generator) -> list[ConditionSource]:
        """Random columns to select by; all of them, in order, where there are no more."""
        if len(self.keys) == self.conditions:
            return list(self.keys)
        picks = generator.choice(len(self.keys), self.conditions, replace=False)
        return [self.keys[pick] for pick in picks]


@dataclass(frozen=True, repr=False, eq=False)
class Classes:
    """The classes in which the values of a column are counted; 0 is a missing value.

    Those of a nominal column are its levels, by frequency; of any other, the ranges between `cuts`.
    """

    name: str
    count: int
    places: Ints | None
    cuts: Floats | None

    @classmethod
    def of(cls, comparison: Comparison, name: str) -> Classes:
        """Return the values of a column of the original."""
        variable = comparison.original[name]
        if variable.kind is Kind.NOMINAL:
            counts = np.zeros(variable.levels, np.int64)
            counts[variable.known.values] = variable.known.counts
            places = np.zeros(variable.levels + 1, np.int64)
            places[np.argsort(counts, kind="stable")] = np.arange(variable.levels) + 1
            return cls(name, variable.levels + 1, places, None)
        present = present_in(comparison.in_order(name)[0])
        cuts = np.unique(np.quantile(present, np.arange(1, CLASSES) / CLASSES, method="lower"))
        return cls(name, len(cuts) + 2, None, cuts)

    def of_rows(self, data: Microdata) -> Ints:
        """The class of each row."""
        variable = data[self.name]
        if self.places is not None:
            return self.places[variable.values]
        assert self.cuts is not None
        return np.where(variable.missing, 0, np.searchsorted(self.cuts, variable.values) + 1)


@dataclass(frozen=True, repr=False, eq=False)
class _Counts(Sums):
    """Count the original rows of each class, and by query those selected in both tables.

    With weights, those selected count by them, and `squares` are the sums of their squares.
    """

    classes: Ints
    before: Tallies
    after: Tallies
    squares: Floats | None = None


def _ask(classes: Classes, queries: list[list[LevelChoice | Range]], piece: Comparison) -> _Counts:
    """Ask queries of some rows."""

    def count_selected(of_rows: Ints, data: Microdata) -> tuple[Tallies, Floats | None]:
        """Count by query how often each class is selected, and sum the squared weights."""
        weights = find_weights(data)
        selected = [_selected(query, data) for query in queries]
        if weights is None:
            counts = [np.bincount(of_rows[rows], minlength=count) for rows in selected]
            return np.array(counts), None
        sums = [np.bincount(of_rows[rows], weights[rows], minlength=count) for rows in selected]
        return np.array(sums), np.array([weights[rows] @ weights[rows] for rows in selected])

    count = classes.count
    one, other = (classes.of_rows(data) for data in piece.tables)
    before, squares = count_selected(one, piece.original)
    after, _ = count_selected(other, piece.released)
    return _Counts(np.bincount(one, minlength=count), before, after, squares)


def _dealt(classes: Ints, rows: int, generator: np.random.Generator) -> Ints:
    """Draw how many of `count` random rows are in each class."""
    total = int(classes.sum())
    if total < MOST_DEALT:
        return generator.multivariate_hypergeometric(classes, rows, method="marginals")
    return generator.multinomial(rows, classes / total)


def chi_squared(before: Tallies, after: Tallies) -> float:
    """Σ (x − y)² / (x + y), over the values that occur.

    >>> chi_squared(np.array([3, 0, 5]), np.array([1, 0, 5]))
    1.0
    """
    total = before + after
    occurs = total > 0
    return float(((before - after)[occurs] ** 2 / total[occurs]).sum())


def _selected(conditions: list[LevelChoice | Range], data: Microdata) -> Ints:
    rows = np.ones(data.n, np.bool_)
    for condition in conditions:
        rows &= condition.holds(data)
    return np.flatnonzero(rows)
