"""Generalised linear models (logistic, Poisson), by iteratively reweighted least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.comparison.score import Undefined
from swapmeet.measures.side_by_side.rank import RANK, require_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from swapmeet.base.arrays import Floats

ITERATIONS = 50
HALVINGS = 20
STILL = 1e-9
"""A fit has come to rest when no linear predictor changes by more than this share of its size."""
TINY = 1e-300


class Family(NamedTuple):
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
    names: Sequence[str], design: Floats, response: Floats, weights: Floats, family: Family
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
    beta, predictor = np.zeros(design.shape[1]), family.start(response)
    for step in range(ITERATIONS):
        aim, inverse = _solve(scaled, predictor, response, weights, family)
        if inverse is None:
            break
        old, (beta, reached) = beta, _climb(scaled, (beta, predictor), aim, response, weights,
                                            family, first=step == 0)  # fmt: skip
        change, predictor = np.abs(reached - predictor).max(), reached
        if change <= STILL * (1.0 + np.abs(predictor).max()):
            return GLMFit(beta / scale, inverse / scale[:, None], family.mean(predictor))
    worst = names[int(np.argmax(np.abs(aim - old)))]
    raise Undefined(f"{worst} grows without bound: {family.reason}")


def _solve(
    design: Floats, predictor: Floats, response: Floats, weights: Floats, family: Family
) -> tuple[Floats, Floats | None]:
    """The least squares of one step, and the root of the covariance; None if it has none."""
    mean = family.mean(predictor)
    slope = np.maximum(family.variance(mean), TINY)
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
    family: Family,
    *,
    first: bool,
) -> tuple[Floats, Floats]:
    """The way to `aim`, or a part of it, if all of it leads downhill."""
    beta, predictor = place
    if first:
        return aim, design @ aim
    before = weights @ family.deviance(response, family.mean(predictor))
    for halving in range(HALVINGS):
        share = 0.5**halving
        tried = beta + share * (aim - beta)
        reached = design @ tried
        if (
            weights @ family.deviance(response, family.mean(reached))
            <= before * (1 + 1e-12) + 1e-12
        ):
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


LOGISTIC = Family(
    start=lambda response: np.where(response > 0.5, 1.0, -1.0),
    mean=_logit_mean,
    variance=lambda mean: mean * (1.0 - mean),
    deviance=_logit_deviance,
    reason="the terms predict the response of some rows perfectly (separation)",
)
POISSON = Family(
    start=lambda response: np.log(response + 0.1),
    mean=lambda predictor: np.exp(np.minimum(predictor, 700.0)),
    variance=lambda mean: mean,
    deviance=_log_deviance,
    reason="some combination that the model asks for has no rows",
)
