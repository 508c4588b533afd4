"""Distance of released numbers from the true ones (sdcMicro's IL1s)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.intervals import MANY, of_mean, of_sums
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.comparison.sums import JOIN, SAME, Sums
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.columns import Standards, plain_numbers_of

FARTHEST = 1e100


class CellDistance(UtilityMeasure):
    """The mean of |x − x*| / (sd · √2) over the masked numeric cells.

    It compares each row with its own released version, so it needs the owners. 0 for an unchanged
    release; a normal column shuffled at random gives 0.80. It says how far single values moved, not
    what an analysis loses: a method may move every value far and keep all relations.

    Cells that are missing in either table are left out, as are columns that are constant in the
    original; sd is that of the original. Each cell counts as one, whatever its row's sampling
    weight. The figure is not public: it would show an intruder how far a value may be from the
    truth.

    Reference: sdcMicro's `dUtility(method="IL1")`, called IL1old there; the details have its sums
    IL1 and IL1s, and `IL_variables`.
    """

    name = "cell-distance"
    growth = "rows × columns"
    question = "How far is a released number from the true one?"
    coverage = Coverage.ALL
    bounds = (0.0, np.inf)

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        numbers = comparison.once(plain_numbers_of)
        numbers.require(1)
        keep = comparison.in_memory or comparison.n <= MANY
        masked = numbers.only_masked
        sums = comparison.gather(partial(_measure, masked, keep=keep), masked.names)
        if not sums.cells:
            raise Undefined("no numeric cell has a value in both tables")
        columns, value = sums.columns, sums.total / sums.cells
        most = max(columns, key=lambda column: column.mean)
        sentence = (
            f"A released number is {value:.3f} away from the true one on average, where 0 is "
            f"unchanged and trading normal values at random gives 0.80; those of {most.name} are "
            f"farthest, {most.mean:.3f} on average."
        )
        details: dict[str, Any] = {
            "largest": most.mean,
            "largest in": most.name,
            "cells": sums.cells,
            "IL1 (sdcMicro)": sum(column.percent for column in columns),
            "IL1s (sdcMicro)": sums.total,
            "IL_variables (sdcMicro)": sum(column.bent for column in columns) / sums.cells,
        }
        return self.make_score(
            value,
            sentence,
            interval=sums.interval(),
            records=sums.records if comparison.in_memory else None,
            details=details,
        )


def _measure(numbers: Standards, piece: Comparison, *, keep: bool) -> _Found:
    """Measure how far the cells of some rows are from the true ones; `keep` sums of single rows."""
    sums, cells = np.zeros((2, piece.n))
    columns = []
    for name, spread in zip(numbers.names, numbers.spread, strict=True):
        column, distances = _Column.of(piece, name, spread)
        sums += np.nan_to_num(distances, nan=0.0)
        cells += ~np.isnan(distances)
        columns.append(column)
    rows = np.stack([sums, cells]) if keep else None
    return _Found(piece.n, float(sums.sum()), float(sums @ sums), tuple(columns), rows)


def _append_rows(some: Floats | None, others: Floats | None) -> Floats | None:
    return None if some is None or others is None else np.concatenate([some, others], axis=1)


@dataclass(frozen=True, repr=False, eq=False)
class _Found(Sums):
    """The sum of all distances, that of the squares of what each row has of it, by column."""

    n: int
    total: float
    squares: float
    columns: tuple[_Column, ...]
    rows: Floats | None = field(metadata={JOIN: _append_rows})

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return sum(column.cells for column in self.columns)

    @property
    def records(self) -> Floats | None:
        """The mean of each row."""
        return None if self.rows is None else self.rows[0] / np.maximum(self.rows[1], 1.0)

    def interval(self) -> tuple[float, float]:
        """That of the mean, over rows."""
        scale = self.n / self.cells
        if self.rows is not None:
            return of_mean(self.rows[0] * scale, CONFIDENCE, least=0.0)
        return of_sums(self.total * scale, self.squares * scale**2, self.n, CONFIDENCE)


@dataclass(frozen=True, repr=False, eq=False)
class _Column(Sums):
    """Number and sum of the distances of a column's cells, and sdcMicro's sums."""

    name: str = field(metadata=SAME)
    cells: int
    total: float
    percent: float
    bent: float

    @classmethod
    def of(cls, piece: Comparison, name: str, spread: float) -> tuple[_Column, Floats]:
        """The column, and the distances of its cells, NaN where one is missing."""
        before, after = piece.original[name].values, piece.released[name].values
        change, size = np.abs(before - after), np.abs(before)
        with np.errstate(over="ignore"):
            distances = np.minimum(change / (spread * np.sqrt(2.0)), FARTHEST)
            shares = change[size > 0.0] / size[size > 0.0]
        column = cls(
            name,
            int(np.count_nonzero(~np.isnan(distances))),
            float(np.nansum(distances)),
            100.0 * float(shares[shares < FARTHEST].sum()),
            2.0 / np.pi * float(np.nansum(np.arctan(change))),
        )
        return column, distances

    @property
    def mean(self) -> float:
        """The mean distance; 0 where there are no cells."""
        return self.total / max(self.cells, 1)
