"""Share of the variance of each number that is left."""

from __future__ import annotations

from typing import Any

import numpy as np

from swapmeet.base.arrays import Floats
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.columns import numbers_of
from swapmeet.measures.weights import name_weight

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
        sentence = _describe(ratios, before.names[most], ratios[most])
        return self.make_score(float(losses.mean()), sentence, details=details)


def _find_ratios(before: Floats, after: Floats) -> Floats:
    """Variances of the release, in units of those of the original."""
    with np.errstate(over="ignore"):
        ratios = (after / before) ** 2
    return np.minimum(ratios, LARGEST_RATIO)


def _describe(ratios: Floats, name: str, ratio: float) -> str:
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
