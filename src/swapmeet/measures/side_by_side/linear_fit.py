"""A linear model fitted to one table, with the influence of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.errors import TableError
from swapmeet.measures.side_by_side.estimate import Estimate

if TYPE_CHECKING:
    import numpy.typing as npt

    from swapmeet.core.tables.formulas import Formula
    from swapmeet.core.tables.microdata import Microdata

    Floats = npt.NDArray[np.float64]

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


def fit(data: Microdata, like: Microdata, formula: Formula) -> tuple[list[str], Fit]:
    """The names of the coefficients, and the fit over complete rows; categories are `like`'s."""
    names, design = formula.design(data, like)
    response = data[formula.response].values
    complete = ~(np.isnan(design).any(axis=1) | np.isnan(response))
    design, response = design[complete], response[complete]
    n, p = design.shape
    scale = np.sqrt((design**2).sum(axis=0))
    scale[scale == 0.0] = 1.0
    q, r = np.linalg.qr(design / scale)
    weak = np.abs(np.diag(r)) < 1e-10
    if n <= p or weak.any():
        culprits = [name for name, is_weak in zip(names, weak, strict=True) if is_weak]
        reason = f"{', '.join(culprits)} repeat the others" if n > p else f"{n} rows for {p} terms"
        raise TableError(f"model: {formula.text} cannot be fitted: {reason}.")
    inverse = np.linalg.inv(r)
    beta = inverse @ (q.T @ response)
    residual = response - q @ (q.T @ response)
    variance = float(residual @ residual) / (n - p)
    errors = np.sqrt(variance * (inverse**2).sum(axis=1))
    total = float(((response - response.mean()) ** 2).sum())
    r_squared = 1.0 - float(residual @ residual) / total if total > 0 else np.nan
    cook = np.full(len(complete), np.nan)
    cook[complete] = cooks_distances(q, residual, variance)
    robust = robust_errors(q, inverse, residual, variance)
    return names, Fit(beta / scale, errors / scale, robust / scale, r_squared, n, cook)


def estimate(data: Microdata, like: Microdata, formula: Formula) -> Estimate:
    """Coefficients and standard errors only."""
    names, found = fit(data, like, formula)
    return Estimate(
        names=tuple(names), beta=found.beta, errors=found.errors, robust=found.robust,
        rows=found.rows, freedom=found.rows - len(names),
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
