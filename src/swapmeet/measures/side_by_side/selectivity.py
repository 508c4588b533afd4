"""The error of counting queries by how much of a column they select (KLθ paper, 4.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.errors import SchemaError, TableError
from swapmeet.measures.side_by_side.models import require_columns
from swapmeet.measures.utility.columns import to_count
from swapmeet.measures.utility.workload import (
    ConditionSource,
    LevelChoice,
    Range,
    Workload,
    chi_squared,
)
from swapmeet.tables.schema import Kind

Sizes = Mapping[str, float]

OTHERS = 2
"""Other columns that a query selects by, as the measure `queries` does."""
POINTS = 16
"""Selectivities that are tried, at most."""
QUERIES, FEWEST, WORK = 300, 30, 3 * 10**7
"""Queries for each of them; of large tables fewer, so that rows times queries is `WORK`."""


@dataclass(frozen=True)
class SelectivityPoint:
    """The mean χ² error of queries that select a share of a column's values.

    `blind` is that of a release whose counted values were dealt out at random. Queries are the
    same for every release of a table, so that the errors of two releases may be compared.
    """

    selectivity: float
    queries: int
    error: float
    blind: float

    @property
    def value(self) -> float:
        """The error relative to that of a blind release, as the measure `queries` has it."""
        return self.error / max(self.blind, 1.0 / self.queries)


@dataclass(frozen=True)
class Selectivity:
    """Errors of answers about `target`, by the share of `column`'s values selected."""

    target: str
    column: str
    points: tuple[SelectivityPoint, ...]

    def to_dict(self) -> dict[str, Any]:
        """For machines."""
        points = [vars(point) | {"value": point.value} for point in self.points]
        return {"target": self.target, "column": self.column, "points": points}


def compare_selectivity(
    comparison: Comparison, target: str, column: str, others: Sizes | None = None
) -> Selectivity:
    """Ask random queries for the counts of `target` that select by `column`, and two others.

    With `others` they select by all of these instead, each with so many levels or a range so wide,
    as the author of KLθ does: {"race": 3, "education": 8, "sex": 2} beside age.
    """
    condition = _condition(comparison, target, column)
    if others is not None:
        require_columns("selectivity", tuple(others), comparison.original)
    number = min(QUERIES, max(WORK // comparison.n, FEWEST))
    points = (
        _point(_focused(comparison, target, condition, wanted, others), number)
        for wanted in _numbers_of_values(len(condition.values))
    )
    return Selectivity(target, column, tuple(points))


def _condition(comparison: Comparison, target: str, column: str) -> ConditionSource:
    require_columns("selectivity", [target, column], comparison.original)
    if target == column:
        raise SchemaError([f"selectivity: {target!r} is both counted and selected by. Name two."])
    try:
        to_count(comparison, target)
    except Undefined as reason:
        raise TableError(f"selectivity: {reason}. Count another column.") from None
    condition = ConditionSource.on(comparison, column)
    if condition is None:
        raise TableError(
            f"selectivity: {column!r} does not vary in the original. Select by another column."
        )
    return condition


def _numbers_of_values(there_are: int) -> list[int]:
    """From one value to all of them."""
    return sorted({round(x) for x in np.linspace(1, there_are, min(POINTS, there_are))})


def _point(workload: _Focused, number: int) -> SelectivityPoint:
    focus = workload.focus
    label = ("selectivity", workload.target, focus.name, focus.wanted)
    generator = workload.comparison.streams.stream(*label)
    errors, blind = np.zeros((2, number))
    for i, (before, after, dealt) in enumerate(workload.counts(number, generator)):
        errors[i], blind[i] = chi_squared(before, after), chi_squared(before, dealt)
    share = focus.wanted / len(focus.values)
    return SelectivityPoint(share, number, float(errors.mean()), float(blind.mean()))


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class _Narrowed(ConditionSource):
    """Conditions that want so many values of a column: any levels, or consecutive numbers."""

    wanted: int

    def draw(self, generator: np.random.Generator) -> LevelChoice | Range:
        if self.kind is Kind.NOMINAL:
            flags = np.zeros(self.levels + 1, np.bool_)
            flags[generator.permutation(self.values)[: self.wanted]] = True
            return LevelChoice(self.name, flags)
        first = int(generator.integers(len(self.values) - self.wanted + 1))
        last = first + self.wanted - 1
        return Range(self.name, float(self.values[first]), float(self.values[last]))


@dataclass(frozen=True, repr=False, eq=False)
class _Focused(Workload):
    """Queries that all select by one column, and by random others."""

    focus: _Narrowed

    def _pick(self, generator: np.random.Generator) -> list[ConditionSource]:
        return [self.focus, *super()._pick(generator)]


def _focused(
    comparison: Comparison, target: str, on: ConditionSource, wanted: int, others: Sizes | None
) -> _Focused:
    if others is None:
        keys = Workload.of(comparison, target, OTHERS).keys
    else:
        keys = Workload.by_keys(comparison, target, others, others).keys
    keys = tuple(key for key in keys if key.name != on.name)
    at_once = OTHERS if others is None else len(keys)
    focus = _Narrowed(on.name, on.kind, on.values, on.levels, wanted=wanted)
    return _Focused(comparison, target, min(at_once, len(keys)), keys, focus)
