"""Logistic regression without a penalty, by Newton's method with step halving."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swapmeet.base.arrays import Flags, Floats

ITERATIONS = 60
HALVINGS = 30
STILL = 1e-10
"""The deviance has come to rest when it changes by less than this share."""
NOTHING = 1e-8
"""All rows are told apart when less than this is left of the deviance of a row."""
STEADY = 1e-8
"""Pivots below this share of the largest make a solution unsteady."""
RANK = 1e-9
"""A direction whose length is below this share of the longest is a combination of others."""


@dataclass(frozen=True, repr=False, eq=False)
class Logistic:
    """The fitted probabilities; `terms` counts independent ones, without the intercept."""

    probabilities: Floats
    terms: int
    converged: bool


def fit_logistic(terms: Floats, truth: Flags) -> Logistic:
    """Fit `truth` by `terms` (a column each) and an intercept; collinear terms are dropped.

    Where the terms separate some rows perfectly, coefficients run away but probabilities do not:
    they tend to 0 and 1 there, and the deviance comes to rest.

    >>> x = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> fit = fit_logistic(x, np.array([False, True, False, True]))
    >>> fit.probabilities.round(3).tolist(), fit.converged
    ([0.302, 0.397, 0.603, 0.698], True)
    """
    return _climb(_basis(terms), truth)


def _climb(basis: Floats, truth: Flags) -> Logistic:
    """From even chances to the maximum of the likelihood."""
    from scipy.special import expit

    aim = truth.astype(np.float64)
    weights, reached = np.zeros(basis.shape[1]), np.zeros(len(aim))
    deviance = _deviance(reached, truth)
    converged = False
    for _ in range(ITERATIONS):
        step = _newton_step(basis, expit(reached), aim)
        weights, reached, lower = _downhill(basis, weights, step, truth, deviance)
        converged = deviance - lower <= STILL * lower or lower <= NOTHING * len(aim)
        deviance = lower
        if converged:
            break
    return Logistic(expit(reached), basis.shape[1] - 1, converged)


def _basis(terms: Floats) -> Floats:
    """Orthogonal columns that span the intercept and the terms."""
    from scipy.linalg import qr

    n = len(terms)
    centred = terms - terms.mean(axis=0)
    scale = np.sqrt((centred**2).mean(axis=0))
    varies = scale > RANK * np.abs(terms).max(axis=0, initial=0.0)
    orthogonal, triangle = np.linalg.qr(centred[:, varies] / scale[varies])
    turned, lengths, _ = qr(triangle, pivoting=True)
    lengths = np.abs(np.diag(lengths))
    rank = int((lengths > RANK * lengths.max(initial=0.0)).sum())
    return np.column_stack([np.ones(n), orthogonal @ turned[:, :rank] * np.sqrt(n)])


def _newton_step(basis: Floats, chances: Floats, aim: Floats) -> Floats:
    slope = basis.T @ (aim - chances)
    curvature = basis.T @ (basis * (chances * (1.0 - chances))[:, np.newaxis])
    return _solved(curvature, slope)


def _solved(matrix: Floats, right: Floats) -> Floats:
    """Solve by Cholesky, or where the matrix is nearly singular give the shortest solution."""
    from scipy.linalg import LinAlgError, cho_solve, cholesky

    try:
        lower = cholesky(matrix, lower=True)
    except LinAlgError:
        return _shortest(matrix, right)
    pivots = np.diag(lower)
    if pivots.min() < STEADY * pivots.max():
        return _shortest(matrix, right)
    solution: Floats = cho_solve((lower, True), right)
    return solution


def _shortest(matrix: Floats, right: Floats) -> Floats:
    from scipy.linalg import lstsq

    solution: Floats = lstsq(matrix, right, cond=1e-12)[0]
    return solution


def _downhill(
    basis: Floats, weights: Floats, step: Floats, truth: Flags, deviance: float
) -> tuple[Floats, Floats, float]:
    """The step, halved until the deviance falls; none if it never does."""
    for _ in range(HALVINGS):
        reached = basis @ (weights + step)
        lower = _deviance(reached, truth)
        if lower <= deviance:
            return weights + step, reached, lower
        step = step / 2.0
    return weights, basis @ weights, deviance


def _deviance(reached: Floats, truth: Flags) -> float:
    """Twice the negative log-likelihood."""
    return float(2.0 * np.logaddexp(0.0, np.where(truth, -reached, reached)).sum())
