"""Models that try to tell released rows from original ones (SJPPDS paper, A1.4: PS)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags, Floats, Ints
from swapmeet.base.params import Count
from swapmeet.base.sentences import figure
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score, Undefined
from swapmeet.measures.base import UtilityMeasure
from swapmeet.measures.utility.columns import (
    MOST_LEVELS,
    ROUNDING,
    Dummies,
    require_finite,
    some_rows,
)
from swapmeet.tables.schema import Kind

MOST_TERMS = 300
ROWS_PER_TERM = 4
"""With fewer rows for each term the model could separate any two tables."""
WORK = 2e9
"""Rows times squared columns; of very wide tables fewer rows are looked at."""
CERTAIN = 1e-6


@dataclass(frozen=True, kw_only=True)
class Propensity(UtilityMeasure):
    """Success of a logistic regression at telling released rows from original ones: 4 · PS.

    PS is the mean square of p − ½, where p is the fitted probability that a row is a released one.
    The terms are all numeric columns, their squares and products of two, nominal columns by
    level, and whether a value is missing; the fit has no penalty. 0 if the tables cannot be told
    apart, as for an unchanged release; 1 if every row can. The details compare with k / (4n), the
    expectation for n rows drawn at random from the original itself, with k terms; another sample of
    the same population would score twice that.

    Columns shuffled each on its own are recognised only by their products. Products are left out
    where there would be more than 300 terms, or fewer than four rows for each; then also squares.
    Terms that are combinations of others are dropped. Of larger tables a random `sample` of the
    same rows is taken of both; if their order differs, chance adds about twice the expectation.

    Where a term separates some rows perfectly, as on data with extreme values, no finite
    coefficients exist; the probabilities have a limit all the same, and that is reported.

    Sampling weights are not taken into account: each row counts as one.

    Reference: SJPPDS paper, A1.4; Woo and others (2009); Snoke and others (2018), the expectation.
    """

    name = "propensity"
    growth = "rows × columns, with at most 300 terms"
    public = True
    question = "Can a statistical model tell released rows from original ones?"

    sample: Annotated[int, Count(10), "rows of each table that are looked at, at most"] = 20_000

    def score(self, comparison: Comparison) -> Score:
        require_finite(comparison)
        rows = some_rows(comparison, self._most(len(comparison.original.names)), self.name)
        terms, order = _terms(comparison, rows)
        fit = fit_logistic(terms, np.repeat([False, True], len(rows)))
        if not fit.terms:
            raise Undefined("no column varies")
        value = 4.0 * float(((fit.probabilities - 0.5) ** 2).mean())
        expected = fit.terms / (4.0 * len(rows))
        certain = float((np.abs(fit.probabilities - 0.5) > 0.5 - CERTAIN).mean())
        sentence = (
            f"A model that tries to tell released rows from original ones scores {figure(value)} "
            f"between 0 (it cannot) and 1 (it always can); rows drawn at random from the original "
            f"would score about {figure(expected)}."
        )
        details: dict[str, Any] = {
            "expectation for rows drawn at random": expected,
            "ratio to expectation": value / expected,
            "terms": fit.terms,
            "terms dropped": terms.shape[1] - fit.terms,
            "order of terms": order,
            "converged": fit.converged,
            "share of rows recognised with certainty": certain,
            "rows of each table": len(rows),
        }
        return self.make_score(value, sentence, details=details)

    def _most(self, columns: int) -> int:
        return min(self.sample, max(ROWS_PER_TERM * columns, int(WORK / columns**2)))


def _terms(comparison: Comparison, rows: Ints) -> tuple[Floats, str]:
    """The terms of the stacked tables, original first, and which there are."""
    numbers = [z for name in comparison.numeric for z in _scores(comparison, name, rows)]
    others = [t for name in comparison.original.names for t in _others(comparison, name, rows)]
    p, room = len(numbers), min(MOST_TERMS, 2 * len(rows) // ROWS_PER_TERM) - len(others)
    columns, order = numbers, "columns only"
    if 2 * p <= room:
        columns, order = [*numbers, *(z**2 for z in numbers)], "columns and squares"
    if 2 * p + p * (p - 1) // 2 <= room:
        products = (one * other for i, one in enumerate(numbers) for other in numbers[:i])
        columns, order = [*columns, *products], "columns, squares and products"
    columns = [*columns, *others]
    return (np.stack(columns, axis=1) if columns else np.empty((2 * len(rows), 0))), order


def _scores(comparison: Comparison, name: str, rows: Ints) -> Iterator[Floats]:
    """A numeric column, standardised over both tables, its missing values at the mean."""
    values = _stacked(comparison, name, rows)
    missing = np.isnan(values)
    present = values[~missing]
    if not len(present):
        return
    low, width = present.min(), np.ptp(present)
    if width <= ROUNDING * np.abs(present).max():
        return
    unit = (values - low) / width
    mean, sd = unit[~missing].mean(), unit[~missing].std()
    yield np.where(missing, 0.0, (unit - mean) / sd)


def _others(comparison: Comparison, name: str, rows: Ints) -> Iterator[Floats]:
    """The levels of a nominal column; of a numeric one, whether the value is missing."""
    original, released = comparison.original[name], comparison.released[name]
    values = _stacked(comparison, name, rows)
    if original.kind is Kind.NOMINAL:
        most = min(MOST_LEVELS, MOST_TERMS // len(comparison.original.names))
        yield from Dummies.of(original, released, missing=True, most=most).terms(values)
    elif np.isnan(values).any():
        yield np.isnan(values).astype(np.float64)


def _stacked(comparison: Comparison, name: str, rows: Ints) -> npt.NDArray[Any]:
    tables = comparison.tables
    return np.concatenate([data[name].values[rows] for data in tables])


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
