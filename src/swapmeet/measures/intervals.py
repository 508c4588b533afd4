"""Intervals: the figure that one would get for people like these.

The meaning of every interval, in cards, reports and `tune`, is this one (docs/assessing.md,
*Intervals*): the people of the table are taken as a random sample of a population, and the interval
holds the figure of that population with a confidence of 95 %. Where only some people of the table
are looked at, their drawing is part of it. How columns are scaled (their ranges, means and standard
deviations) and how the release was drawn are taken as given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

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


def of_difference(
    one: tuple[int, int], other: tuple[int, int], confidence: float
) -> tuple[float, float]:
    """Interval of the difference of two shares, each a count and a total (Newcombe 1998).

    >>> low, high = of_difference((80, 100), (30, 100), 0.95)
    >>> round(low, 2), round(high, 2)
    (0.36, 0.62)
    """
    return _combine(_reach(*one, confidence), _reach(*other, confidence), 0.0)


def of_paired_difference(
    gained: int, lost: int, total: int, confidence: float
) -> tuple[float, float]:
    """Interval of a difference of shares of the same people, of whom some gained and some lost.

    >>> of_paired_difference(0, 0, 100, 0.95)[1] > 0.0
    True
    """
    one, other = gained / total, lost / total
    apart = one * (1.0 - one) * other * (1.0 - other)
    together = -one * other / apart**0.5 if apart > 0.0 else 0.0
    return _combine(_reach(gained, total, confidence), _reach(lost, total, confidence), together)


def _reach(count: int, total: int, confidence: float) -> tuple[float, float, float]:
    """A share, and how far its interval reaches below and above it."""
    low, high = of_share(count, total, confidence)
    return count / total, count / total - low, high - count / total


def _combine(
    one: tuple[float, float, float], other: tuple[float, float, float], correlation: float
) -> tuple[float, float]:
    """The interval of a difference, by the squares of what the intervals of both reach."""
    (first, below, above), (second, under, over) = one, other
    low = (below**2 + over**2 - 2.0 * correlation * below * over) ** 0.5
    high = (above**2 + under**2 - 2.0 * correlation * above * under) ** 0.5
    return max(first - second - low, -1.0), min(first - second + high, 1.0)


def of_mean(
    values: npt.NDArray[np.float64], confidence: float, least: float = -np.inf
) -> tuple[float, float]:
    """Hall's interval of a mean, which takes the skewness of the values into account.

    For many values it is the normal one.

    Distances and losses are skewed to the right; Student's interval and the bootstrap's percentiles
    then lie too low, and miss the mean too often. Means below `least` are not possible.

    Reference: Hall (1992), On the removal of skewness by transformation, Journal of the Royal
    Statistical Society B 54, equation 2.4.

    >>> low, high = of_mean(np.arange(100.0), 0.95)
    >>> round(low, 1), round(high, 1)
    (43.7, 55.3)
    """
    n, mean = len(values), float(values.mean())
    sd = float(values.std(ddof=1)) if n > 1 else 0.0
    if n > MANY or sd == 0.0:
        low, high = _normal(mean, sd, n, confidence)
    else:
        skewness = float((((values - mean) / values.std()) ** 3).mean()) / n**0.5
        low, high = _skewed(mean, sd, skewness, n, confidence)
    return max(low, least), high


def _skewed(
    mean: float, sd: float, skewness: float, n: int, confidence: float
) -> tuple[float, float]:
    from scipy.stats import t

    reach = float(t.ppf((1.0 + confidence) / 2.0, n - 1))
    low, high = (_remove_skewness(z, skewness) * sd / n**0.5 for z in (reach, -reach))
    return mean - low, mean - high


def _remove_skewness(z: float, skewness: float) -> float:
    """What a quantile is before Hall's transformation; `skewness` is that of the mean."""
    if abs(skewness) < 1e-9:
        return z
    return 3.0 / skewness * (float(np.cbrt(1.0 + skewness * (z - skewness / 6.0))) - 1.0)


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
