"""Columns of any kind as standardised features, and products of two of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from swapmeet.core.base.ranks import rank_by_middle
from swapmeet.core.tables.schema import Kind
from swapmeet.measures.utility.columns import ROUNDING
from swapmeet.measures.utility.dummies import Dummies

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from swapmeet.core.base.arrays import Flags, Floats, Ints
    from swapmeet.measures.comparison import Comparison

MOST_LEVELS = 12
"""So many levels of a column have a feature of their own; the rarer ones share one."""
BROADEST = 400
"""Features in all, about; of very wide tables fewer levels have one of their own."""
TIE = 9
"""Differences that agree to so many places are taken for the same, whatever the rounding."""


@dataclass(frozen=True, repr=False, eq=False)
class Features:
    """Features of the stacked rows of both tables, original first, a column each.

    A numeric column has its numbers or their ranks, a nominal one has its levels; either has
    whether its value is missing. Each has mean 0 and standard deviation 1. `owners` numbers the
    column that a feature belongs to, `numeric` says which are numbers, `released` whose row it is.
    """

    values: Floats
    owners: Ints
    numeric: Flags
    released: Flags

    @classmethod
    def of(cls, comparison: Comparison, rows: Ints, *, by_rank: bool) -> Features:
        """The features of some rows of both tables."""
        names = comparison.original.names
        features = [list(_features(comparison, name, rows, by_rank=by_rank)) for name in names]
        columns = [feature for some in features for feature, _ in some]
        return cls(
            np.column_stack(columns) if columns else np.empty((2 * len(rows), 0)),
            np.repeat(np.arange(len(names)), [len(some) for some in features]),
            np.array([is_number for some in features for _, is_number in some], np.bool_),
            np.repeat([False, True], len(rows)),
        )

    def split(self, rows: Flags) -> tuple[Features, Features]:
        """The same features of some of the rows, and of the others."""
        return self._only(rows), self._only(~rows)

    def _only(self, rows: Flags) -> Features:
        return replace(self, values=self.values[rows], released=self.released[rows])

    @property
    def count_single_terms(self) -> int:
        """Return the number of features and of squares of numbers."""
        return self.values.shape[1] + int(self.numeric.sum())

    @property
    def single_terms(self) -> Floats:
        """The features, and the squares of numbers."""
        return np.hstack([self.values, self.values[:, self.numeric] ** 2])

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs of features of two columns."""
        first, second = np.nonzero(np.triu(self.owners[:, None] != self.owners, 1))
        return first, second

    def differing_pairs(self, most: int) -> tuple[Ints, Ints]:
        """Choose the pairs whose products differ most between the tables, by their means.

        They are ranked by the difference in its standard errors.
        """
        first, second = self.pairs
        size = np.abs(self._differences()[first, second]).round(TIE)
        order = np.argsort(-size, kind="stable")[:most]
        return first[order], second[order]

    def products(self, first: Ints, second: Ints) -> Floats:
        """The products of these pairs of features."""
        return self.values[:, first] * self.values[:, second]

    def _differences(self) -> Floats:
        """For every two features, how far the means of their product are apart."""
        before, after = self.values[~self.released], self.values[self.released]
        means = [part.T @ part / len(part) for part in (before, after)]
        squares = self.values**2
        variance = squares.T @ squares / len(squares) - ((means[0] + means[1]) / 2.0) ** 2
        error = np.sqrt(np.maximum(variance, 1e-12) * (1.0 / len(before) + 1.0 / len(after)))
        return np.asarray((means[1] - means[0]) / error)


def _features(
    comparison: Comparison, name: str, rows: Ints, *, by_rank: bool
) -> Iterator[tuple[Floats, bool]]:
    """The features of a column, and whether each is a number."""
    original, released = comparison.original[name], comparison.released[name]
    values = np.concatenate([original.values[rows], released.values[rows]])
    if original.kind is Kind.NOMINAL:
        most = max(min(MOST_LEVELS, BROADEST // len(comparison.original.names)), 1)
        for term in Dummies.of(original, released, missing=True, most=most).terms(values):
            yield from _standardise(term, is_number=False)
        return
    missing = np.isnan(values)
    if not missing.all():
        yield from _standardise((_rank if by_rank else _fill)(values, ~missing), is_number=True)
    yield from _standardise(missing.astype(np.float64), is_number=False)


def _rank(values: npt.NDArray[Any], present: Flags) -> Floats:
    """Ranks of the values that there are; a missing one is in the middle."""
    ranks = np.full(len(values), (np.count_nonzero(present) + 1) / 2.0)
    ranks[present] = rank_by_middle(values[present])
    return ranks


def _fill(values: npt.NDArray[Any], present: Flags) -> Floats:
    """Numbers from 0 to 1, all 0 if they differ by rounding only; missing ones have the mean."""
    low, width = values[present].min(), np.ptp(values[present])
    if width <= ROUNDING * np.abs(values[present]).max():
        return np.zeros(len(values))
    unit = (values - low) / width
    return np.where(present, unit, unit[present].mean())


def _standardise(term: Floats, *, is_number: bool) -> Iterator[tuple[Floats, bool]]:
    """Nothing, if it is the same in all rows."""
    if np.ptp(term) > 0.0:
        yield (term - term.mean()) / term.std(), is_number
