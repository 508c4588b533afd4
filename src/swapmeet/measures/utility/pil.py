"""Probabilistic information loss (SJPPDS paper, A1.4)."""

from __future__ import annotations

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score
from swapmeet.comparison.values import present_in
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.columns import NumericColumns, plain_numbers_of
from swapmeet.measures.utility.pearson import FOURTH, Moments, moments_of

SHARES = np.arange(0.05, 0.951, 0.05)
NONE = 1e-9
"""A standardised difference below this is rounding."""
FARTHEST = 1e60
"""Ratios of spread beyond this are not told apart."""


class PIL(UtilityMeasure):
    """Errors of the release's statistics, on the scale of what chance would do: 0 to 1.

    For a statistic θ it is the probability that a standard normal variable is smaller in size than
    (θ* − θ) / sd(θ*), with the large-sample standard deviation in the release: 0 if nothing
    changes, near 1 if far more than chance explains. It is averaged over the columns or pairs in
    each of five classes (means, variances, covariances, correlations, and quantiles from 5 to
    95 %), then over the classes. 0 for an unchanged release.

    Methods that permute values score 0 in three classes by construction. In large tables chance
    does little and PIL is near 1 after the slightest change.

    Only statistics of masked columns, and of pairs with one, count. Each is over the rows in which
    its columns have a value; one that cannot be computed from the release counts as 1. Sampling
    weights are not taken into account.

    Reference: SJPPDS paper, A1.4; Mateo-Sanz, Domingo-Ferrer, Sebé (2005).
    """

    name = "pil"
    growth = "rows × columns²"
    public = True
    question = "How far off are common statistics, compared with chance?"
    coverage = Coverage.ALL
    ordered = True

    def score(self, comparison: Comparison) -> Score:
        numbers = comparison.once(plain_numbers_of)
        numbers.require(1)
        classes = {
            name: float(_probability(z).mean())
            for name, z in _differences(comparison, numbers).items()
            if len(z)
        }
        value = float(np.mean(list(classes.values())))
        listed = ", ".join(f"{name} {loss:.2f}" for name, loss in classes.items())
        by_nature = max(classes["means"], classes["variances"], classes["quantiles"]) == 0.0
        sentence = (
            f"Statistics of the release are off by {value:.3f} on average, from 0 (not at all) to "
            f"1 (far more than chance explains): {listed}"
            f"{'; values were only permuted, which leaves three of these at 0' * by_nature}."
        )
        return self.make_score(value, sentence, details={**classes, "rows": comparison.n})


def _differences(comparison: Comparison, numbers: NumericColumns) -> dict[str, Floats]:
    """Standardised differences of each class of statistics, in the units of the release."""
    before, after = moments_of(comparison, numbers, FOURTH, weighted=False)
    ratio = _ratio(numbers)
    own = np.flatnonzero(numbers.masked)
    return {
        "means": _of_means(numbers, after, own),
        "variances": _of_variances(after, ratio, own),
        "covariances": _of_covariances(before, after, ratio)[numbers.pairs],
        "correlations": _of_correlations(before, after)[numbers.pairs],
        "quantiles": _of_quantiles(comparison, numbers, own),
    }


def _ratio(numbers: NumericColumns) -> Floats:
    """The spread of the original for each one of the release."""
    with np.errstate(divide="ignore", over="ignore"):
        ratio = numbers.original.spread / numbers.released.spread
    return np.clip(ratio, 1.0 / FARTHEST, FARTHEST)


def _of_means(numbers: NumericColumns, after: Moments, own: Ints) -> Floats:
    shift = numbers.released.centre[own] - numbers.original.centre[own]
    rows = np.maximum(np.diag(after.count)[own], 1.0)
    return _standardised(shift, numbers.released.spread[own] ** 2 / rows)


def _of_variances(after: Moments, ratio: Floats, own: Ints) -> Floats:
    n = np.maximum(np.diag(after.count)[own], 2.0)
    second, fourth = (np.diag(after.of(power, 0))[own] for power in (2, 4))
    variance = (fourth - (n - 3.0) / (n - 1.0) * second**2) / n
    return _standardised(1.0 - ratio[own] ** 2, variance)


def _of_covariances(before: Moments, after: Moments, ratio: Floats) -> Floats:
    shared, others = after.of(1, 1), before.of(1, 1)
    one, other = (m.count / np.maximum(m.count - 1.0, 1.0) for m in (after, before))
    change = shared * one - others * other * np.outer(ratio, ratio)
    variance = (after.of(2, 2) - shared**2) / np.maximum(after.count, 1.0)
    return _standardised(change, variance)


def _of_correlations(before: Moments, after: Moments) -> Floats:
    """Cramér's large-sample variance, in moments of standardised columns."""
    r_before, r = np.nan_to_num(before.correlations(), nan=0.0), after.correlations()
    spread = np.sqrt(np.where(np.isnan(r), 1.0, after.of(2, 0)))
    unit = 1.0 / (spread * spread.T)
    m22, m31, m40 = after.of(2, 2) * unit**2, after.of(3, 1) * unit / spread**2, after.of(4, 0)
    m40 = m40 / spread**4
    variance = m22 * (1.0 + r**2 / 2.0) + r**2 / 4.0 * (m40 + m40.T) - r * (m31 + m31.T)
    return _standardised(r - r_before, variance / np.maximum(after.count, 1.0))


def _of_quantiles(comparison: Comparison, numbers: NumericColumns, own: Ints) -> Floats:
    rows = [comparison.released[name].statistics.present for name in numbers.names]
    return np.concatenate([
        _of_column(*comparison.in_order(numbers.names[j]), numbers.released.spread[j], rows[j])
        for j in own
    ])  # fmt: skip


def _of_column(before: Floats, after: Floats, spread: float, rows: int) -> Floats:
    """Standardised differences of the quantiles of one column; so many `rows` have a value."""
    before, after = (present_in(values) for values in (before, after))
    if spread == 0.0:
        return np.full(len(SHARES), np.inf)
    low = after[0]
    with np.errstate(over="ignore"):
        now, then = (quantiles((v - low) / spread, SHARES) for v in (after, before))
        change = np.clip(now - then, -FARTHEST, FARTHEST)
    densities = density((after - low) / spread, now, rows)
    return change * densities * np.sqrt(rows / (SHARES * (1.0 - SHARES)))


def _standardised(change: Floats, variance: Floats) -> Floats:
    """Infinite where there is a change and no variance, or nothing to compute either from."""
    variance = np.maximum(variance, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = np.abs(change) / np.sqrt(variance)
    z = np.where(np.isnan(z), np.inf, z)
    return np.where(change == 0.0, 0.0, z)


def _probability(z: Floats) -> Floats:
    from scipy.special import erf

    size = np.abs(z)
    return np.where(size < NONE, 0.0, erf(size / np.sqrt(2.0)))


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
