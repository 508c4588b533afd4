"""How far released numbers are from the true ones (sdcMicro's IL1s)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from swapmeet.intervals import of_mean
from swapmeet.measures import CONFIDENCE, Comparison, Measure, Score, Undefined
from swapmeet.utility.columns import numbers_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.utility.columns import Numbers

    Floats = npt.NDArray[np.float64]

FARTHEST = 1e100


@dataclass(frozen=True, kw_only=True)
class CellDistance(Measure):
    """The mean of |x − x*| / (sd · √2) over the masked numeric cells.

    It compares each row with its own released version, so it needs the owners. 0 for an unchanged
    release; a normal column shuffled at random gives 0.80. It says how far single values moved, not
    what an analysis loses: a method may move every value far and keep all relations.

    Cells that are missing in either table are left out, as are columns that are constant in the
    original; sd is that of the original.

    Reference: sdcMicro's `dUtility(method="IL1")`, called IL1old there; the details have its sums
    IL1 and IL1s, and `IL_variables`.
    """

    name: ClassVar[str] = "cell-distance"
    question: ClassVar[str] = "How far is a released number from the true one?"
    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        numbers = comparison.once(numbers_of)
        numbers.require(1)
        columns = [_Column.of(comparison, numbers, int(j)) for j in np.flatnonzero(numbers.masked)]
        sums, cells = np.zeros((2, comparison.n))
        for column in columns:
            sums += np.nan_to_num(column.distances, nan=0.0)
            cells += ~np.isnan(column.distances)
        total = int(cells.sum())
        if not total:
            raise Undefined("no numeric cell has a value in both tables")
        value, most = float(sums.sum()) / total, max(columns, key=lambda column: column.mean)
        sentence = (
            f"A released number is {value:.3f} away from the true one on average, where 0 is "
            f"unchanged and trading normal values at random gives 0.80; those of {most.name} are "
            f"farthest, {most.mean:.3f} on average."
        )
        details: dict[str, Any] = {
            "largest": most.mean,
            "largest in": most.name,
            "cells": total,
            "IL1 (sdcMicro)": sum(column.percent for column in columns),
            "IL1s (sdcMicro)": float(sums.sum()),
            "IL_variables (sdcMicro)": sum(column.bent for column in columns) / total,
        }
        stream = comparison.streams.stream(self.name)
        return self.scored(
            value,
            sentence,
            interval=of_mean(sums * (comparison.n / total), CONFIDENCE, stream),
            records=sums / np.maximum(cells, 1.0),
            details=details,
        )


@dataclass(frozen=True, repr=False, eq=False)
class _Column:
    """The distances of a column's cells, NaN where one is missing; and sdcMicro's sums."""

    name: str
    distances: Floats
    percent: float
    bent: float

    @classmethod
    def of(cls, comparison: Comparison, numbers: Numbers, j: int) -> _Column:
        name = numbers.names[j]
        before, after = comparison.original[name].values, comparison.released[name].values
        change, size = np.abs(before - after), np.abs(before)
        with np.errstate(over="ignore"):
            distances = change / (numbers.original.spread[j] * np.sqrt(2.0))
            shares = change[size > 0.0] / size[size > 0.0]
        return cls(
            name,
            np.minimum(distances, FARTHEST),
            100.0 * float(shares[shares < FARTHEST].sum()),
            2.0 / np.pi * float(np.nansum(np.arctan(change))),
        )

    @property
    def mean(self) -> float:
        """The mean distance; 0 where there are no cells."""
        present = self.distances[~np.isnan(self.distances)]
        return float(present.mean()) if len(present) else 0.0
