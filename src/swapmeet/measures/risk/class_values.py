"""Facts that single equivalence classes of a release show about its sensitive columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.comparison.score import Undefined
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Role


def list_secrets(comparison: Comparison, known: Iterable[str]) -> tuple[str, ...]:
    """The sensitive columns that an intruder does not know."""
    known = tuple(known)
    return tuple(
        variable.name
        for variable in comparison.original.variables
        if variable.role is Role.SENSITIVE and variable.name not in known
    )


class ClassMeasure(Protocol):
    """Figures of each class in a column, a line for each figure; groups have no gaps."""

    def __call__(self, groups: Ints, variable: Variable) -> Floats: ...


@dataclass(frozen=True, repr=False, eq=False)
class ClassFigures:
    """Figures of classes, over all records: the least, the largest and the sum.

    Each has a line for each sensitive column and a place for each figure. `records` are the figures
    of single records, where all of them are at hand.
    """

    rows: int
    least: Floats
    most: Floats
    total: Floats
    records: Floats | None = None

    def __add__(self, other: ClassFigures) -> ClassFigures:
        return ClassFigures(
            self.rows + other.rows,
            np.minimum(self.least, other.least),
            np.maximum(self.most, other.most),
            self.total + other.total,
        )

    @property
    def mean(self) -> Floats:
        """The mean over records."""
        return self.total / self.rows


def measure_classes(
    comparison: Comparison, secrets: tuple[str, ...], measure: ClassMeasure, figures: int
) -> ClassFigures:
    """The figures of all classes of records that share the keys."""
    if not secrets:
        raise Undefined(
            "there is no sensitive column that the intruder does not know; give one the role "
            "sensitive"
        )
    look = _Look(secrets, measure, figures, comparison.in_memory)
    return comparison.gather_classes(look, list_keys(comparison), secrets)


def list_keys(comparison: Comparison) -> tuple[str, ...]:
    """The columns by which records are the same to an intruder."""
    return comparison.keys or comparison.known


@dataclass(frozen=True, repr=False, eq=False)
class _Look:
    """Looks at some classes; it is sent to other processes."""

    secrets: tuple[str, ...]
    measure: ClassMeasure
    figures: int
    keep: bool

    def __call__(self, classes: EquivalenceClasses) -> ClassFigures:
        shape = (len(self.secrets), self.figures)
        rows = len(classes.released)
        if not rows:
            nothing = np.zeros(shape)
            return ClassFigures(0, nothing + np.inf, nothing - np.inf, nothing)
        groups = np.unique(classes.released, return_inverse=True)[1]
        figures = np.stack([self.measure(groups, classes.data[name]) for name in self.secrets])
        sizes = np.bincount(groups)
        return ClassFigures(
            rows, figures.min(axis=2), figures.max(axis=2), figures @ sizes,
            figures[:, :, groups] if self.keep else None,
        )  # fmt: skip
