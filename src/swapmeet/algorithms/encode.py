"""Turn a table's columns into points with a distance: frozen, and replayable on other rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
from swapmeet.base.named_function import NamedFunction
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind
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


@dataclass(frozen=True, repr=False)
class Points:
    """Rows as points, column by column.

    `numbers` is (dimensions, n). `codes` is (nominal columns, n): levels from 0. Two rows whose
    levels a and b of column t differ are `costs[t, a] + costs[t, b]` apart, squared: the distance
    of their one-hot vectors, which are never made.
    """

    numbers: Floats
    codes: ShortInts
    costs: Floats
    levels: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<Points: {self.n} rows, {len(self.numbers)} numeric, {len(self.codes)} nominal>"

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.numbers.shape[1])

    @cached_property
    def least(self) -> Floats:
        """The lowest cost of a level, for each nominal column."""
        return np.array([min(costs) for costs in self._used()], dtype=np.float64)

    @cached_property
    def most(self) -> Floats:
        """The highest cost of a level, for each nominal column."""
        return np.array([max(costs) for costs in self._used()], dtype=np.float64)

    @cached_property
    def limits(self) -> Floats:
        """The lowest and the highest cost of a level, for each nominal column."""
        return np.stack([self.least, self.most], axis=1)

    def _used(self) -> list[list[float]]:
        pairs = zip(self.costs, self.levels, strict=True)
        return [costs[:count].tolist() for costs, count in pairs]

    def of(self, rows: Ints) -> Points:
        """Only these rows, in this order."""
        numbers, codes = self.numbers.take(rows, axis=1), self.codes.take(rows, axis=1)
        return replace(self, numbers=numbers, codes=codes)

    def squared_distances(self, other: Points) -> Floats:
        """From each row to the same row of other points of this space."""
        away = ((self.numbers - other.numbers) ** 2).sum(axis=0)
        for one, two, costs in zip(self.codes, other.codes, self.costs, strict=True):
            away += np.where(one == two, 0.0, costs[one] + costs[two])
        return np.asarray(away)

    def separate_groups(self, groups: ShortInts) -> Points:
        """The same points with walls: rows of different `groups` (codes) are infinitely apart."""
        count = int(groups.max(initial=0)) + 1
        width = max(self.costs.shape[1], count)
        costs = np.zeros((len(self.codes) + 1, width))
        costs[:-1, : self.costs.shape[1]] = self.costs
        costs[-1] = np.inf
        codes = np.concatenate([self.codes, groups[np.newaxis].astype(np.int32)])
        return replace(self, codes=codes, costs=costs, levels=(*self.levels, count))


@dataclass(frozen=True)
class Space:
    """Space in which distances of rows are taken: the scale of the columns and their weights.

    `near` are columns of the context that count, too, as far as they are there. A `distance` is a
    function of the user's, which takes the place of scale and weights: rows are no points then.
    """

    scale: str
    weights: float | dict[str, float]
    near: tuple[str, ...] = ()
    distance: NamedFunction | None = None

    def points(self, data: Microdata) -> Points:
        """The rows of `data` as points."""
        seen = self._see(data)
        encoding = Encoding.fit(seen, Scale(self.scale), _by_name(seen, self.weights))
        return encoding.points(seen)

    def values(self, data: Microdata) -> dict[str, npt.NDArray[Any]]:
        """The columns that count, by name, as a function of the user's sees them."""
        return {v.name: v.labels() for v in self._see(data).variables}

    def _see(self, data: Microdata) -> Microdata:
        """The masked columns, and those of the context that count."""
        if not self.near:
            return data
        others = tuple(v for v in data.context if v.name in self.near)
        return replace(data, variables=(*data.variables, *others), cache=None)

    def within(self, names: Collection[str]) -> Space:
        """The same space with these columns only."""
        if not isinstance(self.weights, dict):
            return self
        known = {*names, *self.near}
        kept = {name: weight for name, weight in self.weights.items() if name in known}
        return replace(self, weights=kept)

    def key(self, data: Microdata) -> tuple[str, tuple[tuple[str, float], ...]]:
        """Return what distinguishes the points of `data` from those in other spaces."""
        seen = self._see(data)
        weights = _by_name(seen, self.weights)
        return self.scale, tuple((name, weights.get(name, 1.0)) for name in seen.names)


def _by_name(data: Microdata, weights: float | dict[str, float]) -> dict[str, float]:
    """One number is the weight of every nominal column."""
    if not isinstance(weights, dict):
        return {v.name: weights for v in data.variables if v.kind is Kind.NOMINAL}
    data.require_names(weights, "`weights`")
    return weights
