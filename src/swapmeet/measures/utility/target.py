"""Column that an analysis is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from swapmeet.comparison.score import Undefined
from swapmeet.errors import did_you_mean
from swapmeet.tables.schema import Kind, Role

if TYPE_CHECKING:
    from swapmeet.comparison.comparison import Comparison
    from swapmeet.tables.microdata import Variable

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
