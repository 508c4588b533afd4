"""Fate of the most extreme records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.base.params import Count
from swapmeet.base.sentences import figure
from swapmeet.comparison.comparison import Comparison, random_rows
from swapmeet.comparison.intervals import of_share
from swapmeet.comparison.score import CONFIDENCE, Score, Undefined
from swapmeet.comparison.sums import BeforeAfter, Sums
from swapmeet.comparison.table_size import WIDE
from swapmeet.comparison.values import present_in
from swapmeet.intruders.nearest_records import links_of_originals
from swapmeet.measures.base import Coverage, RiskMeasure
from swapmeet.measures.risk.robust import Scatter, Shape, robust_scatter
from swapmeet.tables.microdata import Microdata
from swapmeet.tables.schema import Kind

LARGEST_SEARCH = 20_000
"""Of more rows, the robust centre and spread are those of a random sample of this size."""


@dataclass(frozen=True, kw_only=True)
class Outliers(RiskMeasure):
    """The share of the most extreme people whom an intruder finds as PSCR does.

    Extreme is who is farthest from the centre in robust Mahalanobis distance over the known columns
    with numbers; where half of the records lie on a plane, so that there is no robust one, and in
    more than 100 columns, ordinary covariances take its place. A missing value counts as the
    column's median. Details: how far the most extreme records are out before and after, and how
    many of them still are among the most extreme of the release.
    """

    name = "outliers"
    growth = "rows × columns²"
    question = "How many of the most extreme people are still found?"
    coverage = Coverage.ALL
    ordered = True

    count: Annotated[int, Count(1), "number of people who count as the most extreme ones"] = 20

    def score(self, comparison: Comparison) -> Score:
        comparison.require_owners()
        distance = _Distance.of(comparison)
        count = min(self.count, comparison.n)
        farthest = comparison.gather(partial(_farthest, distance, count), distance.names)
        extreme, order = np.unique(farthest.before.rows, return_index=True)
        chance = links_of_originals(comparison, extreme).chances
        still = np.isin(extreme, farthest.after.rows)
        released = distance.distances(comparison.pick_rows(extreme).released, distance.released)
        sentence = (
            f"Of the {count} most extreme people an intruder who knows {comparison.what_is_known} "
            f"finds {figure(float(chance.sum()))}; the released records of {still.sum()} of them "
            f"are among the {count} most extreme of the release."
        )
        return self.make_score(
            chance.mean(),
            sentence,
            interval=of_share(float(chance.sum()), count, CONFIDENCE),
            details={
                "distance": distance.basis,
                "median distance of the extreme before":
                    float(np.median(farthest.before.distances[order])),
                "median distance of the extreme after": float(np.median(released)),
                "still among the most extreme": int(still.sum()),
            },
        )  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class _Top:
    """The rows that are farthest out, of two the earlier first, and how far they are."""

    count: int
    rows: Ints
    distances: Floats

    def __add__(self, other: _Top) -> _Top:
        rows, distances = (
            np.append(self.rows, other.rows), np.append(self.distances, other.distances)
        )  # fmt: skip
        first = np.lexsort((rows, -distances))[: self.count]
        return _Top(self.count, rows[first], distances[first])


def _farthest(distance: _Distance, count: int, piece: Comparison) -> BeforeAfter[_Top]:
    return BeforeAfter(*(
        _top(distance.distances(data, medians), count, piece.first)
        for data, medians in (
            (piece.original, distance.original), (piece.released, distance.released)
        )
    ))  # fmt: skip


def _top(distances: Floats, count: int, begin: int) -> _Top:
    first = np.argsort(-distances, kind="stable")[:count]
    return _Top(count, first + begin, distances[first])


@dataclass(frozen=True, repr=False, eq=False)
class _Distance:
    """Outlyingness of rows: columns are standardised, and measured from a centre in a shape.

    `original` and `released` are the medians that stand for missing values in each table.
    """

    names: tuple[str, ...]
    original: Floats
    released: Floats
    mean: Floats
    scale: Floats
    centre: Floats
    inverse: Floats
    robust: Floats | None

    @classmethod
    def of(cls, comparison: Comparison) -> _Distance:
        """Measure by the original's robust centre and covariance, or else the ordinary ones."""
        names = tuple(
            n for n in comparison.known if comparison.original[n].kind is not Kind.NOMINAL
        )
        if not names:
            raise Undefined("no known column has numbers")
        medians = np.array([[_median(some) for some in comparison.in_order(n)] for n in names]).T
        sums = comparison.gather(partial(_sum_up, names, medians[0], None), names)
        mean = sums.sums / comparison.n
        centred = comparison.gather(partial(_sum_up, names, medians[0], mean), names)
        spread = np.sqrt(np.diag(centred.products) / comparison.n)
        if not (spread > 0).any():
            raise Undefined("the known columns with numbers are constant")
        scale = np.where(spread > 0, spread, 1.0)
        plain = cls(
            names, medians[0], medians[1], mean, scale, np.zeros(len(names)),
            _inverse(centred.products / np.outer(scale, scale), comparison.n), None,
        )  # fmt: skip
        if len(names) > WIDE:
            return plain
        try:
            scatter = plain.scatter(comparison)
        except Undefined:
            return plain
        return replace(plain, centre=scatter.centre, robust=scatter.covariance)

    @property
    def basis(self) -> str:
        """Name of the distance."""
        return "ordinary" if self.robust is None else "robust"

    def distances(self, data: Microdata, medians: Floats) -> Floats:
        """Return how far rows are out."""
        standard = self._standard(data, medians)
        if self.robust is not None:
            return np.sqrt(Shape.of(self.centre, self.robust).squared_distances(standard))
        return np.sqrt(np.maximum(((standard @ self.inverse) * standard).sum(axis=1), 0.0))

    def _standard(self, data: Microdata, medians: Floats) -> Floats:
        return (_fill(data, self.names, medians) - self.mean) / self.scale

    def scatter(self, comparison: Comparison) -> Scatter:
        """The robust centre and covariance, of a random sample where rows are many."""
        stream = comparison.streams.stream("outliers")
        sample = random_rows(stream, comparison.n, LARGEST_SEARCH)
        rows = self._standard(comparison.pick_rows(sample).original, self.original)
        return robust_scatter(rows, self.names, stream)


@dataclass(frozen=True, repr=False, eq=False)
class _Sums(Sums):
    sums: Floats
    products: Floats


def _sum_up(
    names: tuple[str, ...], medians: Floats, mean: Floats | None, piece: Comparison
) -> _Sums:
    """Sums of the original's columns and of their products, less the mean if it is known."""
    values = _fill(piece.original, names, medians)
    if mean is None:
        return _Sums(values.sum(axis=0), np.zeros((len(names), len(names))))
    values -= mean
    return _Sums(values.sum(axis=0), values.T @ values)


def _inverse(products: Floats, n: int) -> Floats:
    """The inverse of the covariance matrix of `n` rows."""
    inverse = np.linalg.pinv(products / max(n - 1, 1), hermitian=True)
    return np.asarray(inverse, np.float64)


def _fill(data: Microdata, names: tuple[str, ...], medians: Floats) -> Floats:
    """Rows, with missing values replaced by the median of their column."""
    values = np.stack([data[name].values for name in names], axis=1)
    return np.where(np.isnan(values), medians, values)


def _median(ordered: Floats) -> float:
    """That of sorted values; NaN comes last and does not count."""
    present = present_in(ordered)
    if not len(present):
        raise Undefined("a known column has no values")
    return float(present[(len(present) - 1) // 2 : len(present) // 2 + 1].mean())
