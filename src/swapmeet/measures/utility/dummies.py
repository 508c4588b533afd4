"""Nominal columns as 0/1 terms of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints, ShortInts
    from swapmeet.tables.microdata import Variable

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
