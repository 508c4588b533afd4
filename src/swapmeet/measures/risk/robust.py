"""Robust scatter: the reweighted minimum covariance determinant (MCD)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from swapmeet.base.quantiles import chi_squared_quantile, chi_squared_share
from swapmeet.comparison.score import Undefined
from swapmeet.measures.risk.halves import Shape, best_half, moments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from swapmeet.base.arrays import Flags, Floats

ROWS_PER_COLUMN = 5
OUTLYING = 0.975


@dataclass(frozen=True)
class SmallSample:
    """Makes up for the bias of small samples: 1 / (1 - a / n^b).

    `one` and `two` are log a and b for as many columns; for more they follow from two points, the
    bias at n = 2 p² and at n = 3 p², which `twice` and `thrice` give as c / p^d.

    Reference: Pison, Van Aelst, Willems (2002).
    """

    one: tuple[float, float]
    two: tuple[float, float]
    twice: tuple[float, float]
    thrice: tuple[float, float]

    def factor(self, n: int, p: int) -> float:
        """For n rows and p columns."""
        if p <= 2:
            logarithm, power = self.one if p == 1 else self.two
        else:
            first, second = (np.log(c) - d * np.log(p) for c, d in (self.twice, self.thrice))
            power = (first - second) / np.log(1.5)
            logarithm = first + power * np.log(2.0 * p**2)
        return float(1.0 / (1.0 - np.exp(logarithm) / n**power))


RAW = SmallSample(
    one=(0.262024211897096, 0.604756680630497),
    two=(0.673292623522027, 0.691365864961895),
    twice=(1.42764571687802, 1.26263336932151),
    thrice=(1.06141115981725, 1.28907991440387),
)
REWEIGHTED = SmallSample(
    one=(1.11098143415027, 1.5182890270453),
    two=(3.11101712909049, 1.91401056721863),
    twice=(1.02842572724793, 1.67659883081926),
    thrice=(0.26800273450853, 1.35968562893582),
)


@dataclass(frozen=True, repr=False, eq=False)
class Scatter:
    """Robust centre and covariance; and which rows are the half they come from, and its log det."""

    centre: Floats
    covariance: Floats
    half: Flags
    determinant: float

    def __repr__(self) -> str:
        return f"<Scatter of {len(self.half)} rows and {len(self.centre)} columns>"

    def distances(self, values: Floats, centre: Floats) -> Floats:
        """Mahalanobis distances of rows from `centre`, in this covariance."""
        return np.sqrt(Shape.of(centre, self.covariance).squared_distances(values))


def robust_scatter(values: Floats, names: Iterable[str], generator: np.random.Generator) -> Scatter:
    """That of (rows, columns) without missing values; the order of the rows plays no part.

    The covariance of the best half, made consistent with that of normal data, says which records
    are outlying; the result is the covariance of the others, made consistent likewise. Undefined
    where half of the records lie on a plane, or where there are too few of them.
    """
    n, p = values.shape
    if n < ROWS_PER_COLUMN * p:
        raise Undefined(
            f"robust distances in {p} columns take {ROWS_PER_COLUMN * p} records without missing "
            f"values at least, and there are {n}"
        )
    half = best_half(values, tuple(names), generator)
    try:
        within, determinant = _not_outlying(values, half)
        centre, covariance = moments(values[within])
        covariance *= _consistency(p, within.mean()) * REWEIGHTED.factor(n, p)
        Shape.of(centre, covariance)
    except np.linalg.LinAlgError:
        raise Undefined(
            "half of the records differ so little, compared with the others, that rounding hides it"
        ) from None
    return Scatter(centre, covariance, half, determinant)


def _not_outlying(values: Floats, half: Flags) -> tuple[Flags, float]:
    n, p = values.shape
    centre, covariance = moments(values[half])
    scale = _consistency(p, half.mean()) * RAW.factor(n, p)
    shape = Shape.of(centre, covariance)
    within = shape.squared_distances(values) < scale * chi_squared_quantile(OUTLYING, p)
    return within, shape.determinant


def _consistency(p: int, share: float) -> float:
    """Return the factor that scales the covariance of the innermost `share` of normal data."""
    if share == 1.0:
        return 1.0
    return float(share / chi_squared_share(chi_squared_quantile(share, p), p + 2))
