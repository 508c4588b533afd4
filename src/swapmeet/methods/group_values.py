"""Treatment of a column's values inside groups: they trade places, or one stands for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.release.donors import MADE
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.tables.microdata import Variable


@dataclass(frozen=True, repr=False, eq=False)
class MaskedColumn:
    """Describe the change of a column; `companions` counts the values together, for each row.

    It is very large for rows that have no value to protect.
    """

    donors: Ints
    companions: Ints
    stuck: Ints
    made: Floats | None = None


def permute_values(labels: Ints, words: Ints) -> MaskedColumn:
    """Values trade places inside their group, at random."""
    from swapmeet.algorithms.exchange import permute_within_groups

    return trade_values(labels, permute_within_groups(labels, words))


def trade_values(labels: Ints, donors: Ints) -> MaskedColumn:
    """Values trade places inside their group, from these donors."""
    from swapmeet.algorithms.exchange import find_lone_rows

    rows = np.flatnonzero(labels >= 0)
    return MaskedColumn(donors, _count_companions(labels, rows), find_lone_rows(labels))


def average_values(variable: Variable, labels: Ints) -> MaskedColumn:
    """Values become the mean of their group, its lower median, or its most common level."""
    if variable.kind is Kind.NOMINAL:
        return _take_modes(variable, labels)
    rows = np.flatnonzero(~variable.missing)
    companions = _count_companions(labels, rows)
    stuck = np.flatnonzero(companions == 1)
    if variable.kind is Kind.ORDINAL:
        return MaskedColumn(_find_medians(variable, labels, rows), companions, stuck)
    return _make_means(variable, labels, rows, companions)


def _take_modes(variable: Variable, labels: Ints) -> MaskedColumn:
    """The most common level from a row that has it; a missing value counts as a level."""
    from swapmeet.algorithms.groups.average import find_modes

    rows = np.arange(len(labels))
    values, modes = variable.values, find_modes(variable.values, labels)[labels]
    companions = _count_companions(labels, rows)
    donors = np.where(values == values[modes], rows, modes)
    return MaskedColumn(donors, companions, np.flatnonzero(companions == 1))


def _find_medians(variable: Variable, labels: Ints, rows: Ints) -> Ints:
    """The donor of each value: a row that has the lower median, itself if it does."""
    from swapmeet.algorithms.groups.average import group_medians

    values = variable.values[rows]
    middle = group_medians(values, labels[rows])
    donors = np.arange(len(labels))
    donors[rows] = np.where(values == values[middle], rows, rows[middle])
    return donors


def _make_means(variable: Variable, labels: Ints, rows: Ints, companions: Ints) -> MaskedColumn:
    from swapmeet.algorithms.groups.average import group_means

    made = variable.values.copy()
    made[rows] = group_means(variable.values[rows], labels[rows])
    donors = np.arange(len(labels))
    donors[rows] = np.where(companions[rows] > 1, MADE, rows)
    return MaskedColumn(donors, companions, np.flatnonzero(companions == 1), made)


def _count_companions(labels: Ints, rows: Ints) -> Ints:
    """Count how many of some rows are in the group of each of them."""
    counts = np.full(len(labels), np.iinfo(np.int64).max)
    counts[rows] = np.bincount(labels[rows])[labels[rows]]
    return counts
