"""Intervals: the figure that one would get for people like these.

The meaning of every interval, in cards, reports and `tune`, is this one (docs/guides/assessing.md,
*Intervals*): the people of the table are taken as a random sample of a population, and the interval
holds the figure of that population with a confidence of 95 %. Where only some people of the table
are looked at, their drawing is part of it. How columns are scaled (their ranges, means and standard
deviations) and how the release was drawn are taken as given.
"""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.base.quantiles import beta_quantile, normal_quantile, student_quantile

MANY = 20_000


def of_share(count: float, total: int, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share; `count` may be an expected count.

    >>> low, high = of_share(0, 100, 0.95)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    tail = (1.0 - confidence) / 2.0
    low = beta_quantile(tail, count, total - count + 1.0) if count > 0 else 0.0
    high = beta_quantile(1.0 - tail, count + 1.0, total - count) if count < total else 1.0
    return low, high


def of_difference(some: Floats, others: Floats, confidence: float) -> tuple[float, float]:
    """The interval of the difference of two mean chances, from 0 up.

    That of Agresti and Caffo (2000) for shares: as if each group had one more person who is
    guessed and one who is not.

    >>> low, high = of_difference(np.ones(8), np.zeros(8), 0.95)
    >>> round(low, 2), high
    (0.54, 1.0)
    """
    groups = [np.append(values, [0.0, 1.0]) for values in (some, others)]
    reach = _quantile(confidence) * sum(float(g.var()) / len(g) for g in groups) ** 0.5
    centre = float(groups[0].mean()) - float(groups[1].mean())
    return _from_zero(centre, reach, _mean(some) - _mean(others))


def of_paired_difference(differences: Floats, confidence: float) -> tuple[float, float]:
    """The interval of a mean difference of chances, from 0 up; of few people it is wide.

    That of Bonett and Price (2012) for paired shares: as if two more pairs had differed, one in
    each direction.

    >>> low, high = of_paired_difference(np.zeros(10), 0.95)
    >>> low, round(high, 3)
    (0.0, 0.231)
    """
    n, total = len(differences) + 2.0, float(differences.sum())
    spread = float((differences**2).sum()) + 2.0 - total**2 / n
    return _from_zero(total / n, _quantile(confidence) * spread**0.5 / n, _mean(differences))


def _from_zero(centre: float, reach: float, value: float) -> tuple[float, float]:
    """An interval inside [0, 1] that holds the value, or 0 if that is negative."""
    low, high = np.clip([centre - reach, centre + reach], 0.0, 1.0)
    return min(float(low), max(value, 0.0)), max(float(high), value)


def _quantile(confidence: float) -> float:
    return normal_quantile((1.0 + confidence) / 2.0)


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def of_mean(values: Floats, confidence: float, least: float = -np.inf) -> tuple[float, float]:
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
    power = int(np.frexp(np.abs(values).max())[1])
    low, high = _of_scaled_mean(np.ldexp(values, -power), confidence)
    return max(float(np.ldexp(low, power)), least), float(np.ldexp(high, power))


def _of_scaled_mean(values: Floats, confidence: float) -> tuple[float, float]:
    """That of values whose squares do not overflow."""
    n, mean = len(values), float(values.mean())
    sd = float(values.std(ddof=1)) if n > 1 else 0.0
    if n > MANY or sd == 0.0:
        low, high = _normal(mean, sd, n, confidence)
    else:
        skewness = float((((values - mean) / values.std()) ** 3).mean()) / n**0.5
        low, high = _skewed(mean, sd, skewness, n, confidence)
    return low, high


def _skewed(
    mean: float, sd: float, skewness: float, n: int, confidence: float
) -> tuple[float, float]:
    reach = student_quantile((1.0 + confidence) / 2.0, n - 1)
    low, high = (_remove_skewness(z, skewness) * sd / n**0.5 for z in (reach, -reach))
    return mean - low, mean - high


def _remove_skewness(z: float, skewness: float) -> float:
    """Undo Hall's transformation of a quantile; `skewness` is that of the mean."""
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
    reach = normal_quantile((1.0 + confidence) / 2.0) * sd / n**0.5
    return mean - reach, mean + reach
