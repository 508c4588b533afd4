"""Estimate how dense the values of a column are at a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats

MOST = 10_000
"""So many evenly spaced order statistics stand for all values."""


def density(values: Floats, points: Floats, rows: int | None = None) -> Floats:
    """A Gaussian kernel estimate from sorted values, with Silverman's bandwidth (R's `bw.nrd0`).

    They may stand for more `rows` than there are values.

    >>> normal = np.linspace(-3, 3, 601)
    >>> density(normal, np.array([0.0])).round(3).tolist()
    [0.166]
    """
    n = len(values)
    quarter, three_quarters = quantiles(values, np.array([0.25, 0.75]))
    spread = float(values.std(ddof=1))
    narrow = (three_quarters - quarter) / 1.34
    width = 0.9 * (min(spread, narrow) if narrow > 0.0 else spread) * (rows or n) ** -0.2
    if n > MOST:
        values = values[((np.arange(MOST) + 0.5) * (n / MOST)).astype(np.int64)]
    away = (points[:, np.newaxis] - values) / width
    return np.exp(-0.5 * away**2).mean(axis=1) / (width * np.sqrt(2.0 * np.pi))


def quantiles(values: Floats, shares: Floats) -> Floats:
    """Quantiles of sorted values, interpolated linearly (R's type 7).

    >>> quantiles(np.array([1.0, 2.0, 4.0]), np.array([0.25, 0.5])).tolist()
    [1.5, 2.0]
    """
    places = (len(values) - 1) * shares
    below = np.floor(places).astype(np.int64)
    above = np.minimum(below + 1, len(values) - 1)
    rest = places - below
    return values[below] * (1.0 - rest) + values[above] * rest
