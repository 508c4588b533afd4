"""Models that try to distinguish released rows by the products of columns that matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from swapmeet.base.arrays import Flags, Floats, Hashes, Ints
from swapmeet.base.params import Count
from swapmeet.base.quantiles import rank_by_middle
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Score, Undefined
from swapmeet.comparison.values import hash_values
from swapmeet.measures.base import UtilityMeasure
from swapmeet.measures.utility.columns import ROUNDING, Dummies, require_finite, some_rows
from swapmeet.measures.utility.propensity import fit_logistic
from swapmeet.tables.microdata import Microdata, Variable
from swapmeet.tables.schema import Kind

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
class ScreenedPropensity(UtilityMeasure):
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

    name = "screened-propensity"
    growth = "rows × columns, with at most 300 terms"
    public = True
    question = (
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
        halves = StackedFeatures.of(comparison, rows, by_rank=True).split(first)
        counts = [np.bincount(half.released, minlength=2).min() for half in halves]
        if min(counts) < FEWEST:
            raise Undefined(
                f"there are too few rows for so many columns: half of them, fewer than {FEWEST}, "
                "would choose what the other half is judged by"
            )
        return [self._judge(*order) for order in (halves, halves[::-1])]

    def _judge(self, screen: StackedFeatures, half: StackedFeatures) -> _Judgement:
        room = len(half.values) // ROWS_PER_CHOSEN_TERM - half.count_single_terms
        pairs = screen.differing_pairs(min(max(room, 0), self.products))
        terms = np.hstack([half.single_terms, half.products(*pairs)])
        return _fit(half, terms, len(pairs[0]))


def _judge_all(comparison: Comparison, rows: Ints) -> list[_Judgement]:
    """Fit all products, if they fit; else nothing."""
    features = StackedFeatures.of(comparison, rows, by_rank=False)
    if not features.count_single_terms:
        raise Undefined("no column varies")
    pairs = features.pairs
    products = len(pairs[0])
    room = min(MOST_TERMS, len(features.values) // ROWS_PER_TERM)
    if features.count_single_terms + products > room:
        return []
    terms = np.hstack([features.single_terms, features.products(*pairs)])
    return [_fit(features, terms, products)]


def _fit(features: StackedFeatures, terms: Floats, products: int) -> _Judgement:
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


def split_in_halves(comparison: Comparison, rows: Ints) -> tuple[Flags, Flags]:
    """Flag the original and released rows that are in the first half, as if by a coin.

    The coin is the row's content and, of rows with the same content, their number. So the same
    tables have the same halves, whatever the order of their rows, and those of an unchanged release
    are those of the original.
    """
    ranks = [_ranks(variable) for variable in comparison.original.variables]
    one, other = (_toss(_contents(data, ranks, rows)) for data in comparison.tables)
    return one, other


def _ranks(variable: Variable) -> Ints | None:
    """Numbers for the levels of a nominal column, by frequency: codes depend on the rows' order."""
    if variable.kind is not Kind.NOMINAL:
        return None
    counts = np.zeros(variable.levels + 1, np.int64)
    counts[variable.known.values] = variable.known.counts
    ranks = np.empty(len(counts), np.int64)
    ranks[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return ranks


def _contents(data: Microdata, ranks: list[Ints | None], rows: Ints) -> Hashes:
    mixed = np.zeros(len(rows), np.uint64)
    for place, (variable, rank) in enumerate(zip(data.variables, ranks, strict=True)):
        values = variable.values[rows]
        mixed ^= hash_values(values if rank is None else rank[values], place)
    return mixed


def _toss(contents: Hashes) -> Flags:
    """A bit for each row; rows with the same content have bits of their own."""
    order = np.argsort(contents, kind="stable")
    ordered = contents[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    return (hash_values(contents.view(np.int64) ^ (number << 1), 0) >> np.uint64(40)) % 2 == 0


MOST_LEVELS = 12
"""So many levels of a column have a feature of their own; the rarer ones share one."""
BROADEST = 400
"""Features in all, about; of very wide tables fewer levels have one of their own."""
TIE = 9
"""Differences that agree to so many places are taken for the same, whatever the rounding."""


@dataclass(frozen=True, repr=False, eq=False)
class StackedFeatures:
    """Features of the stacked rows of both tables, original first, a column each.

    A numeric column has its numbers or their ranks, a nominal one has its levels; either has
    whether its value is missing. Each has mean 0 and standard deviation 1. `owners` numbers the
    column that a feature belongs to, `numeric` says which are numbers, `released` whose row it is.
    """

    values: Floats
    owners: Ints
    numeric: Flags
    released: Flags

    @classmethod
    def of(cls, comparison: Comparison, rows: Ints, *, by_rank: bool) -> StackedFeatures:
        """The features of some rows of both tables."""
        names = comparison.original.names
        features = [list(_features(comparison, name, rows, by_rank=by_rank)) for name in names]
        columns = [feature for some in features for feature, _ in some]
        return cls(
            np.column_stack(columns) if columns else np.empty((2 * len(rows), 0)),
            np.repeat(np.arange(len(names)), [len(some) for some in features]),
            np.array([is_number for some in features for _, is_number in some], np.bool_),
            np.repeat([False, True], len(rows)),
        )

    def split(self, rows: Flags) -> tuple[StackedFeatures, StackedFeatures]:
        """The same features of some of the rows, and of the others."""
        return self._only(rows), self._only(~rows)

    def _only(self, rows: Flags) -> StackedFeatures:
        return replace(self, values=self.values[rows], released=self.released[rows])

    @property
    def count_single_terms(self) -> int:
        """Return the number of features and of squares of numbers."""
        return self.values.shape[1] + int(self.numeric.sum())

    @property
    def single_terms(self) -> Floats:
        """The features, and the squares of numbers."""
        return np.hstack([self.values, self.values[:, self.numeric] ** 2])

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs of features of two columns."""
        first, second = np.nonzero(np.triu(self.owners[:, None] != self.owners, 1))
        return first, second

    def differing_pairs(self, most: int) -> tuple[Ints, Ints]:
        """Choose the pairs whose products differ most between the tables, by their means.

        They are ranked by the difference in its standard errors.
        """
        first, second = self.pairs
        size = np.abs(self._differences()[first, second]).round(TIE)
        order = np.argsort(-size, kind="stable")[:most]
        return first[order], second[order]

    def products(self, first: Ints, second: Ints) -> Floats:
        """The products of these pairs of features."""
        return self.values[:, first] * self.values[:, second]

    def _differences(self) -> Floats:
        """For every two features, how far the means of their product are apart."""
        before, after = self.values[~self.released], self.values[self.released]
        means = [part.T @ part / len(part) for part in (before, after)]
        squares = self.values**2
        variance = squares.T @ squares / len(squares) - ((means[0] + means[1]) / 2.0) ** 2
        error = np.sqrt(np.maximum(variance, 1e-12) * (1.0 / len(before) + 1.0 / len(after)))
        return np.asarray((means[1] - means[0]) / error)


def _features(
    comparison: Comparison, name: str, rows: Ints, *, by_rank: bool
) -> Iterator[tuple[Floats, bool]]:
    """The features of a column, and whether each is a number."""
    original, released = comparison.original[name], comparison.released[name]
    values = np.concatenate([original.values[rows], released.values[rows]])
    if original.kind is Kind.NOMINAL:
        most = max(min(MOST_LEVELS, BROADEST // len(comparison.original.names)), 1)
        for term in Dummies.of(original, released, missing=True, most=most).terms(values):
            yield from _standardise(term, is_number=False)
        return
    missing = np.isnan(values)
    if not missing.all():
        yield from _standardise((_rank if by_rank else _fill)(values, ~missing), is_number=True)
    yield from _standardise(missing.astype(np.float64), is_number=False)


def _rank(values: npt.NDArray[Any], present: Flags) -> Floats:
    """Ranks of the values that there are; a missing one is in the middle."""
    ranks = np.full(len(values), (np.count_nonzero(present) + 1) / 2.0)
    ranks[present] = rank_by_middle(values[present])
    return ranks


def _fill(values: npt.NDArray[Any], present: Flags) -> Floats:
    """Numbers from 0 to 1, all 0 if they differ by rounding only; missing ones have the mean."""
    low, width = values[present].min(), np.ptp(values[present])
    if width <= ROUNDING * np.abs(values[present]).max():
        return np.zeros(len(values))
    unit = (values - low) / width
    return np.where(present, unit, unit[present].mean())


def _standardise(term: Floats, *, is_number: bool) -> Iterator[tuple[Floats, bool]]:
    """Nothing, if it is the same in all rows."""
    if np.ptp(term) > 0.0:
        yield (term - term.mean()) / term.std(), is_number
