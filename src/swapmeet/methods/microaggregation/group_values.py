"""A column's values inside groups: how they are treated, and what an intruder expects of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.intruders.evidence import (
    UNSURE,
    Agreement,
    Evidence,
    Gaussian,
    GroupShares,
    Likelihood,
)
from swapmeet.intruders.evidence.base import DOUBT
from swapmeet.release.donors import MADE
from swapmeet.tables.microdata import Variable
from swapmeet.tables.schema import Kind


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
    from swapmeet.algorithms.groups.by_value import find_modes

    rows = np.arange(len(labels))
    values, modes = variable.values, find_modes(variable.values, labels)[labels]
    companions = _count_companions(labels, rows)
    donors = np.where(values == values[modes], rows, modes)
    return MaskedColumn(donors, companions, np.flatnonzero(companions == 1))


def _find_medians(variable: Variable, labels: Ints, rows: Ints) -> Ints:
    """The donor of each value: a row that has the lower median, itself if it does."""
    from swapmeet.algorithms.groups.by_value import group_medians

    values = variable.values[rows]
    middle = group_medians(values, labels[rows])
    donors = np.arange(len(labels))
    donors[rows] = np.where(values == values[middle], rows, rows[middle])
    return donors


def _make_means(variable: Variable, labels: Ints, rows: Ints, companions: Ints) -> MaskedColumn:
    from swapmeet.algorithms.groups.by_value import group_means

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


SHARP = 1e-3
"""A made mean is known up to this share of the column's standard deviation."""


def attack_trades(seen: Evidence, name: str, labels: Ints) -> Likelihood:
    """A value is that of a member of the person's group."""
    codes = seen.code(name)
    return GroupShares((name,), codes, labels, doubt=DOUBT if seen.complete else UNSURE)


def attack_averages(seen: Evidence, name: str, labels: Ints) -> Likelihood:
    """A value is what stands for the person's group: its mean, median or most common level."""
    nominal = seen.people[name].kind is Kind.NOMINAL
    return (_attack_modes if nominal else _attack_means)(seen, name, labels)


def _attack_modes(seen: Evidence, name: str, labels: Ints) -> Likelihood:
    """Rows have the most common level of their person's group.

    Who does not know the groups exactly is wrong about as often as people differ from it.
    """
    codes, donors = seen.code(name), average_values(seen.people[name], labels).donors
    modes = replace(codes, people=codes.people[donors])
    differ = float((modes.people != codes.people).mean())
    doubt = DOUBT if seen.complete else max(UNSURE, differ)
    return Agreement((name,), modes, doubt=doubt)


def _attack_means(seen: Evidence, name: str, labels: Ints) -> Likelihood:
    """Rows lie at the mean of their person's group, up to rounding, or near it."""
    variable = seen.people[name]
    column = average_values(variable, labels)
    means = variable.values[column.donors] if column.made is None else column.made
    spread = variable.statistics.sd or 1.0
    if seen.complete:
        width = SHARP * spread + (0.5 if variable.statistics.whole else 0.0)
    else:
        width = float(np.nanstd(variable.values - means)) or SHARP * spread
    rows = seen.released[name].values
    return Gaussian((name,), means[np.newaxis] / width, rows[np.newaxis] / width)
