"""Quantiles of the common distributions.

They stand on `scipy.special`; `scipy.stats` gives the same digits, and takes longer to load than
most tables to read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats, Ints


def normal_quantile(level: float) -> float:
    """The quantile of the standard normal distribution.

    >>> round(normal_quantile(0.975), 4)
    1.96
    """
    from scipy.special import ndtri

    return float(ndtri(level))


def student_quantile(level: float, freedom: float) -> float:
    """The quantile of Student's distribution.

    >>> round(student_quantile(0.975, 10), 4)
    2.2281
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, level))


def beta_quantile(level: float, a: float, b: float) -> float:
    """The quantile of the beta distribution.

    >>> round(beta_quantile(0.5, 2, 2), 4)
    0.5
    """
    from scipy.special import betaincinv

    return float(betaincinv(a, b, level))


def chi_squared_quantile(level: float, freedom: float) -> float:
    """The quantile of the chi-squared distribution.

    >>> round(chi_squared_quantile(0.95, 1), 4)
    3.8415
    """
    from scipy.special import gammaincinv

    return float(2.0 * gammaincinv(freedom / 2.0, level))


def chi_squared_share(value: float, freedom: float) -> float:
    """The probability that a chi-squared variable is at most so large.

    >>> round(chi_squared_share(3.8415, 1), 4)
    0.95
    """
    from scipy.special import chdtr

    return float(chdtr(freedom, value))


def coin_quantile(level: float, tosses: int) -> int:
    """The quantile of the number of heads among so many tosses of a fair coin.

    >>> coin_quantile(0.025, 10)
    2
    """
    from scipy.special import bdtr

    shares = bdtr(np.arange(tosses + 1.0), tosses, 0.5)
    return int(np.searchsorted(shares, level))


def rank_by_middle(values: npt.NDArray[Any]) -> Floats:
    """Ranks from 1; equal values have the rank in their middle. None may be missing.

    >>> rank_by_middle(np.array([30, 10, 30, 20])).tolist()
    [3.5, 1.0, 3.5, 2.0]
    """
    order = np.argsort(values)
    ordered = values[order]
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, len(values))
    starts = np.append(0, ends[:-1])
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(0.5 * (starts + ends + 1), ends - starts)
    return ranks


def places_in(begins: Ints, ends: Ints) -> Ints:
    """The places of all ranges, one range after the other.

    >>> places_in(np.array([0, 5]), np.array([2, 8])).tolist()
    [0, 1, 5, 6, 7]
    """
    sizes = ends - begins
    before = np.cumsum(sizes) - sizes
    return np.repeat(begins - before, sizes) + np.arange(sizes.sum())
