"""A linear model fitted to one table, with the influence of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.errors import SchemaError, TableError
from swapmeet.measures.side_by_side.estimate import Estimate
from swapmeet.measures.side_by_side.rank import name_repeated, normalize_columns
from swapmeet.tables.schema import Kind

if TYPE_CHECKING:
    from swapmeet.base.arrays import Floats
    from swapmeet.tables.formulas import Formula
    from swapmeet.tables.microdata import Microdata

LONELY = 1.0 - 1e-6
"""A row with a leverage above this decides a coefficient alone."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A linear model fitted to one table.

    `robust` are standard errors that hold where the variance differs between rows (HC2 of MacKinnon
    and White). `cook` has a Cook's distance for each row, NaN where the row is not in the model.
    """

    beta: Floats
    errors: Floats
    robust: Floats
    r_squared: float
    rows: int
    cook: Floats


def fit(
    data: Microdata, like: Microdata, formula: Formula, weight: str | None = None
) -> tuple[list[str], Fit]:
    """The names of the coefficients, and the fit over complete rows; categories are `like`'s.

    With a column of survey weights, standard errors are those by the residuals of the rows.
    """
    names, design = formula.design(data, like)
    response, weights = formula.read_response(data), find_weights(data, weight)
    complete = ~(np.isnan(design).any(axis=1) | np.isnan(response)) & (weights > 0.0)
    design, response, root = design[complete], response[complete], np.sqrt(weights[complete])
    n, p = design.shape
    if n <= p:
        raise TableError(f"model: {formula.text} cannot be fitted: {n} rows for {p} terms.")
    design = design * root[:, None]
    scaled, scale = normalize_columns(design)
    q, r = np.linalg.qr(scaled)
    culprits = name_repeated(names, r)
    if culprits:
        raise TableError(
            f"model: {formula.text} cannot be fitted: {', '.join(culprits)} repeat the others."
        )
    inverse = np.linalg.inv(r)
    beta = inverse @ (q.T @ (root * response))
    residual = root * response - q @ (q.T @ (root * response))
    variance = float(residual @ residual) / (n - p)
    errors = np.sqrt(variance * (inverse**2).sum(axis=1))
    robust = robust_errors(q, inverse, residual, variance)
    total = _find_variation(q, root, response)
    r_squared = 1.0 - float(residual @ residual) / total if total > 0 else np.nan
    cook = np.full(len(complete), np.nan)
    cook[complete] = cooks_distances(q, residual, variance)
    shown = errors if weight is None else robust
    return names, Fit(beta / scale, shown / scale, robust / scale, r_squared, n, cook)


def _find_variation(q: Floats, root: Floats, response: Floats) -> float:
    """Sum the squares that R² is a share of: about the mean, or about 0 without an intercept.

    As in statsmodels: a model without an intercept is not to be measured by one with it. One
    that has all categories of a column has a mean nevertheless.
    """
    has_mean = np.allclose(q @ (q.T @ root), root)
    middle = np.average(response, weights=root**2) if has_mean else 0.0
    return float((root**2 * (response - middle) ** 2).sum())


def find_weights(data: Microdata, weight: str | None) -> Floats:
    """The weight of each row, 1 without a column of weights and 0 where it is missing.

    Only their ratios count: they are divided by their mean.
    """
    if weight is None:
        return np.ones(data.n)
    if data[weight].kind is Kind.NOMINAL:
        raise SchemaError(
            [f"weight: {weight!r} is nominal; a weight needs numbers. If it has, make it numeric."]
        )
    weights = np.nan_to_num(data[weight].values, nan=0.0)
    if (weights < 0.0).any() or not (np.isfinite(weights).all() and weights.any()):
        raise TableError(f"weight: {weight!r} must be 0 or more in all rows, and above 0 in some.")
    scaled: Floats = weights / weights[weights > 0.0].mean()
    return scaled


def estimate(
    data: Microdata, like: Microdata, formula: Formula, weight: str | None = None
) -> Estimate:
    """Coefficients and standard errors only."""
    names, result = fit(data, like, formula, weight)
    return Estimate(
        names=tuple(names), beta=result.beta, errors=result.errors, robust=result.robust,
        rows=result.rows, freedom=result.rows - len(names), r_squared=result.r_squared,
    )  # fmt: skip


def robust_errors(q: Floats, inverse: Floats, residual: Floats, variance: float) -> Floats:
    """HC2: each squared residual stands for the variance of its row, raised by its leverage.

    A row that alone decides a coefficient has no residual; the variance of all stands for its own.
    """
    leverage = (q**2).sum(axis=1)
    lonely = leverage > LONELY
    variances = residual**2 / np.where(lonely, 1.0, 1.0 - leverage)
    variances[lonely] = variance
    weighted = (q * np.sqrt(variances)[:, None]) @ inverse.T
    return np.sqrt((weighted**2).sum(axis=0))


def cooks_distances(q: Floats, residual: Floats, variance: float) -> Floats:
    """Cook's distances: how far all fitted values move when a row is left out."""
    leverage = np.minimum((q**2).sum(axis=1), 1.0 - 1e-12)
    if variance == 0.0:
        return np.zeros(len(residual))
    return residual**2 / (q.shape[1] * variance) * leverage / (1.0 - leverage) ** 2
