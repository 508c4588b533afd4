"""Intervals: how far a figure may be off because the table is what chance made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

REPEATS = 400
MANY = 20_000


def of_share(count: float, total: int, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share; `count` may be an expected count.

    >>> low, high = of_share(0, 100, 0.95)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    from scipy.stats import beta

    tail = (1.0 - confidence) / 2.0
    low = float(beta.ppf(tail, count, total - count + 1.0)) if count > 0 else 0.0
    high = float(beta.ppf(1.0 - tail, count + 1.0, total - count)) if count < total else 1.0
    return low, high


def of_mean(
    values: npt.NDArray[np.float64], confidence: float, generator: np.random.Generator
) -> tuple[float, float]:
    """Bootstrap interval of a mean over rows; for many rows, the normal one.

    >>> low, high = of_mean(np.arange(100.0), 0.95, np.random.default_rng(1))
    >>> 42 < low < 46 < 53 < high < 57
    True
    """
    n = len(values)
    if n > MANY:
        return _normal(float(values.mean()), float(values.std(ddof=1)), n, confidence)
    means = np.empty(REPEATS)
    for repeat in range(REPEATS):
        means[repeat] = values[generator.integers(0, n, n)].mean()
    tail = 100.0 * (1.0 - confidence) / 2.0
    low, high = np.percentile(means, [tail, 100.0 - tail])
    return float(low), float(high)


def of_sums(total: float, squares: float, n: int, confidence: float) -> tuple[float, float]:
    """The normal interval of the mean of many values, from their sum and that of their squares.

    >>> low, high = of_sums(4950.0, 328350.0, 100, 0.95)
    >>> round(low, 1), round(high, 1)
    (43.8, 55.2)
    """
    mean = total / n
    return _normal(mean, max(squares - total * mean, 0.0) ** 0.5 / (n - 1) ** 0.5, n, confidence)


def _normal(mean: float, sd: float, n: int, confidence: float) -> tuple[float, float]:
    from scipy.stats import norm

    reach = float(norm.ppf((1.0 + confidence) / 2.0)) * sd / n**0.5
    return mean - reach, mean + reach
