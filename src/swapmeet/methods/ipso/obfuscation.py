"""Synthetic numbers that keep a regression (Burridge 2003); arrays have one line per column."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from swapmeet.algorithms.normal import condition, find_root, fit_pairs, list_patterns
from swapmeet.base.arrays import Flags, Floats, Ints

SPARE = 5
"""Rows are redrawn by themselves only if so many more of them than needed are free to vary."""
SETTLED = 1e-12
"""Predictors determine a column of which they leave no more than this share of the variance."""
RANK = 1e-10
"""A predictor adds nothing if others leave no more than this share of its length."""


class Exact(StrEnum):
    """Statistics that are exactly those of the original: Burridge's A, B and C."""

    NONE = "none"
    COEFFICIENTS = "coefficients"
    COVARIANCE = "covariance"


class Redrawn(NamedTuple):
    """New values, which cells stay because nothing varies, and how many rows are not exact."""

    values: Floats
    settled: Flags
    inexact: int


def need_rows(predictors: int, responses: int) -> int:
    """The fewest rows that can be redrawn.

    >>> need_rows(1, 2)
    9
    """
    return 1 + predictors + responses + SPARE


def redraw(predictors: Floats, responses: Floats, noise: Floats, exact: Exact) -> Redrawn:
    """New responses; `noise` are normal numbers of the same shape, and NaN is missing.

    Rows in which the same columns are missing keep their own regression, so that every analysis
    of complete rows gives what it gave. Where such rows are too few, they are drawn from the normal
    distribution that fits all rows.
    """
    known = np.vstack([~np.isnan(predictors), ~np.isnan(responses)])
    free = np.arange(len(known)) >= len(predictors)
    draws = Redrawn(responses.copy(), np.zeros(responses.shape, np.bool_), 0)
    rest: list[tuple[Flags, Ints]] = []
    for pattern, rows in list_patterns(known):
        hidden = np.flatnonzero(pattern[free])
        if not len(hidden):
            continue
        given = np.flatnonzero(pattern[~free])
        basis = _find_basis(predictors[np.ix_(given, rows)])
        if len(rows) - len(basis) < len(hidden) + SPARE:
            rest.append((pattern, rows))
            continue
        cells = np.ix_(hidden, rows)
        values, settled = _redraw_complete(basis, responses[cells], noise[cells], exact)
        draws.values[cells] = values
        draws.settled[cells] = settled[:, np.newaxis]
    if rest:
        _redraw_rest(rest, np.vstack([predictors, responses]), free, noise, draws)
    return draws._replace(inexact=sum(len(rows) for _, rows in rest))


def _find_basis(predictors: Floats) -> Floats:
    """Orthonormal lines that span the constant and the predictors; collinear ones count once."""
    from scipy.linalg import qr

    n = predictors.shape[1]
    constant = np.full((1, n), n**-0.5)
    if not len(predictors):
        return constant
    centred, spread = _standardise(predictors)
    axes, upper, _ = qr(centred[spread > 0].T, mode="economic", pivoting=True)
    lengths = np.abs(np.diag(upper))
    kept = axes.T[: len(lengths)][lengths > RANK * n**0.5]
    return np.vstack([constant, kept])


def _standardise(columns: Floats) -> tuple[Floats, Floats]:
    """Columns with mean 0 and length sqrt(n), or all 0; and their spread."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1)
    spread[spread <= SETTLED * np.abs(columns).max(axis=1, initial=0.0)] = 0.0
    scale = np.where(spread > 0, spread, 1.0)[:, np.newaxis]
    return np.where(spread[:, np.newaxis] > 0, centred / scale, 0.0), spread


def _redraw_complete(
    basis: Floats, responses: Floats, noise: Floats, exact: Exact
) -> tuple[Floats, Flags]:
    """New responses of rows without missing values, and which of them cannot vary."""
    scores, spread = _standardise(responses)
    residuals = _project_off(basis, scores)
    products = residuals @ residuals.T
    freedom = responses.shape[1] - len(basis)
    drawn = noise if exact is Exact.NONE else _project_off(basis, noise)
    if exact is Exact.COVARIANCE:
        values, vectors = np.linalg.eigh(drawn @ drawn.T)
        drawn = (vectors / np.sqrt(values)) @ (vectors.T @ drawn)
        drawn = find_root(products) @ drawn
    else:
        drawn = find_root(products / freedom) @ drawn
    settled = np.diag(products) <= SETTLED * responses.shape[1]
    made = responses + (drawn - residuals) * spread[:, np.newaxis]
    return np.where(settled[:, np.newaxis], responses, made), settled


def _project_off(basis: Floats, columns: Floats) -> Floats:
    """Project columns off the basis; twice, so that rounding leaves nothing along it."""
    for _ in range(2):
        columns = columns - (columns @ basis.T) @ basis
    return columns


def _redraw_rest(
    patterns: list[tuple[Flags, Ints]], columns: Floats, free: Flags, noise: Floats, draws: Redrawn
) -> None:
    """Draw rows from the normal law with the means and pairwise covariances of all rows."""
    fit = fit_pairs(columns)
    scores = fit.standardise(columns)
    for pattern, rows in patterns:
        hidden, given = pattern & free, pattern & ~free
        weights, root = condition(fit.correlations, hidden, given)
        cells = np.ix_(np.flatnonzero(pattern[free]), rows)
        drawn = weights @ scores[np.ix_(given, rows)] + root @ noise[cells]
        settled = (root**2).sum(axis=1) <= SETTLED
        made = fit.centre[hidden] + drawn * fit.spread[hidden]
        draws.values[cells] = np.where(settled[:, np.newaxis], draws.values[cells], made)
        draws.settled[cells] = settled[:, np.newaxis]
