"""Robust regression: Huber's M-estimate, by iteratively reweighted least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from swapmeet.measures.score import Undefined
from swapmeet.measures.side_by_side.rank import require_rank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from swapmeet.core.base.arrays import Floats

BEND = 1.345
"""Residuals beyond this many scales count less: 95 % as exact as least squares if all is normal."""
NORMAL = 0.6744897501960817
"""The median absolute deviation of a standard normal variable."""
ITERATIONS = 200
STILL = 1e-9
TINY = 1e-300
EXACT = 1e-6
"""A scale below this share of the largest residual is that of rows which fit exactly."""


class HuberFit(NamedTuple):
    """Coefficients, standard errors, and standard errors by the residuals of the rows."""

    beta: Floats
    errors: Floats
    robust: Floats


def fit_huber(names: Sequence[str], design: Floats, response: Floats) -> HuberFit:
    """Huber's proposal with the median absolute residual as the scale (Huber 1981, section 7).

    Standard errors are those of statsmodels' RLM ("H1") and of R's MASS::rlm but for the latter's
    degrees of freedom.
    """
    require_rank(names, design, spare=1)
    length = np.sqrt((design**2).sum(axis=0))
    scaled = design / length
    beta = np.linalg.lstsq(scaled, response, rcond=None)[0]
    for _ in range(ITERATIONS):
        residual = response - scaled @ beta
        scale = _find_scale(residual)
        root = np.sqrt(_weigh(residual / scale))
        old = beta
        beta = np.linalg.lstsq(scaled * root[:, None], response * root, rcond=None)[0]
        if np.abs(beta - old).max() <= STILL * (np.abs(beta).max() + TINY):
            errors, robust = _find_errors(scaled, response - scaled @ beta)
            return HuberFit(beta / length, errors / length, robust / length)
    raise Undefined(f"Huber's estimate did not come to rest in {ITERATIONS} steps")


def _find_scale(residual: Floats) -> float:
    scale = float(np.median(np.abs(residual))) / NORMAL
    if scale <= EXACT * float(np.abs(residual).max()):
        raise Undefined("half of the rows or more fit exactly, so that residuals have no scale")
    return scale


def _weigh(z: Floats) -> Floats:
    size = np.abs(z)
    return np.where(size <= BEND, 1.0, BEND / np.maximum(size, BEND))


def _find_errors(design: Floats, residual: Floats) -> tuple[Floats, Floats]:
    n, p = design.shape
    scale = _find_scale(residual)
    z = residual / scale
    pulls, inside = _weigh(z) * z, (np.abs(z) <= BEND).astype(np.float64)
    share = float(inside.mean())
    correction = 1.0 + p / n * float(inside.var()) / share**2
    inverse = np.linalg.inv(np.linalg.qr(design, mode="r"))
    spread = correction * scale * np.sqrt(float((pulls**2).sum()) / (n - p)) / share
    errors = spread * np.sqrt((inverse**2).sum(axis=1))
    scores = (design * pulls[:, None]) @ inverse @ inverse.T
    return errors, scale / share * np.sqrt((scores**2).sum(axis=0))
