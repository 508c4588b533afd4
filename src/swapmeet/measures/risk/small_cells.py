"""Small cells in the two-way tables of a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats
from swapmeet.base.params import Count
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score, Undefined
from swapmeet.comparison.sums import OF_ROWS, Sums
from swapmeet.intruders.nearest_records import of_1000
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.tables.microdata import Microdata

Cells = npt.NDArray[np.int64]
Pairs = tuple[tuple[str, str], ...]
Levels = Mapping[str, npt.NDArray[Any]]

MOST_LEVELS = 100
"""A column with more distinct values is not tabulated."""


@dataclass(frozen=True, kw_only=True)
class SmallCells(RiskMeasure):
    """The share of people in a small cell of a two-way table that the release shows truly.

    All pairs of known columns with few values are tabulated. A cell of the release with fewer than
    `least` records gives somebody away if it really is a small cell of the original and a record
    in it is that of a person who belongs there. Where the owners are unknown, every small cell of
    both tables counts.
    """

    name = "small-cells"
    growth = "rows × columns²"
    question = "How many people stay in the same small cell of a table?"
    coverage = Coverage.ALL

    least: Annotated[int, Count(2), "cells with fewer records are small"] = 3

    def score(self, comparison: Comparison) -> Score:
        levels = _levels(comparison)
        if len(levels) < 2:
            raise Undefined("fewer than two known columns have few enough values for a table")
        pairs = tuple(combinations(levels, 2))
        tables = comparison.gather(partial(_tabulate, levels, pairs), levels)
        judged = [self._judged(*both) for both in zip(tables.before, tables.after, strict=True)]
        keep, owners = comparison.in_memory, comparison.owners_known
        tally = comparison.gather(
            partial(_judge, levels, pairs, judged, owners_known=owners, keep=keep), levels
        )
        exposed = tally.exposed / comparison.n
        sentence = (
            f"{of_1000(exposed)} people are in a cell of fewer than {self.least} records "
            f"in some table of two of {len(levels)} known columns, as they do in the original; "
            f"{of_1000(tally.small / comparison.n)} released records are in some small cell."
        )
        details = {"columns tabulated": len(levels), "records in small cells": tally.small}
        return self.make_score(exposed, sentence, records=tally.records, details=details)

    def _judged(self, before: TableCounts, after: TableCounts) -> tuple[Cells, Cells]:
        """The cells that are small and truly so, and those that are small in the release."""
        rare = before.cells[before.counts < self.least]
        small = after.cells[after.counts < self.least]
        return np.intersect1d(rare, small, assume_unique=True), small


def _levels(comparison: Comparison) -> dict[str, npt.NDArray[Any]]:
    """The values of each known column with few enough in the original, in order."""
    distinct = comparison.gather(partial(_list_distinct, comparison.known), comparison.known)
    return {
        name: np.union1d(*values)
        for name, values in distinct.values.items()
        if len(values[0]) <= MOST_LEVELS
    }


@dataclass(frozen=True, repr=False, eq=False)
class _Values:
    """The distinct values of columns, in the original and in the release.

    Of a column with too many in the original they are cut off.
    """

    values: Mapping[str, tuple[npt.NDArray[Any], npt.NDArray[Any]]]

    def __add__(self, other: _Values) -> _Values:
        return _Values({
            name: _cut(np.union1d(one, first), np.union1d(two, second))
            for (name, (one, two)), (first, second)
            in zip(self.values.items(), other.values.values(), strict=True)
        })  # fmt: skip


def _list_distinct(names: tuple[str, ...], piece: Comparison) -> _Values:
    return _Values({
        name: _cut(np.unique(piece.original[name].values), np.unique(piece.released[name].values))
        for name in names
    })  # fmt: skip


def _cut(
    one: npt.NDArray[Any], other: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    too_many = len(one) > MOST_LEVELS
    return (one[: MOST_LEVELS + 1], other[:0]) if too_many else (one, other)


@dataclass(frozen=True, repr=False, eq=False)
class TableCounts:
    """The cells of a table that occur, in order, and how many rows are in each."""

    cells: Cells
    counts: Cells

    @classmethod
    def of(cls, cells: Cells) -> TableCounts:
        """Count those of some rows; at most `MOST_LEVELS` squared can occur, or a few more."""
        counts = np.bincount(cells)
        places = np.flatnonzero(counts)
        return cls(places, counts[places])

    def __add__(self, other: TableCounts) -> TableCounts:
        cells, places = np.unique(np.append(self.cells, other.cells), return_inverse=True)
        counts = np.zeros(len(cells), np.int64)
        np.add.at(counts, places, np.append(self.counts, other.counts))
        return TableCounts(cells, counts)


@dataclass(frozen=True, repr=False, eq=False)
class _Tables(Sums):
    """The counts of each table, in the original and in the release."""

    before: list[TableCounts]
    after: list[TableCounts]


def _tabulate(levels: Levels, pairs: Pairs, piece: Comparison) -> _Tables:
    return _Tables(*(
        [TableCounts.of(cells) for cells in _cells(data, levels, pairs)]
        for data in piece.tables
    ))  # fmt: skip


def _judge(
    levels: Levels, pairs: Pairs, judged: list[tuple[Cells, Cells]], piece: Comparison,
    *, owners_known: bool, keep: bool,
) -> _Exposed:  # fmt: skip
    """Flag the people in one of the small cells."""
    exposed, small = np.zeros(piece.original.n, bool), np.zeros(piece.released.n, bool)
    both = (_cells(data, levels, pairs) for data in piece.tables)
    for original, released, (truly, few) in zip(*both, judged, strict=True):
        seen = np.isin(original, truly)
        exposed |= seen & (original == released) if owners_known else seen
        small |= np.isin(released, few)
    records = exposed.astype(float) if keep else None
    return _Exposed(int(exposed.sum()), int(small.sum()), records)


@dataclass(frozen=True, repr=False, eq=False)
class _Exposed(Sums):
    """Numbers of people who are exposed, and of released records in small cells."""

    exposed: int
    small: int
    records: Floats | None = field(metadata=OF_ROWS)


def _cells(data: Microdata, levels: Levels, pairs: Pairs) -> Iterator[Cells]:
    """For each pair of columns, the cell of its table that each row is in."""
    codes = {name: np.searchsorted(known, data[name].values) for name, known in levels.items()}
    for one, other in pairs:
        yield codes[one] * len(levels[other]) + codes[other]
