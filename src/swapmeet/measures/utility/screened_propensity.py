"""Models that try to distinguish released rows by the products of columns that matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from swapmeet.core.base.params import Count
from swapmeet.measures.base import Measure
from swapmeet.measures.score import Family, Undefined
from swapmeet.measures.utility.columns import require_finite
from swapmeet.measures.utility.features import Features
from swapmeet.measures.utility.halves import split_in_halves
from swapmeet.measures.utility.sampling import some_rows

if TYPE_CHECKING:
    from swapmeet.core.base.arrays import Floats, Ints
    from swapmeet.measures.comparison import Comparison
    from swapmeet.measures.score import Score

MOST_TERMS = 300
"""As many as `propensity` has, where no product has to be chosen."""
ROWS_PER_TERM = 4
"""Rows of both tables for each of them."""
ROWS_PER_CHOSEN_TERM = 10
"""Rows of both tables in a half, for each term there."""
FEWEST = 20
"""Rows of either table that a half must have."""


@dataclass(frozen=True, repr=False, eq=False)
class _Judgement:
    """Separation of some rows: 4 · PS, and what chance gives that many terms."""

    rows: int
    products: int
    terms: int
    skill: float

    @property
    def chance(self) -> float:
        return self.terms / (2.0 * self.rows)

    @property
    def beyond_chance(self) -> float:
        return (self.skill - self.chance) / max(1.0 - self.chance, 0.5)


@dataclass(frozen=True, kw_only=True)
class ScreenedPropensity(Measure):
    """Success of a logistic regression with the products that matter at telling released rows.

    As `propensity`, but the products are those of any two columns: numbers with numbers, numbers
    with levels, levels with levels. Where all of them fit into a model (300 terms, and four rows
    for each) it has them all. Where they do not, as of wide tables and of columns with many levels,
    the rows are split into halves by chance: one half chooses the `products` whose means differ
    most between the tables, in standard errors, and the other half is judged with them; then the
    other way round. So no product counts because chance made it look informative. Numbers count by
    their rank then, so that no extreme row decides, and a half has ten rows for each term; where
    there are fewer rows, fewer products are taken.

    The value is 4 · PS (PS: the mean square of p less the share of released rows) less what rows
    drawn at random from the original would score: c = k / (4n) for k terms and n rows of each
    table; (4 · PS − c) / (1 − c), and no less than 0. 0 for an unchanged release, about 0 for rows
    drawn at random from the original, 1 if every row can be recognised. Of larger tables a random
    `sample` of the same rows is taken of both.

    Sampling weights are not taken into account: each row counts as one.

    Reference: SJPPDS paper, A1.4 (PS); Snoke and others (2018), the expectation. The screening is
    ours.
    """

    name: ClassVar[str] = "screened-propensity"
    family: ClassVar[Family] = Family.UTILITY
    growth: ClassVar[str] = "rows × columns, with at most 300 terms"
    public: ClassVar[bool] = True
    question: ClassVar[str] = (
        "Can a model that looks at relations of any kind tell released rows from original ones?"
    )

    sample: Annotated[int, Count(10), "rows of each table that are looked at, at most"] = 10_000
    products: Annotated[int, Count(1), "products of two columns that a half chooses, at most"] = 60

    def score(self, comparison: Comparison) -> Score:
        require_finite(comparison)
        rows = some_rows(comparison, self.sample, self.name)
        judgements = _judge_all(comparison, rows) or self._judge_halves(comparison, rows)
        value = float(np.average([one.beyond_chance for one in judgements],
                                 weights=[one.rows for one in judgements]))  # fmt: skip
        value = min(max(value, 0.0), 1.0)
        sentence = (
            "A model that tries to tell released rows from original ones, by single columns and by "
            f"{_describe(judgements)}, scores {value:.3g} beyond chance, between 0 (it cannot) and "
            "1 (it always can)."
        )
        details: dict[str, Any] = {
            "value with what chance gives": float(np.mean([one.skill for one in judgements])),
            "expectation for rows drawn at random": float(
                np.mean([one.chance for one in judgements])
            ),
            "products": "all"
            if len(judgements) == 1
            else "chosen in one half, judged in the other",
            "number of products": [one.products for one in judgements],
            "terms": [one.terms for one in judgements],
            "rows of each table": len(rows),
        }
        return self.make_score(value, sentence, details=details)

    def _judge_halves(self, comparison: Comparison, rows: Ints) -> list[_Judgement]:
        """Each half, with the products that the other one chose."""
        first = np.concatenate(split_in_halves(comparison, rows))
        halves = Features.of(comparison, rows, by_rank=True).split(first)
        counts = [np.bincount(half.released, minlength=2).min() for half in halves]
        if min(counts) < FEWEST:
            raise Undefined(
                f"there are too few rows for so many columns: half of them, fewer than {FEWEST}, "
                "would choose what the other half is judged by"
            )
        return [self._judge(*order) for order in (halves, halves[::-1])]

    def _judge(self, screen: Features, half: Features) -> _Judgement:
        room = len(half.values) // ROWS_PER_CHOSEN_TERM - half.count_single_terms
        pairs = screen.differing_pairs(min(max(room, 0), self.products))
        terms = np.hstack([half.single_terms, half.products(*pairs)])
        return _fit(half, terms, len(pairs[0]))


def _judge_all(comparison: Comparison, rows: Ints) -> list[_Judgement]:
    """Fit all products, if they fit; else nothing."""
    features = Features.of(comparison, rows, by_rank=False)
    if not features.count_single_terms:
        raise Undefined("no column varies")
    pairs = features.pairs
    products = len(pairs[0])
    room = min(MOST_TERMS, len(features.values) // ROWS_PER_TERM)
    if features.count_single_terms + products > room:
        return []
    terms = np.hstack([features.single_terms, features.products(*pairs)])
    return [_fit(features, terms, products)]


def _fit(features: Features, terms: Floats, products: int) -> _Judgement:
    from swapmeet.measures.utility.logistic import fit_logistic

    fit = fit_logistic(terms, features.released)
    share = float(features.released.mean())
    skill = float(((fit.probabilities - share) ** 2).mean()) / (share * (1.0 - share))
    return _Judgement(len(terms), products, fit.terms, skill)


def _describe(judgements: list[_Judgement]) -> str:
    if len(judgements) == 1:
        return "all relations of two"
    return (
        f"the relations of two that changed most (up to {max(one.products for one in judgements)})"
    )
