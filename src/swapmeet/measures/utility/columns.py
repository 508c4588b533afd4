"""The columns that measures reckon with: standardised numbers, 0/1 terms, and which to explain."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Ints, ShortInts
from swapmeet.comparison.comparison import Comparison
from swapmeet.comparison.score import Undefined
from swapmeet.comparison.sums import BeforeAfter, Sums
from swapmeet.comparison.weights import find_weights, is_weighted
from swapmeet.errors import did_you_mean
from swapmeet.tables.microdata import LARGEST, Microdata, Variable
from swapmeet.tables.schema import Kind, Role
from swapmeet.tables.statistics import ColumnStatistics

ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""Values that differ by less than this share of their size are the same except for rounding."""


@dataclass(frozen=True, repr=False, eq=False)
class Standards:
    """The means and standard deviations of some columns of a table; 0 where all is the same."""

    names: tuple[str, ...]
    centre: Floats
    spread: Floats

    @classmethod
    def of(cls, data: Microdata, names: Iterable[str]) -> Standards:
        """Return those of the named columns of a whole table."""
        names = tuple(names)
        facts = [data[name].statistics for name in names]
        spread = [_spread(fact) for fact in facts]
        return cls(names, np.array([fact.mean for fact in facts]), np.array(spread))

    def reweight(self, totals: WeightedSums) -> Standards:
        """The weighted means and standard deviations (R's svymean and svyvar).

        What does not vary without weights does not with them; columns without a finite mean stay.
        """
        rows, weights, sums, squares = totals.sums
        with np.errstate(invalid="ignore", divide="ignore"):
            means = sums / weights
            variances = (squares / weights - means**2) * rows / (rows - 1.0)
        usable = (self.spread > 0.0) & np.isfinite(self.spread) & np.isfinite(variances)
        means, variances = np.where(usable, means, 0.0), np.where(usable, variances, 1.0)
        return Standards(
            self.names, self.centre + self.spread * means,
            self.spread * np.sqrt(np.maximum(variances, 0.0)),
        )  # fmt: skip

    def only(self, columns: Flags) -> Standards:
        """Select some of the columns."""
        names = tuple(np.array(self.names, dtype=object)[columns])
        return Standards(names, self.centre[columns], self.spread[columns])

    def scores(self, data: Microdata, names: Iterable[str] | None = None) -> Floats:
        """Columns of some rows, a row each: mean 0 and standard deviation 1 in the whole table.

        NaN is missing; where all values are the same the scores are 0.
        """
        names = self.names if names is None else tuple(names)
        scores = np.empty((len(names), data.n))
        for row, name in zip(scores, names, strict=True):
            place = self.names.index(name)
            np.subtract(data[name].values, self.centre[place], out=row)
            if self.spread[place] > 0.0:
                row /= self.spread[place]
            else:
                row[~np.isnan(row)] = 0.0
        return scores


@dataclass(frozen=True, repr=False, eq=False)
class NumericColumns:
    """The numeric columns of both tables; `constant` ones of the original are left out."""

    names: tuple[str, ...]
    constant: tuple[str, ...]
    masked: Flags
    original: Standards
    released: Standards

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """Pairs of columns of which at least one is masked."""
        first, second = np.triu_indices(len(self.names), 1)
        either = self.masked[first] | self.masked[second]
        return first[either], second[either]

    @property
    def flat(self) -> tuple[str, ...]:
        """Columns that have lost all variation in the release."""
        lost = self.released.spread == 0.0
        return tuple(name for name, is_lost in zip(self.names, lost, strict=True) if is_lost)

    @property
    def only_masked(self) -> Standards:
        """Standardise the masked columns of the original."""
        return self.original.only(self.masked)

    def require(self, columns: int) -> None:
        """Leave a measure that needs more columns than there are."""
        if len(self.names) < columns or not self.masked.any():
            raise Undefined(
                f"it needs {columns} columns with numbers that vary, a masked one among them"
                if columns > 1
                else "no masked column has numbers that vary"
            )


def numbers_of(comparison: Comparison) -> NumericColumns:
    """The numeric columns of a comparison, with weighted means and spreads if rows have weights.

    The weight itself is none of them.
    """
    return _gather_numbers(comparison, standardize)


def plain_numbers_of(comparison: Comparison) -> NumericColumns:
    """The same, with each row counting as one."""
    return _gather_numbers(comparison, _standardize_plainly)


def _gather_numbers(
    comparison: Comparison,
    standards: Callable[[Comparison, tuple[str, ...]], tuple[Standards, Standards]],
) -> NumericColumns:
    require_finite(comparison)
    weight = comparison.original.weight
    numeric = tuple(n for n in comparison.numeric if weight is None or n != weight.name)
    original, released = standards(comparison, numeric)
    varies = original.spread > 0.0
    original, released = original.only(varies), released.only(varies)
    return NumericColumns(
        names=original.names,
        constant=tuple(name for name in numeric if name not in original.names),
        masked=np.array([name in comparison.masked for name in original.names], np.bool_),
        original=original,
        released=released,
    )


def standardize(comparison: Comparison, names: tuple[str, ...]) -> tuple[Standards, Standards]:
    """Standardise the named columns of both tables, weighted if rows have weights.

    Sums are of values that are standardised without weights, so that one pass gives means and
    variances of all digits.
    """
    plain = _standardize_plainly(comparison, names)
    if not names or not is_weighted(comparison):
        return plain
    sums = comparison.gather(partial(_add_up_weighted, *plain), names)
    return plain[0].reweight(sums.before), plain[1].reweight(sums.after)


def _standardize_plainly(
    comparison: Comparison, names: tuple[str, ...]
) -> tuple[Standards, Standards]:
    return Standards.of(comparison.original, names), Standards.of(comparison.released, names)


@dataclass(frozen=True, repr=False, eq=False)
class WeightedSums(Sums):
    """Sum up by column: the rows with a value, their weights, w z and w z²."""

    sums: Floats

    @classmethod
    def of(cls, scores: Floats, weights: Floats | None) -> WeightedSums:
        """Compute those of columns, a row each; NaN is missing."""
        own = np.ones(scores.shape[1]) if weights is None else weights
        missing = np.isnan(scores)
        gone = missing.any(axis=1)
        values = np.where(missing, 0.0, scores) if gone.any() else scores
        rows, total = np.full(len(scores), len(own)), np.full(len(scores), own.sum())
        for j in np.flatnonzero(gone):
            rows[j], total[j] = (~missing[j]).sum(), own[~missing[j]].sum()
        counted = values * own
        return cls(np.stack([rows, total, counted.sum(axis=1), (counted * values).sum(axis=1)]))


def _add_up_weighted(
    original: Standards, released: Standards, piece: Comparison
) -> BeforeAfter[WeightedSums]:
    before, after = (
        WeightedSums.of(standards.scores(data), find_weights(data))
        for standards, data in ((original, piece.original), (released, piece.released))
    )
    return BeforeAfter(before, after)


def require_finite(comparison: Comparison) -> None:
    """Leave a measure that reckons with numbers where some are infinite."""
    beyond = [
        name
        for name in comparison.numeric
        for data in comparison.tables
        if data[name].statistics.size > LARGEST
    ]
    if beyond:
        listed = ", ".join(dict.fromkeys(beyond))
        raise Undefined(f"infinite values (or beyond {LARGEST:.0e}) in {listed}")


def _spread(facts: ColumnStatistics) -> float:
    return facts.sd if facts.span > ROUNDING * facts.size else 0.0


MOST_LEVELS = 20
"""So many levels of a column have a term of their own; the rarer ones share one."""
_NONE = -1


@dataclass(frozen=True, repr=False, eq=False)
class Dummies:
    """The terms of a nominal column: one for each level but the most frequent of the original.

    Only levels that occur in one of the tables have a term; beyond the most frequent ones they
    share the last. The missing value may be a level.
    """

    name: str
    count: int
    _places: Ints
    """The term of each level, the missing value being the last; -1 for the most frequent one."""

    @classmethod
    def of(
        cls, original: Variable, released: Variable, *, missing: bool, most: int = MOST_LEVELS
    ) -> Dummies:
        """The terms of a column; with `missing`, the missing value is a level."""
        before, after = (_counts(variable) for variable in (original, released))
        occurs = before + after > 0
        occurs[-1] &= missing
        order = np.argsort(-before, kind="stable")
        order = order[occurs[order]]
        places = np.full(len(before), _NONE)
        places[order] = np.minimum(np.arange(len(order)) - 1, most)
        return cls(original.name, int(places.max(initial=_NONE)) + 1, places)

    def terms(self, codes: ShortInts) -> Floats:
        """A row for each term."""
        terms = np.zeros((self.count, len(codes)))
        places = self._places[codes]
        rows = np.flatnonzero(places != _NONE)
        terms[places[rows], rows] = 1.0
        return terms

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the terms; levels are numbered, since their names are values."""
        return tuple(f"{self.name} (level {number + 2})" for number in range(self.count))


def _counts(variable: Variable) -> Ints:
    """Count each level; the missing value is the last."""
    counts = np.zeros(variable.levels + 1, np.int64)
    counts[variable.known.values] = variable.known.counts
    counts[-1] = variable.statistics.missing
    return counts


MOST_CLASSES = 50
"""A column with more levels is not chosen for prediction unless it is named."""


def to_explain(comparison: Comparison, target: str | None) -> str:
    """The column that a regression explains: the one named, or the last masked numeric one."""
    if target is not None:
        if _varying(comparison, target).kind is Kind.NOMINAL:
            raise Undefined(f"{target!r} is nominal, and a regression explains numbers")
        return target
    candidates = [v for v in _masked(comparison) if v.kind is not Kind.NOMINAL and _varies(v)]
    candidates.sort(key=lambda variable: variable.kind is Kind.NUMERIC)
    return _last(candidates, "no masked column has numbers that vary")


def to_predict(comparison: Comparison, target: str | None) -> str:
    """The column to predict: the one named, or the last sensitive one, or the last masked one."""
    if target is not None:
        return _varying(comparison, target).name
    candidates = [v for v in _masked(comparison) if _varies(v) and v.levels <= MOST_CLASSES]
    candidates.sort(key=lambda variable: variable.role is Role.SENSITIVE)
    return _last(candidates, "no masked column has values that vary and repeat")


def to_count(comparison: Comparison, target: str | None) -> str:
    """The column whose values are counted: the one named, or the first sensitive nominal one.

    Where there is none, the last nominal one; where there is none either, the last masked one.
    """
    if target is not None:
        return _varying(comparison, target).name
    nominal = [v for v in comparison.original.variables if v.kind is Kind.NOMINAL and _varies(v)]
    sensitive = [v for v in nominal if v.role is Role.SENSITIVE]
    if sensitive:
        return sensitive[0].name
    candidates = nominal or [v for v in _masked(comparison) if _varies(v)]
    return _last(candidates, "no column has values that vary")


def _masked(comparison: Comparison) -> list[Variable]:
    return [comparison.original[name] for name in comparison.masked]


def _varying(comparison: Comparison, name: str) -> Variable:
    """The named column, which must be there and vary."""
    names = comparison.original.names
    if name not in names:
        hint = did_you_mean(name, names).rstrip(".")
        raise Undefined(f"the tables have no common column {name!r}{hint}")
    if not _varies(comparison.original[name]):
        raise Undefined(f"{name!r} does not vary in the original")
    return comparison.original[name]


def _varies(variable: Variable) -> bool:
    facts = variable.statistics
    return facts.varies if variable.kind is not Kind.NOMINAL else len(variable.known.values) > 1


def _last(candidates: list[Variable], otherwise: str) -> str:
    if not candidates:
        raise Undefined(otherwise)
    return candidates[-1].name


def some_rows(comparison: Comparison, most: int, label: str) -> Ints:
    """At most `most` rows, at random and in order; the same for the same number of rows."""
    if comparison.n <= most:
        return np.arange(comparison.n)
    stream = comparison.streams.stream(label, "rows")
    return np.sort(stream.choice(comparison.n, most, replace=False, shuffle=False))
