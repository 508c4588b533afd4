"""Remainder of the gap between the relations of a release and those of the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats, Ints
    from swapmeet.methods.matched_swap.trading.features import Features


class Remainder(NamedTuple):
    """The largest changes; 0 where there are no such relations.

    Of a correlation; of the means of a number by category, in standard deviations (root mean
    square over the rows); of the table of two nominal columns, as a share of the rows.
    """

    correlation: float
    means: float
    table: float


def summarize_gap(features: Features, gap: Floats) -> Remainder:
    """Summarize what is left of the gap, relation by relation."""
    numbers, columns = features.numbers, features.columns
    apart = columns[:, np.newaxis] != columns
    size = np.where(apart, np.abs(gap), 0.0)
    roots = np.sqrt(features.shares[numbers:])
    tables = _add_by_column(size[numbers:, numbers:] * np.outer(roots, roots), columns[numbers:])
    squares = size[:numbers, numbers:] ** 2
    means = np.sqrt(_add_by_column(squares.T, columns[numbers:], both=False))
    return Remainder(
        float(size[:numbers, :numbers].max(initial=0.0)),
        float(means.max(initial=0.0)),
        float(tables.max(initial=0.0)) / 2.0,
    )


def _add_by_column(table: Floats, columns: Ints, *, both: bool = True) -> Floats:
    """The sum over the features of each column, down the table and, if so asked, across it."""
    starts = np.flatnonzero(np.diff(columns, prepend=-1))
    if not len(starts):
        return np.zeros((0, 0))
    down = np.add.reduceat(table, starts, axis=0)
    return np.asarray(np.add.reduceat(down, starts, axis=1) if both else down)
