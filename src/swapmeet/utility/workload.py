"""Random queries that count values among selected rows (KLθ paper, 4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from swapmeet.measures import Comparison
    from swapmeet.microdata import Microdata, Variable

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

CLASSES = 10
"""A numeric column is counted in so many classes, equally frequent in the original."""
FEW = 2
"""A numeric column with no more values than this is selected by value, not by range."""


@dataclass(frozen=True, repr=False, eq=False)
class Choice:
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
class Condition:
    """What conditions on a column of the original are drawn from.

    Levels are in order of frequency, since their codes depend on the order of rows.
    """

    name: str
    kind: Kind
    values: npt.NDArray[Any]
    levels: int

    @classmethod
    def on(cls, variable: Variable) -> Condition | None:
        """None if the column has nothing to choose between."""
        present, counts = np.unique(variable.values[~variable.missing], return_counts=True)
        if len(present) < 2:
            return None
        if variable.kind is Kind.NOMINAL:
            present = present[np.argsort(counts, kind="stable")]
        return cls(variable.name, variable.kind, present, variable.levels)

    def drawn(self, generator: np.random.Generator) -> Choice | Range:
        """A random half of the levels, or everything between two random values."""
        if self.kind is Kind.NOMINAL:
            wanted = np.zeros(self.levels + 1, np.bool_)
            half = (len(self.values) + 1) // 2
            wanted[generator.permutation(self.values)[:half]] = True
            return Choice(self.name, wanted)
        count = 1 if len(self.values) <= FEW else 2
        ends = self.values[generator.choice(len(self.values), count, replace=False)]
        return Range(self.name, float(ends.min()), float(ends.max()))


@dataclass(frozen=True, repr=False, eq=False)
class Workload:
    """Queries for the counts of a column's values, under conditions on other columns."""

    comparison: Comparison
    target: str
    conditions: int
    keys: tuple[Condition, ...]
    """The columns that may be selected by."""

    @classmethod
    def of(cls, comparison: Comparison, target: str, conditions: int) -> Workload:
        """Queries that select by any column but the one counted."""
        others = (v for v in comparison.original.variables if v.name != target)
        keys = tuple(found for found in map(Condition.on, others) if found is not None)
        return cls(comparison, target, min(conditions, len(keys)), keys)

    def counts(self, queries: int, generator: np.random.Generator) -> Iterator[tuple[Ints, ...]]:
        """For each query the counts in the original, the release, and a blind release.

        The blind one is the original with the counted values dealt out at random: as many of them
        as rows were selected, from a random place in a random order.
        """
        original, released = self._classes()
        blind = generator.permutation(np.sort(original))
        levels = int(max(original.max(), released.max())) + 1
        for _ in range(queries):
            drawn = [key.drawn(generator) for key in self._picked(generator)]
            before = _selected(drawn, self.comparison.original)
            after = _selected(drawn, self.comparison.released)
            dealt = (generator.integers(len(blind)) + np.arange(len(before))) % len(blind)
            yield tuple(
                np.bincount(classes[rows], minlength=levels)
                for classes, rows in ((original, before), (released, after), (blind, dealt))
            )

    def _picked(self, generator: np.random.Generator) -> list[Condition]:
        """Random columns to select by; all of them, in order, where there are no more."""
        if len(self.keys) == self.conditions:
            return list(self.keys)
        picks = generator.choice(len(self.keys), self.conditions, replace=False)
        return [self.keys[pick] for pick in picks]

    def _classes(self) -> tuple[Ints, Ints]:
        """The class of each row in original and release; 0 is a missing value."""
        one, other = self.comparison.original[self.target], self.comparison.released[self.target]
        if one.kind is Kind.NOMINAL:
            places = np.zeros(one.levels + 1, np.int64)
            counts = np.bincount(one.values + 1, minlength=one.levels + 1)[1:]
            places[np.argsort(counts, kind="stable")] = np.arange(one.levels) + 1
            return places[one.values], places[other.values]
        present = one.values[~one.missing]
        cuts = np.unique(np.quantile(present, np.arange(1, CLASSES) / CLASSES, method="lower"))
        return tuple(
            np.where(v.missing, 0, np.searchsorted(cuts, v.values) + 1) for v in (one, other)
        )  # type: ignore[return-value]


def chi_squared(before: Ints, after: Ints) -> float:
    """Σ (x − y)² / (x + y), over the values that occur.

    >>> chi_squared(np.array([3, 0, 5]), np.array([1, 0, 5]))
    1.0
    """
    total = before + after
    occurs = total > 0
    return float(((before - after)[occurs] ** 2 / total[occurs]).sum())


def _selected(conditions: list[Choice | Range], data: Microdata) -> Ints:
    rows = np.ones(data.n, np.bool_)
    for condition in conditions:
        rows &= condition.holds(data)
    return np.flatnonzero(rows)
