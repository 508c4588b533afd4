"""Leaves of a tree: rows whose response is alike, found by cutting at values of the predictors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind

ROUNDING = 1e-12
"""A smaller decrease of the impurity, as a share of that of all rows, may be due to rounding."""


class Predictors(NamedTuple):
    """Columns that a tree may cut, as codes in the order of the values.

    Row j of `codes` has the code of each row in column j, from 0 to `levels[j]` - 1; `levels[j]`
    itself stands for a missing value. Row j of `orders` has the rows sorted by their code.
    """

    codes: ShortInts
    orders: ShortInts
    levels: Ints
    nominal: npt.NDArray[np.int8]

    @classmethod
    def of(cls, variables: Iterable[Variable], rows: Ints) -> Self:
        """The given rows of the variables, numbered anew from 0."""
        coded = [_encode(variable, rows) for variable in variables]
        return cls(
            np.array([codes for codes, _, _ in coded], np.int32).reshape(len(coded), len(rows)),
            np.array([order for _, order, _ in coded], np.int32).reshape(len(coded), len(rows)),
            np.array([levels for _, _, levels in coded], np.int64),
            np.array([v.kind is Kind.NOMINAL for v in variables], np.int8),
        )

    def first(self, count: int) -> Predictors:
        """The first columns only."""
        return Predictors(
            self.codes[:count], self.orders[:count], self.levels[:count], self.nominal[:count]
        )


class Response(NamedTuple):
    """Response to be alike in a leaf: classes from 0 to `kinds` - 1, or numbers if `kinds` is 0."""

    numbers: Floats
    classes: ShortInts
    kinds: int

    @classmethod
    def of_numbers(cls, values: Floats) -> Self:
        """Numbers, some of them present, scaled so that no square overflows.

        Infinite numbers count as the farthest finite ones.
        """
        finite = values[np.isfinite(values)]
        low, high = (finite.min(), finite.max()) if len(finite) else (-1.0, 1.0)
        scaled = np.clip(values, low, high) / (max(-low, high) or 1.0)
        return cls(scaled - np.nanmean(scaled), np.empty(0, np.int32), 0)

    @classmethod
    def of_classes(cls, codes: npt.NDArray[Any]) -> Self:
        """Classes; two of them do as numbers, whose variance is half their Gini impurity."""
        present, classes = np.unique(codes, return_inverse=True)
        if len(present) <= 2:
            return cls.of_numbers(classes.astype(np.float64))
        return cls(np.empty(0), classes.astype(np.int32), len(present))

    def impurity(self, rows: npt.NDArray[np.integer[Any]]) -> float:
        """Sum of squares about the mean, or Gini impurity times the number of rows."""
        if self.kinds:
            return len(rows) - float((np.bincount(self.classes[rows]) ** 2.0).sum()) / len(rows)
        return float(self.numbers[rows].var()) * len(rows)


@dataclass(frozen=True, repr=False, eq=False)
class DecisionTree:
    """A grown tree: its nodes, the levels that nominal cuts list, and the rows of its leaves."""

    nodes: ShortInts
    sets: ShortInts
    rows: ShortInts
    levels: Ints
    nominal: npt.NDArray[np.int8]

    @classmethod
    def grow(
        cls,
        predictors: Predictors,
        response: Response,
        *,
        min_leaf: int,
        min_gain: float,
        among: Flags | None = None,
    ) -> Self:
        """Cut where that lowers the impurity of the response most, until nothing is gained.

        Both sides of a cut hold at least `min_leaf` rows, and it lowers the impurity by more than
        `min_gain` times that of all rows. Only rows `among` those named take part.
        """
        from swapmeet.algorithms.groups.leaves.growth import grow

        orders = predictors.orders.copy()
        if among is not None:
            orders = orders[among[orders]].reshape(len(orders), -1)
        least = max(min_gain, ROUNDING) * response.impurity(orders[0])
        columns = predictors._replace(orders=orders)
        nodes, sets = grow(columns, response, min(min_leaf, orders.shape[1]), least)
        return cls(
            nodes.astype(np.int32), sets.astype(np.int32), orders[0].copy(), predictors.levels,
            predictors.nominal,
        )  # fmt: skip

    def leaves(self, fresh: ShortInts) -> tuple[Ints, Ints]:
        """The leaf that each fresh row reaches: where its rows begin in `rows`, and how many.

        `fresh[j, i]` is the code of fresh row i in predictor j.
        """
        from swapmeet.algorithms.groups.leaves.growth import FIRST, LAST, find_leaves

        reached = np.empty(fresh.shape[1], np.int64)
        find_leaves(self.nodes, self.sets, self.levels, self.nominal, fresh, reached)
        begin, end = self.nodes[reached, FIRST], self.nodes[reached, LAST]
        return begin, end - begin


def _encode(variable: Variable, rows: Ints) -> tuple[ShortInts, Ints, int]:
    """Codes, the rows sorted by them, and the code of a missing value."""
    values = variable.values[rows]
    if variable.kind is Kind.NOMINAL:
        codes = np.where(values < 0, variable.levels, values).astype(np.int32)
        return codes, np.argsort(codes, kind="stable"), variable.levels
    order = np.argsort(values, kind="stable")
    present = len(values) - int(np.isnan(values).sum())
    ascending = values[order]
    first = np.ones(len(values), np.bool_)
    first[1:] = ascending[1:] != ascending[:-1]
    first[present + 1 :] = False
    codes = np.empty(len(values), np.int32)
    codes[order] = np.cumsum(first) - 1
    return codes, order, int(first[:present].sum())
