"""What models of columns are made from: 0/1 terms, the column to explain, some of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swapmeet.base.arrays import Floats, Ints, ShortInts
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.errors import did_you_mean
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind, Role

MOST_LEVELS = 20
"""So many levels of a column have a term of their own; the rarer ones share one."""
_NONE = -1


@dataclass(frozen=True, repr=False, eq=False)
class Dummies:
    """The terms of a nominal column: one for each level but the most frequent of the original.

    Only levels that occur in one of the tables have a term; beyond the most frequent ones they
    share the last. The missing value may be a level.
    """

    name: str
    count: int
    _places: Ints
    """The term of each level, the missing value being the last; -1 for the most frequent one."""

    @classmethod
    def of(
        cls, original: Variable, released: Variable, *, missing: bool, most: int = MOST_LEVELS
    ) -> Dummies:
        """The terms of a column; with `missing`, the missing value is a level."""
        before, after = (_counts(variable) for variable in (original, released))
        occurs = before + after > 0
        occurs[-1] &= missing
        order = np.argsort(-before, kind="stable")
        order = order[occurs[order]]
        places = np.full(len(before), _NONE)
        places[order] = np.minimum(np.arange(len(order)) - 1, most)
        return cls(original.name, int(places.max(initial=_NONE)) + 1, places)

    def terms(self, codes: ShortInts) -> Floats:
        """A row for each term."""
        terms = np.zeros((self.count, len(codes)))
        places = self._places[codes]
        rows = np.flatnonzero(places != _NONE)
        terms[places[rows], rows] = 1.0
        return terms

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the terms; levels are numbered, since their names are values."""
        return tuple(f"{self.name} (level {number + 2})" for number in range(self.count))


def _counts(variable: Variable) -> Ints:
    """Count each level; the missing value is the last."""
    counts = np.zeros(variable.levels + 1, np.int64)
    counts[variable.known.values] = variable.known.counts
    counts[-1] = variable.statistics.missing
    return counts


MOST_CLASSES = 50
"""A column with more levels is not chosen for prediction unless it is named."""


def to_explain(comparison: Comparison, target: str | None) -> str:
    """The column that a regression explains: the one named, or the last masked numeric one."""
    if target is not None:
        if _varying(comparison, target).kind is Kind.NOMINAL:
            raise Undefined(f"{target!r} is nominal, and a regression explains numbers")
        return target
    candidates = [v for v in _masked(comparison) if v.kind is not Kind.NOMINAL and _varies(v)]
    candidates.sort(key=lambda variable: variable.kind is Kind.NUMERIC)
    return _last(candidates, "no masked column has numbers that vary")


def to_predict(comparison: Comparison, target: str | None) -> str:
    """The column to predict: the one named, or the last sensitive one, or the last masked one."""
    if target is not None:
        return _varying(comparison, target).name
    candidates = [v for v in _masked(comparison) if _varies(v) and v.levels <= MOST_CLASSES]
    candidates.sort(key=lambda variable: variable.role is Role.SENSITIVE)
    return _last(candidates, "no masked column has values that vary and repeat")


def to_count(comparison: Comparison, target: str | None) -> str:
    """The column whose values are counted: the one named, or the first sensitive nominal one.

    Where there is none, the last nominal one; where there is none either, the last masked one.
    """
    if target is not None:
        return _varying(comparison, target).name
    nominal = [v for v in comparison.original.variables if v.kind is Kind.NOMINAL and _varies(v)]
    sensitive = [v for v in nominal if v.role is Role.SENSITIVE]
    if sensitive:
        return sensitive[0].name
    candidates = nominal or [v for v in _masked(comparison) if _varies(v)]
    return _last(candidates, "no column has values that vary")


def _masked(comparison: Comparison) -> list[Variable]:
    return [comparison.original[name] for name in comparison.masked]


def _varying(comparison: Comparison, name: str) -> Variable:
    """The named column, which must be there and vary."""
    names = comparison.original.names
    if name not in names:
        hint = did_you_mean(name, names).rstrip(".")
        raise Undefined(f"the tables have no common column {name!r}{hint}")
    if not _varies(comparison.original[name]):
        raise Undefined(f"{name!r} does not vary in the original")
    return comparison.original[name]


def _varies(variable: Variable) -> bool:
    facts = variable.statistics
    return facts.varies if variable.kind is not Kind.NOMINAL else len(variable.known.values) > 1


def _last(candidates: list[Variable], otherwise: str) -> str:
    if not candidates:
        raise Undefined(otherwise)
    return candidates[-1].name


def some_rows(comparison: Comparison, most: int, label: str) -> Ints:
    """At most `most` rows, at random and in order; the same for the same number of rows."""
    if comparison.n <= most:
        return np.arange(comparison.n)
    stream = comparison.streams.stream(label, "rows")
    return np.sort(stream.choice(comparison.n, most, replace=False, shuffle=False))
