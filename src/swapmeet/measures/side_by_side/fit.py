"""A model fitted to one table: linear, logistic or Poisson."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.base.quantiles import normal_quantile, student_quantile
from swapmeet.comparison.score import Undefined
from swapmeet.errors import SchemaError, TableError
from swapmeet.tables.formulas import Formula
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind

LONELY = 1.0 - 1e-6
"""A row with a leverage above this decides a coefficient alone."""


@dataclass(frozen=True, eq=False)
class LinearFit:
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
) -> tuple[list[str], LinearFit]:
    """The names of the coefficients, and the fit over complete rows; categories are `like`'s.

    With a column of survey weights, standard errors are those by the residuals of the rows.
    """
    names, design = formula.design(data, like)
    response, weights = formula.read_response(data), read_weights(data, weight)
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
    return names, LinearFit(beta / scale, shown / scale, robust / scale, r_squared, n, cook)


def _find_variation(q: Floats, root: Floats, response: Floats) -> float:
    """Sum the squares that R² is a share of: about the mean, or about 0 without an intercept.

    As in statsmodels: a model without an intercept is not to be measured by one with it. One
    that has all categories of a column has a mean nevertheless.
    """
    has_mean = np.allclose(q @ (q.T @ root), root)
    middle = np.average(response, weights=root**2) if has_mean else 0.0
    return float((root**2 * (response - middle) ** 2).sum())


def read_weights(data: Microdata, weight: str | None) -> Floats:
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


ITERATIONS = 50
HALVINGS = 20
STILL = 1e-9
"""A fit has come to rest when no linear predictor changes by more than this share of its size."""
TINY = 1e-300


class ResponseLaw(NamedTuple):
    """A distribution with its canonical link; the variance is also the slope of the mean."""

    start: Callable[[Floats], Floats]
    mean: Callable[[Floats], Floats]
    variance: Callable[[Floats], Floats]
    deviance: Callable[[Floats, Floats], Floats]
    reason: str


@dataclass(frozen=True, repr=False, eq=False)
class GLMFit:
    """Coefficients, the root of their covariance (`inverse @ inverse.T`) and fitted means."""

    beta: Floats
    inverse: Floats
    mean: Floats

    @property
    def errors(self) -> Floats:
        """Standard errors, if the model is right."""
        return np.sqrt((self.inverse**2).sum(axis=1))

    def sandwich(self, design: Floats, squares: Floats) -> Floats:
        """Standard errors by the squared residuals of the rows, be the model right or not."""
        scores = design * np.sqrt(squares)[:, None]
        return np.sqrt((((scores @ self.inverse) @ self.inverse.T) ** 2).sum(axis=0))


def fit_glm(
    names: Sequence[str], design: Floats, response: Floats, weights: Floats, law: ResponseLaw
) -> GLMFit:
    """The maximum of the likelihood; leave where there is none, with the term that runs away.

    >>> x = np.stack([np.ones(4), [-2.0, -1.0, 1.0, 2.0]], axis=1)
    >>> y, w = np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4)
    >>> fit_glm(["intercept", "x"], x, y, w, LOGISTIC).beta.round(3).tolist()
    [0.0, 0.42]
    """
    require_rank(names, design)
    scale = np.sqrt((design**2).mean(axis=0))
    scaled = design / np.where(scale > 0.0, scale, 1.0)
    beta, predictor = np.zeros(design.shape[1]), law.start(response)
    for step in range(ITERATIONS):
        aim, inverse = _solve(scaled, predictor, response, weights, law)
        if inverse is None:
            break
        old, (beta, reached) = beta, _climb(scaled, (beta, predictor), aim, response, weights,
                                            law, first=step == 0)  # fmt: skip
        change, predictor = np.abs(reached - predictor).max(), reached
        if change <= STILL * (1.0 + np.abs(predictor).max()):
            return GLMFit(beta / scale, inverse / scale[:, None], law.mean(predictor))
    worst = names[int(np.argmax(np.abs(aim - old)))]
    raise Undefined(f"{worst} grows without bound: {law.reason}")


def _solve(
    design: Floats, predictor: Floats, response: Floats, weights: Floats, law: ResponseLaw
) -> tuple[Floats, Floats | None]:
    """The least squares of one step, and the root of the covariance; None if it has none."""
    mean = law.mean(predictor)
    slope = np.maximum(law.variance(mean), TINY)
    root = np.sqrt(weights * slope)
    target = predictor + (response - mean) / slope
    q, r = np.linalg.qr(design * root[:, None])
    pivots = np.abs(np.diag(r))
    if pivots.min() <= RANK * pivots.max():
        return np.ones(design.shape[1]), None
    inverse = np.linalg.inv(r)
    return inverse @ (q.T @ (root * target)), inverse


def _climb(
    design: Floats,
    place: tuple[Floats, Floats],
    aim: Floats,
    response: Floats,
    weights: Floats,
    law: ResponseLaw,
    *,
    first: bool,
) -> tuple[Floats, Floats]:
    """The way to `aim`, or a part of it, if all of it leads downhill."""
    beta, predictor = place
    if first:
        return aim, design @ aim
    before = weights @ law.deviance(response, law.mean(predictor))
    for halving in range(HALVINGS):
        share = 0.5**halving
        tried = beta + share * (aim - beta)
        reached = design @ tried
        if weights @ law.deviance(response, law.mean(reached)) <= before * (1 + 1e-12) + 1e-12:
            return tried, reached
    return beta, predictor


def _logit_mean(predictor: Floats) -> Floats:
    from scipy.special import expit

    means: Floats = expit(predictor)
    return means


def _logit_deviance(response: Floats, mean: Floats) -> Floats:
    from scipy.special import xlogy

    deviance: Floats = -2.0 * (xlogy(response, mean) + xlogy(1.0 - response, 1.0 - mean))
    return deviance


def _log_deviance(response: Floats, mean: Floats) -> Floats:
    from scipy.special import xlogy

    mean = np.maximum(mean, TINY)
    deviance: Floats = 2.0 * (xlogy(response, response / mean) - (response - mean))
    return deviance


LOGISTIC = ResponseLaw(
    start=lambda response: np.where(response > 0.5, 1.0, -1.0),
    mean=_logit_mean,
    variance=lambda mean: mean * (1.0 - mean),
    deviance=_logit_deviance,
    reason="the terms predict the response of some rows perfectly (separation)",
)
POISSON = ResponseLaw(
    start=lambda response: np.log(response + 0.1),
    mean=lambda predictor: np.exp(np.minimum(predictor, 700.0)),
    variance=lambda mean: mean,
    deviance=_log_deviance,
    reason="some combination that the model asks for has no rows",
)


RANK = 1e-10
"""A term of length 1 of which less is left beside those before it repeats them."""


def normalize_columns(design: Floats) -> tuple[Floats, Floats]:
    """The columns at length 1, and their lengths; those of columns of zeros count as 1."""
    lengths = np.sqrt((design**2).sum(axis=0))
    lengths[lengths == 0.0] = 1.0
    return design / lengths, lengths


def name_repeated(names: Sequence[str], triangle: Floats) -> list[str]:
    """The terms that repeat those before them, by the triangle of the QR decomposition.

    >>> name_repeated(["a", "b"], np.array([[1.0, 1.0], [0.0, 0.0]]))
    ['b']
    """
    weak = np.abs(np.diag(triangle)) < RANK
    return [name for name, is_weak in zip(names, weak, strict=True) if is_weak]


def require_rank(names: Sequence[str], design: Floats, *, spare: int = 0) -> None:
    """Leave where there are too few rows, or where terms are combinations of others."""
    n, p = design.shape
    if n < p + spare:
        raise Undefined(f"{n} rows for {p} terms")
    scaled, _ = normalize_columns(design)
    culprits = name_repeated(names, np.asarray(np.linalg.qr(scaled, mode="r")))
    if culprits:
        verb = "repeats" if len(culprits) == 1 else "repeat"
        raise Undefined(f"{', '.join(culprits)} {verb} the others")


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Estimate:
    """Coefficients, the standard errors that an analyst reads, and `robust` ones, which also hold
    where errors vary with the terms; `freedom` are the degrees of freedom of the t distribution.
    """

    names: tuple[str, ...]
    beta: Floats
    errors: Floats
    robust: Floats
    rows: int
    freedom: float = np.inf
    r_squared: float | None = None

    def half_width(self, level: float) -> float:
        """Half the width of an interval of this level, in standard errors."""
        tail = 0.5 + level / 2.0
        if np.isinf(self.freedom):
            return normal_quantile(tail)
        return student_quantile(tail, self.freedom)
