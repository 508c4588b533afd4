"""Measure how far the rows of two columns belong together, beyond chance and order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from swapmeet.core.base.ranks import rank_by_middle
from swapmeet.core.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats, Labels
    from swapmeet.core.tables.microdata import Variable

TINY = 1e-9


def measure_dependence(one: Variable, other: Variable, run: Labels) -> float:
    """Measure how far two columns agree beyond chance, in standard deviations of a random order.

    The order is random inside each run. Levels agree in so many rows; numbers by the correlation
    of their ranks.
    """
    present = ~(one.missing | other.missing)
    first, second, run = one.values[present], other.values[present], run[present]
    if not len(first):
        return 0.0
    if one.kind is Kind.NOMINAL:
        return _compare_levels(first, second, run)
    return _correlate_ranks(first, second, run)


def _compare_levels(first: Labels, second: Labels, run: Labels) -> float:
    """Judge by the mean and the variance of agreements over all permutations (Hoeffding 1951)."""
    codes = np.unique(np.concatenate([first, second]), return_inverse=True)[1]
    cells = (int(run.max()) + 1, int(codes.max()) + 1)
    a, b = (
        np.bincount(run * cells[1] + part, minlength=cells[0] * cells[1]).reshape(cells)
        for part in np.split(codes, 2)
    )
    n, both = np.maximum(a.sum(axis=1), 1), (a * b).sum(axis=1)
    spread = both - (a * b * (a + b)).sum(axis=1) / n + (both / n) ** 2
    beyond = np.count_nonzero(first == second) - (both / n).sum()
    return _standardize(float(beyond), np.asarray(spread, np.float64), n)


def _correlate_ranks(first: Floats, second: Floats, run: Labels) -> float:
    n = np.maximum(np.bincount(run), 1)
    one, other = (_centre(rank_by_middle(values), run, n) for values in (first, second))
    spread = np.bincount(run, one**2) * np.bincount(run, other**2)
    return _standardize(float(one @ other), np.asarray(spread, np.float64), n)


def _centre(ranks: Floats, run: Labels, n: Labels) -> Floats:
    return np.asarray(ranks - (np.bincount(run, ranks) / n)[run])


def _standardize(beyond: float, spread: Floats, n: Labels) -> float:
    """In standard deviations; 0 where most runs have one value, as in a column that was sorted."""
    variances = np.where(n > 1, spread / np.maximum(n - 1, 1), 0.0)
    telling = variances > TINY
    if 2 * np.count_nonzero(telling) < len(n):
        return 0.0
    return beyond / float(np.sqrt(variances.sum()))
