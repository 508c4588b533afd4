"""The *unit* and *zscore* encodings of mixed data, with column weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.algorithms.encode.points import Points
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
    from swapmeet.tables.microdata import Microdata, Variable
    from swapmeet.tables.statistics import ColumnStatistics


class Scale(StrEnum):
    """Way to bring a column to the common scale before its weight applies; raw: none."""

    UNIT = "unit"
    ZSCORE = "zscore"
    RAW = "raw"


@dataclass(frozen=True, repr=False)
class NumericAxis:
    """A numeric or ordinal column: (value - centre) / spread * weight; missing sits at the mean.

    Where values were missing, a missing and a present value are `sqrt(2 * missing_cost)` apart
    besides: the distance of the 0/1 indicator.
    """

    name: str
    centre: float = 0.0
    spread: float = 0.0
    weight: float = 0.0
    missing_cost: float = 0.0
    facts: ColumnStatistics | None = None

    def __repr__(self) -> str:
        return f"<NumericAxis {self.name!r}>"

    @property
    def mean(self) -> float:
        """The mean of the column, found out when a value is missing."""
        return 0.0 if self.facts is None else self.facts.mean

    @property
    def can_differ(self) -> bool:
        """Return whether two rows can differ here."""
        return self.spread > 0.0 and self.weight > 0.0


@dataclass(frozen=True, repr=False)
class RankAxis(NumericAxis):
    """A column by the shares of rows below its values; a missing one is in the middle."""

    @property
    def mean(self) -> float:
        return 0.5


@dataclass(frozen=True, repr=False)
class NominalAxis:
    """A nominal column: the cost of each level, the missing value being the last."""

    name: str
    costs: tuple[float, ...]

    def __repr__(self) -> str:
        return f"<NominalAxis {self.name!r}>"


@dataclass(frozen=True)
class Encoding:
    """Result of `fit`: enough to place other rows in the same space."""

    axes: tuple[NumericAxis | NominalAxis, ...]

    @classmethod
    def fit(cls, data: Microdata, scale: Scale, weights: Mapping[str, float]) -> Encoding:
        """Learn the encoding of all columns of `data`; a column's weight is 1 unless given.

        Columns that cannot separate rows (constant, all missing, weight 0) get no axis.
        """
        data.require_finite()
        axes: list[NumericAxis | NominalAxis] = []
        for variable in data.variables:
            weight = weights.get(variable.name, 1.0)
            fit = _fit_nominal if variable.kind is Kind.NOMINAL else _fit_numeric
            axes.append(fit(variable, scale, weight))
        return cls(tuple(axes))

    @classmethod
    def of_both(
        cls, one: Microdata, other: Microdata, scale: Scale, *, each_by_its_own: bool
    ) -> tuple[Encoding, Encoding]:
        """Place the rows of two tables in one space, that of the first.

        `each_by_its_own`: the numeric columns of the second are scaled by their own figures.
        """
        first = cls.fit(one, scale, {})
        axes = tuple(_with_indicator(axis, other, scale) for axis in first.axes)
        second = axes
        if each_by_its_own:
            own = cls.fit(other, scale, {})
            second = tuple(map(_on_own_scale, axes, own.axes))
        return cls(axes), cls(second)

    def to_ranks(self) -> Encoding:
        """The encoding of the same columns with shares of rows in the place of numbers."""
        return Encoding(tuple(
            RankAxis(axis.name, 0.0, float(axis.spread > 0.0), axis.weight, axis.missing_cost)
            if isinstance(axis, NumericAxis)
            else axis
            for axis in self.axes
        ))  # fmt: skip

    @property
    def can_differ(self) -> bool:
        """Return whether two rows can differ at all."""
        return any(
            axis.can_differ or axis.missing_cost > 0.0
            if isinstance(axis, NumericAxis)
            else any(axis.costs)
            for axis in self.axes
        )

    def points(self, data: Microdata) -> Points:
        """Place the rows of `data`."""
        numbers: list[Floats] = []
        codes: list[ShortInts] = []
        costs: list[tuple[float, ...]] = []
        for axis in self.axes:
            values = data[axis.name].values
            if isinstance(axis, NumericAxis):
                missing = np.isnan(values)
                if axis.can_differ:
                    numbers.append(_place(values, missing, axis))
                if axis.missing_cost > 0.0:
                    codes.append(missing.astype(np.int32))
                    costs.append((axis.missing_cost, axis.missing_cost))
            elif any(axis.costs):
                last = len(axis.costs) - 1
                codes.append(np.where(values < 0, last, values).astype(np.int32))
                costs.append(axis.costs)
        return Points(
            np.stack(numbers) if numbers else np.empty((0, data.n)),
            np.stack(codes) if codes else np.empty((0, data.n), np.int32),
            _padded(costs),
            tuple(map(len, costs)),
        )


def _fit_numeric(variable: Variable, scale: Scale, weight: float) -> NumericAxis:
    facts = variable.statistics
    if not facts.present:
        return NumericAxis(variable.name)
    if scale is Scale.UNIT:
        centre, spread, indicator = facts.low, facts.span, 1.0
    elif scale is Scale.RAW:
        centre, spread, indicator = 0.0, float(facts.varies), 1.0
    else:
        centre, spread, indicator = facts.mean, facts.sd, _sd_of_share(facts.missing, facts.rows)
    missing_cost = (weight / indicator) ** 2 / 2.0 if facts.missing else 0.0
    return NumericAxis(variable.name, centre, spread, weight, missing_cost, facts)


def _fit_nominal(variable: Variable, scale: Scale, weight: float) -> NominalAxis:
    counts = _counts_of_levels(variable)
    if np.count_nonzero(counts) < 2:
        return NominalAxis(variable.name, (0.0,) * len(counts))
    if scale is not Scale.ZSCORE:
        return NominalAxis(variable.name, (weight**2,) * len(counts))
    n = counts.sum()
    variances = counts * (n - counts) / (n * (n - 1.0))
    costs = weight**2 / np.where(variances > 0.0, variances, variances[variances > 0.0].min())
    return NominalAxis(variable.name, tuple(costs.tolist()))


def _counts_of_levels(variable: Variable) -> Ints:
    """Count the rows of each level; the missing value is the last."""
    counts = np.zeros(variable.levels + 1, np.int64)
    levels = variable.statistics.levels
    if levels is not None:
        counts[levels.values] = levels.counts
    counts[-1] = variable.statistics.missing
    return counts


def _with_indicator(
    axis: NumericAxis | NominalAxis, other: Microdata, scale: Scale
) -> NumericAxis | NominalAxis:
    """The axis with a place for missing values, if only the other table has some."""
    if isinstance(axis, NominalAxis) or axis.missing_cost > 0.0:
        return axis
    cost = _fit_numeric(other[axis.name], scale, axis.weight or 1.0).missing_cost
    return replace(axis, missing_cost=cost)


def _on_own_scale(
    axis: NumericAxis | NominalAxis, own: NumericAxis | NominalAxis
) -> NumericAxis | NominalAxis:
    if isinstance(axis, NominalAxis) or isinstance(own, NominalAxis):
        return axis
    if not (axis.can_differ and own.can_differ):
        return axis
    return replace(axis, centre=own.centre, spread=own.spread, facts=own.facts)


def _place(values: Floats, missing: Flags, axis: NumericAxis) -> Floats:
    placed = np.where(missing, axis.mean, values) if missing.any() else values.copy()
    placed -= axis.centre
    placed /= axis.spread
    placed *= axis.weight
    return placed


def _sd_of_share(some: int, n: int) -> float:
    """The standard deviation (divisor n - 1) of a 0/1 column that is 1 in some of the rows."""
    return math.sqrt(some * (n - some) / (n * (n - 1))) if n > 1 else 0.0


def _padded(costs: list[tuple[float, ...]]) -> Floats:
    table = np.zeros((len(costs), max(map(len, costs), default=1)))
    for row, values in zip(table, costs, strict=True):
        row[: len(values)] = values
    return table
