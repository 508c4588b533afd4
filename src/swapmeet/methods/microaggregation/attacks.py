"""Expectation of an intruder who knows the groups about a value that stayed inside them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.intruders.evidence import UNSURE, Agreement, Gaussian, GroupShares
from swapmeet.intruders.evidence.base import DOUBT
from swapmeet.methods.group_values import average_values
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.base.arrays import Ints
    from swapmeet.intruders.evidence import Evidence, Likelihood

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
