"""Changes of single columns: their distributions, and how much of their variance is left."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Floats
from swapmeet.base.parallel import ranges
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score
from swapmeet.comparison.sums import BeforeAfter
from swapmeet.comparison.values import present_in
from swapmeet.comparison.weights import find_weights, is_weighted, name_weight
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.columns import numbers_of
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

BLOCK = 1 << 20
MOST_POINTS = 100_000
"""With weights, numbers are compared at this many of their values, if they have more."""


class Margins(UtilityMeasure):
    """The mean distance between the distributions of a masked column before and after.

    Numeric columns: Kolmogorov and Smirnov's distance, the largest difference of the shares of
    rows up to a value. Ordinal and nominal ones: total variation, the share of rows that would have
    to change. Both go from 0 to 1, and a missing value counts as a value. With sampling weights
    rows count by them, so that a method that permutes values of rows with different weights does
    change the distributions that an analyst sees.

    0 for an unchanged release, and for any method that permutes the values of a column, however
    much it destroys otherwise: margins are only one part of what an analyst needs.
    """

    name = "margins"
    growth = "rows × columns"
    public = True
    question = "How much do the distributions of single columns change?"
    coverage = Coverage.ALL
    ordered = True

    def score(self, comparison: Comparison) -> Score:
        distances = np.array([_distance(comparison, name) for name in comparison.masked])
        most, value = int(np.argmax(distances)), float(distances.mean())
        sentence = (
            f"The distribution of a column changes by {value:.3f} on average, from 0 (not at all) "
            f"to 1 (no value in common); that of {comparison.masked[most]} changes most, by "
            f"{distances[most]:.3f}."
        )
        kept = (
            "Every column has exactly the values it had, so its distribution is unchanged, as with "
            "any method that only permutes values; this says nothing about the relations between "
            "them."
            if not is_weighted(comparison)
            else "The weighted distribution of every column is unchanged; this says nothing about "
            "the relations between them."
        )
        details: dict[str, Any] = {
            "largest": float(distances[most]),
            "largest in": comparison.masked[most],
            "columns": list(comparison.masked),
            "distances": distances.tolist(),
            **name_weight(comparison),
        }
        return self.make_score(value, sentence if value else kept, details=details)


def _distance(comparison: Comparison, name: str) -> float:
    original, released = comparison.original[name], comparison.released[name]
    if is_weighted(comparison):
        return _weigh(comparison, name)
    if original.kind is Kind.NUMERIC:
        return kolmogorov_smirnov(*comparison.in_order(name))
    if original.kind is Kind.NOMINAL or (original.statistics.levels and released.statistics.levels):
        return _of_levels(original, released)
    return _of_values(*comparison.in_order(name))


def _weigh(comparison: Comparison, name: str) -> float:
    """The distance of weighted distributions, at all values, or at many evenly spaced ones."""
    points = _find_points(comparison, name)
    weighted = comparison.gather(partial(_add_up_weights, name, points), (name,))
    before, after = (shares / shares.sum() for shares in (weighted.before, weighted.after))
    if comparison.original[name].kind is Kind.NUMERIC:
        return min(float(np.abs(np.cumsum(before - after)).max()), 1.0)
    return _of_shares(before, after)


def _find_points(comparison: Comparison, name: str) -> Floats:
    """The values of both tables in order; of a nominal column the codes of its levels."""
    variable = comparison.original[name]
    if variable.kind is Kind.NOMINAL:
        return np.arange(variable.levels, dtype=np.float64)
    points: Floats = np.unique(np.concatenate([present_in(c) for c in comparison.in_order(name)]))
    return points[:: -(-len(points) // MOST_POINTS) or 1]


def _add_up_weights(name: str, points: Floats, piece: Comparison) -> BeforeAfter[Floats]:
    """The weight of the rows up to each point, beyond the one before it; missing ones last."""

    def add_up(data: Microdata) -> Floats:
        variable, last = data[name], len(points) + 1
        places = np.searchsorted(points, variable.values)
        places[variable.missing] = last
        sums = np.bincount(places, find_weights(data), minlength=last + 1)
        return sums.astype(np.float64)

    return BeforeAfter.of(add_up, piece)


def _of_levels(original: Variable, released: Variable) -> float:
    """Total variation, from the levels and how many rows have each."""
    one, other = original.known, released.known
    values = np.union1d(one.values, other.values)
    before, after = np.zeros((2, len(values) + 1))
    for shares, levels, facts in (
        (before, one, original.statistics), (after, other, released.statistics),
    ):  # fmt: skip
        shares[np.searchsorted(values, levels.values)] = levels.counts
        shares[-1] = facts.missing
        shares /= facts.rows
    return _of_shares(before, after)


def _of_values(before: Floats, after: Floats) -> float:
    """The same, from sorted values."""
    _, codes = np.unique(np.concatenate([before, after]), return_inverse=True)
    levels = int(codes.max()) + 1
    return _of_shares(*(_shares(some, levels) for some in np.split(codes, [len(before)])))


def kolmogorov_smirnov(before: Floats, after: Floats) -> float:
    """The largest difference of two distribution functions, from sorted values; NaN comes last.

    >>> kolmogorov_smirnov(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.0, np.nan]))
    0.25
    """
    if np.array_equal(before, after, equal_nan=True):
        return 0.0
    present = [present_in(values) for values in (before, after)]
    most = abs(len(present[0]) / len(before) - len(present[1]) / len(after))
    for values in present:
        for begin, end in ranges(len(values), BLOCK):
            shares = [
                np.searchsorted(some, values[begin:end], side="right") / len(whole)
                for some, whole in zip(present, (before, after), strict=True)
            ]
            most = max(most, float(np.abs(shares[0] - shares[1]).max(initial=0.0)))
    return float(most)


def _shares(codes: npt.NDArray[Any], levels: int) -> Floats:
    return np.bincount(codes, minlength=levels) / len(codes)


def _of_shares(before: Floats, after: Floats) -> float:
    return min(0.5 * float(np.abs(before - after).sum()), 1.0)


NOTICEABLE = 0.01
"""A variance that differs by less than this share counts as kept in the sentence."""
LARGEST_RATIO = 1e100


class Spread(UtilityMeasure):
    """The mean over masked numeric columns of 1 − min(r, 1 / r), r = var(released) / var(original).

    Of a column that lost variance this is the share lost; of one that gained, the share of the
    released variance that the original did not have. So half the variance and twice the variance
    count the same, 0.5. Means of neighbours, random draws among them and trimmed tails lose
    variance; noise adds it. Standard errors, intervals and effects of one standard deviation that
    are computed from the release go wrong with it.

    0 for an unchanged release, and for any method that permutes the values of a column; 1 if every
    column became a constant. A variance is that of the values present, with divisor n − 1; columns
    that are constant in the original are left out.

    Reference: RWN paper, section 4.3, which expects less loss of variance than microaggregation
    has; measured, it is as much or more.
    """

    name = "spread"
    growth = "rows × columns"
    public = True
    question = "How much of the variance of single numbers is lost or added?"
    coverage = Coverage.ALL

    def score(self, comparison: Comparison) -> Score:
        numbers = comparison.once(numbers_of)
        numbers.require(1)
        before, after = numbers.only_masked, numbers.released.only(numbers.masked)
        ratios = _find_ratios(before.spread, after.spread)
        losses = 1.0 - np.minimum(ratios, 1.0 / np.maximum(ratios, 1.0))
        most = int(np.argmax(losses))
        details: dict[str, Any] = {
            "largest": float(losses[most]),
            "largest in": before.names[most],
            "columns": list(before.names),
            "variance ratios": ratios.tolist(),
            "columns that vary less": int((ratios < 1.0 - NOTICEABLE).sum()),
            "columns that vary more": int((ratios > 1.0 + NOTICEABLE).sum()),
            **name_weight(comparison),
        }
        sentence = _describe_ratios(ratios, before.names[most], ratios[most])
        return self.make_score(float(losses.mean()), sentence, details=details)


def _find_ratios(before: Floats, after: Floats) -> Floats:
    """Variances of the release, in units of those of the original."""
    with np.errstate(over="ignore"):
        ratios = (after / before) ** 2
    return np.minimum(ratios, LARGEST_RATIO)


def _describe_ratios(ratios: Floats, name: str, ratio: float) -> str:
    less, more = int((ratios < 1.0 - NOTICEABLE).sum()), int((ratios > 1.0 + NOTICEABLE).sum())
    if not less + more:
        return "Every masked number varies as much in the release as in the original, within 1 %."
    if len(ratios) == 1:
        return f"Of the variance of {name}, the only masked number, {_say_change(ratio)}."
    return (
        f"{_count_columns(less, more, len(ratios))} than in the original; {name} changes most: of "
        f"its variance {_say_change(ratio)}."
    )


def _count_columns(less: int, more: int, total: int) -> str:
    """Say how many columns vary less, and more.

    >>> _count_columns(3, 0, 3), _count_columns(1, 2, 4)
    ('All 3 masked numbers vary less', 'Of 4 masked numbers 1 varies less and 2 vary more')
    """
    counts = [(less, "less"), (more, "more")]
    if total in (less, more):
        return f"All {total} masked numbers vary {'less' if less else 'more'}"
    counts_in_words = [f"{n} {'varies' if n == 1 else 'vary'} {how}" for n, how in counts if n]
    return f"Of {total} masked numbers {' and '.join(counts_in_words)}"


def _say_change(ratio: float) -> str:
    """Say what became of a variance.

    >>> _say_change(0.637), _say_change(1.4), _say_change(7.0)
    ('36 % is lost', '40 % is added', 'there is 7.0 times as much')
    """
    if ratio <= 1.0:
        return f"{_percent(1.0 - ratio)} is lost"
    if ratio < 2.0:
        return f"{_percent(ratio - 1.0)} is added"
    times = f"{ratio:.1f}" if ratio < 1000 else "over 1,000"
    return f"there is {times} times as much"


def _percent(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 0.995 else "all"
