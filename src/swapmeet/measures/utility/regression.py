"""A regression of one column on all others, before and after (RWN paper, 9.4: IL3 and R²)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from swapmeet.base.arrays import Flags, Floats
from swapmeet.base.parallel import ranges
from swapmeet.base.params import ColumnName, Optional
from swapmeet.base.sentences import agree, percent
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.comparison.sums import BeforeAfter, Sums
from swapmeet.comparison.weights import find_effective_weights, name_weight
from swapmeet.measures.base import Coverage, UtilityMeasure
from swapmeet.measures.utility.columns import (
    Dummies,
    NumericColumns,
    Standards,
    numbers_of,
    to_explain,
)
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind


@dataclass(frozen=True, kw_only=True)
class Coefficients(UtilityMeasure):
    """The mean absolute change of a coefficient, in the regression of one column on all others.

    Each table is standardised by itself, so that a coefficient is in standard deviations and there
    is no intercept. 0 for an unchanged release; for one whose columns were shuffled each on its
    own, about the mean size of the original coefficients. The details give the overlap of the 95 %
    intervals (1: they agree, 0: disjoint), which says whether an analyst would conclude the same.

    A nominal column has a term for each of its more frequent levels; terms that are combinations of
    others are dropped. Rows with a missing value are left out, as are columns missing in more than
    half of them; a term that no longer varies in the release has the coefficient 0 there.

    Reference: RWN paper, section 9.4, IL3; Karr and others (2006) for the overlap.
    """

    name = "coefficients"
    growth = "rows × columns²"
    public = True
    question = "How much do the coefficients of a regression change?"
    coverage = Coverage.ALL
    bounds = (0.0, np.inf)

    target: Explained = None

    def score(self, comparison: Comparison) -> Score:
        fits = comparison.once(Regression(self.target))
        changes = np.abs(fits.before.coefficients - fits.after.coefficients)
        most = int(np.argmax(changes))
        shared = overlaps(fits.before, fits.after)
        size = float(np.abs(fits.before.coefficients).mean())
        sentence = (
            f"In a regression of {fits.target} on the other columns a coefficient changes by "
            f"{changes.mean():.3f} standard deviations on average (0 would be none, and their mean "
            f"size is {size:.2f}); the 95 % intervals before and after overlap by "
            f"{percent(shared.mean())}."
        )
        details: dict[str, Any] = {
            "target": fits.target,
            "largest change": float(changes[most]),
            "of": fits.terms[most],
            "mean overlap of intervals": float(shared.mean()),
            "mean standard error before": float(fits.before.errors.mean()),
            "mean standard error after": float(fits.after.errors.mean()),
            "R² before": fits.before.r_squared,
            "R² after": fits.after.r_squared,
            "terms": list(fits.terms),
            "coefficients before": fits.before.coefficients.tolist(),
            "coefficients after": fits.after.coefficients.tolist(),
            "standard errors before": fits.before.errors.tolist(),
            "standard errors after": fits.after.errors.tolist(),
            "terms dropped": fits.dropped,
            "terms lost in the release": fits.lost,
            "rows before": fits.before.rows,
            "rows after": fits.after.rows,
            **name_weight(comparison),
        }
        return self.make_score(changes.mean(), sentence, details=details)


@dataclass(frozen=True, kw_only=True)
class RSquared(UtilityMeasure):
    """The absolute change of R², in the regression of one column on all others.

    The regression is that of `coefficients`. 0 for an unchanged release; for one whose columns were
    shuffled each on its own, nearly the R² of the original. Swapping and noise lower R²,
    aggregation raises it: either is a loss.

    Reference: RWN paper, section 9.4.
    """

    name = "r-squared"
    growth = "rows × columns²"
    public = True
    question = "How much does the explanatory power of a regression change?"
    coverage = Coverage.ALL

    target: Explained = None

    def score(self, comparison: Comparison) -> Score:
        fits = comparison.once(Regression(self.target))
        before, after = fits.before.r_squared, fits.after.r_squared
        sentence = (
            f"The other columns explain {percent(before)} of the variance of {fits.target} in the "
            f"original and {percent(after)} in the release; if nothing were lost, the two would be "
            "the same."
        )
        details = {
            "target": fits.target,
            "R² before": before,
            "R² after": after,
            "adjusted R² before": fits.before.adjusted,
            "adjusted R² after": fits.after.adjusted,
            "terms": len(fits.terms),
            "rows before": fits.before.rows,
            "rows after": fits.after.rows,
            **name_weight(comparison),
        }
        return self.make_score(abs(after - before), sentence, details=details)


Explained = Annotated[
    str | None,
    Optional(ColumnName()),
    "column that is explained by all others (default: the last masked numeric one)",
]
BLOCK = 1 << 15
MOSTLY = 0.5
"""A column with a larger share of missing values explains nothing."""
COLLINEAR = 1e-10
"""A term of whose variance less is its own is a combination of those before it."""
FLAT = 1e-12
"""A variance below this is none, except for rounding."""


@dataclass(frozen=True, repr=False, eq=False)
class Fit:
    """Coefficients of standardised terms, with their standard errors; `r_squared`.

    With weights, the `rows` are `worth` a part of their number, and `size` is that.
    """

    coefficients: Floats
    errors: Floats
    r_squared: float
    rows: int
    worth: float = 1.0

    @property
    def size(self) -> float:
        """The effective number of rows."""
        return self.rows * self.worth

    @property
    def adjusted(self) -> float:
        """R² adjusted for the number of terms."""
        k = len(self.coefficients)
        return 1.0 - (1.0 - self.r_squared) * (self.size - 1.0) / (self.size - k - 1.0)

    def intervals(self) -> tuple[Floats, Floats]:
        """The lower and upper bounds of the coefficients."""
        from scipy.special import stdtrit

        freedom = self.size - len(self.coefficients) - 1
        reach = float(stdtrit(freedom, (1.0 + CONFIDENCE) / 2.0)) * self.errors
        return self.coefficients - reach, self.coefficients + reach


@dataclass(frozen=True, repr=False, eq=False)
class Fits:
    """The regression of `target` on `terms` in the original and in the release."""

    target: str
    terms: tuple[str, ...]
    dropped: int
    lost: int
    before: Fit
    after: Fit


@dataclass(frozen=True)
class Regression:
    """Ordinary least squares of a column on all others, each table standardised by itself.

    Terms that are a combination of earlier ones in the original are dropped. One that is so only in
    the release has the coefficient 0 there. With sampling weights, squares are weighted, and
    standard errors are those of the effective number of rows.
    """

    target: str | None = None

    def __call__(self, comparison: Comparison) -> Fits:
        """The two fits."""
        model = _Model.of(comparison, to_explain(comparison, self.target))
        fits = comparison.gather(model, model.columns)
        before, after = (_Products.of(sums) for sums in (fits.before, fits.after))
        kept = find_independent(before.correlations[1:, 1:])
        left = kept.copy()
        left[kept] = find_independent(after.correlations[1:, 1:][np.ix_(kept, kept)])
        if not kept.any():
            raise Undefined(f"there is no other column that varies to explain {model.target!r}")
        return Fits(
            target=model.target,
            terms=tuple(np.array(model.names, dtype=object)[kept]),
            dropped=int((~kept).sum()),
            lost=int(kept.sum() - left.sum()),
            before=_fit(before, kept, kept),
            after=_fit(after, kept, left),
        )


def overlaps(before: Fit, after: Fit) -> Floats:
    """The overlap of the intervals of each coefficient (Karr and others, 2006), from 0 to 1."""
    (low, high), (lower, higher) = before.intervals(), after.intervals()
    common = np.maximum(np.minimum(high, higher) - np.maximum(low, lower), 0.0)
    same = (low == lower) & (high == higher)
    shares = [
        np.divide(common, width, out=np.zeros_like(common), where=width > 0.0)
        for width in (high - low, higher - lower)
    ]
    return np.where(same, 1.0, (shares[0] + shares[1]) / 2.0)


def find_independent(products: Floats) -> Flags:
    """Flag the terms that are no combination of those before them, from their products.

    >>> x, y = np.array([1.0, 0, 0, 1]), np.array([0, 1.0, 1, 1])
    >>> terms = np.stack([x, y, x + y, 0 * x])
    >>> find_independent(terms @ terms.T).tolist()
    [True, True, False, False]
    """
    left, own = products.copy(), np.diag(products).copy()
    kept = np.zeros(len(own), np.bool_)
    for j in range(len(own)):
        if left[j, j] > COLLINEAR * own[j]:
            kept[j] = True
            left -= np.outer(left[:, j], left[j]) / left[j, j]
    return kept


@dataclass(frozen=True, repr=False, eq=False)
class _Model:
    """The target and its terms; numbers as scores, nominal columns as dummies."""

    scales: NumericColumns
    target: str
    numbers: tuple[str, ...]
    nominal: tuple[Dummies, ...]

    @classmethod
    def of(cls, comparison: Comparison, target: str) -> _Model:
        numbers = comparison.once(numbers_of)
        usable = [
            v for v in comparison.original.variables
            if v.name != target and v.statistics.missing <= MOSTLY * v.statistics.rows
        ]  # fmt: skip
        return cls(
            numbers,
            target,
            tuple(v.name for v in usable if v.name in numbers.names),
            tuple(
                Dummies.of(v, comparison.released[v.name], missing=False)
                for v in usable
                if v.kind is Kind.NOMINAL
            ),
        )

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.numbers, *(name for dummies in self.nominal for name in dummies.names))

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.target, *self.numbers, *(dummies.name for dummies in self.nominal))

    def __call__(self, piece: Comparison) -> BeforeAfter[_Sums]:
        """Quantities to be summed up in both tables."""
        return BeforeAfter(
            self._sums(piece.original, self.scales.original),
            self._sums(piece.released, self.scales.released),
        )

    def _sums(self, data: Microdata, scales: Standards) -> _Sums:
        size = 1 + len(self.names)
        sums = _Sums(0, 0.0, np.zeros(size), np.zeros((size, size)))
        scores = scales.scores(data, (self.target, *self.numbers))
        weights = find_effective_weights(data)
        for begin, end in ranges(data.n, BLOCK):
            sums += self._of_block(data, scores, weights, begin, end)
        return sums

    def _of_block(
        self, data: Microdata, scores: Floats, weights: Floats | None, begin: int, end: int
    ) -> _Sums:
        """Of the target and the terms of the complete rows of a range."""
        codes = [data[dummies.name].values[begin:end] for dummies in self.nominal]
        complete = ~np.isnan(scores[:, begin:end]).any(axis=0)
        for some in codes:
            complete &= some >= 0
        terms = [dummies.terms(some) for dummies, some in zip(self.nominal, codes, strict=True)]
        rows = np.concatenate([scores[:, begin:end], *terms])[:, complete]
        count = rows.shape[1]
        if weights is None:
            return _Sums(count, count, rows.sum(axis=1), rows @ rows.T)
        own = weights[begin:end][complete]
        return _Sums(count, float(own.sum()), rows @ own, (rows * own) @ rows.T)


@dataclass(frozen=True, repr=False, eq=False)
class _Sums(Sums):
    """Number of complete rows and what they are worth by their weights, sums of their target and
    terms, and of the products of these.
    """

    rows: int
    size: float
    sums: Floats
    products: Floats


@dataclass(frozen=True, repr=False, eq=False)
class _Products:
    """The correlations of target (first) and terms, over the complete rows of a table."""

    rows: int
    size: float
    correlations: Floats

    @classmethod
    def of(cls, sums: _Sums) -> _Products:
        products = sums.products - np.outer(sums.sums, sums.sums) / (sums.size or 1)
        squares = np.diag(products)
        scale = np.sqrt(np.where(squares > FLAT * sums.size, squares, np.inf))
        return cls(sums.rows, sums.size, products / np.outer(scale, scale))


def _fit(products: _Products, kept: Flags, used: Flags) -> Fit:
    """The fit with the `used` ones of the `kept` terms."""
    count, rows, size = int(kept.sum()), products.rows, products.size
    if rows < count + 2:
        raise Undefined(
            f"{rows} {agree(rows, 'row has', 'rows have')} a value in every column, too few for a "
            f"regression with {count} terms"
        )
    if size < count + 2:
        raise Undefined(
            f"{rows} rows with such different weights are worth {size:.0f} of equal ones, too few "
            f"for a regression with {count} terms"
        )
    matrix, shared = products.correlations[1:, 1:][np.ix_(used, used)], products.correlations[1:, 0]
    inverse = np.linalg.inv(matrix)
    coefficients, errors = np.zeros((2, len(kept)))
    coefficients[used] = inverse @ shared[used]
    r_squared = float(np.clip(shared[used] @ coefficients[used], 0.0, 1.0))
    noise = (1.0 - r_squared) / (size - count - 1.0)
    errors[used] = np.sqrt(noise * np.maximum(np.diag(inverse), 0.0))
    return Fit(coefficients[kept], errors[kept], r_squared, rows, size / rows)
