"""Robust scatter: the reweighted minimum covariance determinant (MCD), sought as in FastMCD.

It comes from the half of the records that lie closest together. Many halves around a few random
records are concentrated: a half is replaced by its own nearest half until nothing is gained. The
best of them are then improved by exchanges of one record for one, which find better halves than
concentration alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from swapmeet.base.arrays import Flags, Floats, Rows
from swapmeet.base.quantiles import chi_squared_quantile, chi_squared_share
from swapmeet.comparison.score import Undefined

ROWS_PER_COLUMN = 5
OUTLYING = 0.975


@dataclass(frozen=True)
class SmallSample:
    """Makes up for the bias of small samples: 1 / (1 - a / n^b).

    `one` and `two` are log a and b for as many columns; for more they follow from two points, the
    bias at n = 2 p² and at n = 3 p², which `twice` and `thrice` give as c / p^d.

    Reference: Pison, Van Aelst, Willems (2002).
    """

    one: tuple[float, float]
    two: tuple[float, float]
    twice: tuple[float, float]
    thrice: tuple[float, float]

    def factor(self, n: int, p: int) -> float:
        """For n rows and p columns."""
        if p <= 2:
            logarithm, power = self.one if p == 1 else self.two
        else:
            first, second = (np.log(c) - d * np.log(p) for c, d in (self.twice, self.thrice))
            power = (first - second) / np.log(1.5)
            logarithm = first + power * np.log(2.0 * p**2)
        return float(1.0 / (1.0 - np.exp(logarithm) / n**power))


RAW = SmallSample(
    one=(0.262024211897096, 0.604756680630497),
    two=(0.673292623522027, 0.691365864961895),
    twice=(1.42764571687802, 1.26263336932151),
    thrice=(1.06141115981725, 1.28907991440387),
)
REWEIGHTED = SmallSample(
    one=(1.11098143415027, 1.5182890270453),
    two=(3.11101712909049, 1.91401056721863),
    twice=(1.02842572724793, 1.67659883081926),
    thrice=(0.26800273450853, 1.35968562893582),
)


@dataclass(frozen=True, repr=False, eq=False)
class Scatter:
    """Robust centre and covariance; and which rows are the half they come from, and its log det."""

    centre: Floats
    covariance: Floats
    half: Flags
    determinant: float

    def distances(self, values: Floats, centre: Floats) -> Floats:
        """Mahalanobis distances of rows from `centre`, in this covariance."""
        return np.sqrt(Shape.of(centre, self.covariance).squared_distances(values))


def robust_scatter(values: Floats, names: Iterable[str], generator: np.random.Generator) -> Scatter:
    """That of (rows, columns) without missing values; the order of the rows plays no part.

    The covariance of the best half, made consistent with that of normal data, says which records
    are outlying; the result is the covariance of the others, made consistent likewise. Undefined
    where half of the records lie on a plane, or where there are too few of them.
    """
    n, p = values.shape
    if n < ROWS_PER_COLUMN * p:
        raise Undefined(
            f"robust distances in {p} columns take {ROWS_PER_COLUMN * p} records without missing "
            f"values at least, and there are {n}"
        )
    half = best_half(values, tuple(names), generator)
    try:
        within, determinant = _not_outlying(values, half)
        centre, covariance = moments(values[within])
        covariance *= _consistency(p, within.mean()) * REWEIGHTED.factor(n, p)
        Shape.of(centre, covariance)
    except np.linalg.LinAlgError:
        raise Undefined(
            "half of the records differ so little, compared with the others, that rounding hides it"
        ) from None
    return Scatter(centre, covariance, half, determinant)


def _not_outlying(values: Floats, half: Flags) -> tuple[Flags, float]:
    n, p = values.shape
    centre, covariance = moments(values[half])
    scale = _consistency(p, half.mean()) * RAW.factor(n, p)
    shape = Shape.of(centre, covariance)
    within = shape.squared_distances(values) < scale * chi_squared_quantile(OUTLYING, p)
    return within, shape.determinant


def _consistency(p: int, share: float) -> float:
    """Return the factor that scales the covariance of the innermost `share` of normal data."""
    if share == 1.0:
        return 1.0
    return float(share / chi_squared_share(chi_squared_quantile(share, p), p + 2))


STARTS = 500
KEPT = 30
SAMPLE = 2000
"""Of more rows, a random sample of this size is searched first."""
FINALISTS = 5
STEPS = 100
RIVALS = 200
EXCHANGES = 2_000_000
"""At most this many, divided by the number of rows."""
NO_GAIN = 1e-12
SINGULAR = 1e-12
"""A column depends on others if these leave less than this share of its variance."""
ON_PLANE = 1e-5
"""Distance from a plane, in interquartile ranges, at which rounding may put a record on it."""


class Subset(NamedTuple):
    """Some rows and the logarithm of the determinant of their covariance matrix."""

    rows: Rows
    determinant: float


@dataclass(frozen=True, repr=False, eq=False)
class Shape:
    """An ellipsoid: its centre and the inverse of the Cholesky factor of its covariance."""

    centre: Floats
    inverse: Floats
    determinant: float

    @classmethod
    def of(cls, centre: Floats, covariance: Floats) -> Shape:
        """LinAlgError where the covariance is singular."""
        factor = np.linalg.cholesky(covariance)
        pivots = np.diag(factor)
        if (pivots**2 <= SINGULAR * np.diag(covariance)).any():
            raise np.linalg.LinAlgError
        return cls(centre, np.linalg.inv(factor), 2.0 * float(np.log(pivots).sum()))

    def to_unit_ball(self, values: Floats) -> Floats:
        """The values where the ellipsoid is the unit ball."""
        return (values - self.centre) @ self.inverse.T

    def squared_distances(self, values: Floats) -> Floats:
        """Mahalanobis distances, squared."""
        turned = self.to_unit_ball(values)
        return np.einsum("ij,ij->i", turned, turned)


def moments(values: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance, divisor n - 1."""
    centre = values.mean(axis=0)
    centred = values - centre
    return centre, centred.T @ centred / (len(values) - 1)


def size_of_half(values: Floats) -> int:
    """Return the number of records of a half, so that the most outliers can be resisted."""
    return (values.shape[0] + values.shape[1] + 1) // 2


def best_half(values: Floats, names: tuple[str, ...], generator: np.random.Generator) -> Flags:
    """Flag the rows of (rows, columns) in the best half found; their order plays no part.

    Undefined where half of the rows lie on a plane.
    """
    order = np.lexsort(values.T[::-1])
    scaled = np.stack([_without_unit(column) for column in values.T], axis=1)
    search = _Search(scaled[order], scaled, names)
    search.refuse_evident_planes()
    rows = search.find_stretch() if values.shape[1] == 1 else search.find_best(generator)
    half = np.zeros(len(values), np.bool_)
    half[order[rows]] = True
    return half


def _without_unit(column: Floats) -> Floats:
    """A column from its median, by a range that outliers do not stretch if there is one."""
    low, lower, middle, upper, high = np.percentile(column, [10, 25, 50, 75, 90])
    spreads = (upper - lower, high - low, np.ptp(column), 1.0)
    return (column - middle) / next(spread for spread in spreads if spread > 0.0)


@dataclass(frozen=True, repr=False, eq=False)
class _Search:
    """A search among `values`; a plane is one if half of `everyone` lies on it."""

    values: Floats
    everyone: Floats
    names: tuple[str, ...]

    @property
    def h(self) -> int:
        return size_of_half(self.values)

    def refuse_evident_planes(self) -> None:
        """Undefined for the planes that can be seen without searching."""
        for name, column in zip(self.names, self.values.T, strict=True):
            most = int(np.unique(column, return_counts=True)[1].max())
            if most >= self.h:
                raise Undefined(
                    f"{most} of {len(column)} records have the same {name}, so that half of the "
                    "records have no spread in it; leave it out of what is known"
                )

    def find_stretch(self) -> Rows:
        """In one column the best half is a stretch of the sorted rows."""
        column = self.values[:, 0] - self.values[:, 0].mean()
        sums, squares = (np.append(0.0, np.cumsum(part)) for part in (column, column**2))
        total = sums[self.h :] - sums[: -self.h]
        spread = squares[self.h :] - squares[: -self.h] - total**2 / self.h
        return np.arange(self.h) + np.argmin(spread)

    def find_best(self, generator: np.random.Generator) -> Rows:
        """Of many rows a sample is searched, and the best of its halves are taken from there."""
        if len(self.values) <= SAMPLE:
            return self.refine(self.shortlist(self.draw_starts(generator), KEPT))[0].rows
        part = np.sort(generator.choice(len(self.values), SAMPLE, replace=False))
        sample = _Search(self.values[part], self.everyone, self.names)
        finalists = sample.refine(sample.shortlist(sample.draw_starts(generator), KEPT))[:FINALISTS]
        shapes = [self.shape(part[half.rows]) for half in finalists]
        halves = [self.nearest(shape) for shape in shapes if shape is not None]
        return self.refine(self.shortlist(halves, 1))[0].rows

    def shape(self, rows: Rows) -> Shape | None:
        """That of some rows, None where they lie on a plane; Undefined where half of all do."""
        chosen = self.values[rows]
        try:
            return Shape.of(*moments(chosen))
        except np.linalg.LinAlgError:
            self.refuse_plane(chosen)
            return None

    def refuse_plane(self, chosen: Floats) -> None:
        """Undefined if half of all records are on the plane of the chosen ones."""
        centre = chosen.mean(axis=0)
        normal = np.linalg.svd(chosen - centre)[2][-1]
        away = np.abs((self.everyone - centre) @ normal)
        count = int((away <= ON_PLANE).sum())
        if count >= size_of_half(self.everyone):
            pairs = zip(self.names, normal, strict=True)
            involved = ", ".join(name for name, part in pairs if abs(part) > ON_PLANE)
            raise Undefined(
                f"{count} of {len(away)} records lie on one plane, where {involved} depend on each "
                "other; leave one of them out of what is known"
            )

    def draw_starts(self, generator: np.random.Generator) -> list[Rows]:
        """Halves around a few random rows: as few as span the space."""
        halves = []
        for _ in range(STARTS):
            order = generator.permutation(len(self.values))
            few, shape = self.values.shape[1] + 1, None
            while shape is None and few < 2 * len(order):
                shape = self.shape(order[:few])
                few *= 2
            if shape is not None:
                halves.append(self.nearest(shape))
        return halves

    def nearest(self, shape: Shape) -> Rows:
        """The half nearest to the centre of a shape."""
        return np.argpartition(shape.squared_distances(self.values), self.h - 1)[: self.h]

    def shortlist(self, halves: Iterable[Rows], keep: int) -> list[Subset]:
        """The best ones after two concentrations."""
        return _in_order(self.concentrate(rows, 2) for rows in halves)[:keep]

    def refine(self, halves: Iterable[Subset]) -> list[Subset]:
        """As good as concentrations and exchanges make them, the best one first."""
        best = _in_order(self.exchange(self.concentrate(half.rows, STEPS)) for half in halves)
        if not best:
            raise Undefined("all halves of the records that were tried lie on planes")
        return best

    def concentrate(self, rows: Rows, steps: int) -> Subset | None:
        """Replace a half by the half nearest to its centre, until nothing is gained."""
        shape, gained = self.shape(rows), np.inf
        for _ in range(steps):
            if shape is None or gained <= NO_GAIN:
                break
            rows, before = self.nearest(shape), shape.determinant
            shape = self.shape(rows)
            gained = np.inf if shape is None else before - shape.determinant
        return None if shape is None else Subset(rows, shape.determinant)

    def exchange(self, half: Subset | None) -> Subset | None:
        """Exchange a member for another record as long as that lessens the determinant."""
        if half is None:
            return None
        inside = np.zeros(len(self.values), np.bool_)
        inside[half.rows] = True
        shape = self.shape(half.rows)
        for _ in range(EXCHANGES // len(self.values)):
            if shape is None:
                return None
            leaving, entering, ratio = best_exchange(self.values, inside, shape)
            if ratio >= 1.0 - NO_GAIN:
                break
            inside[leaving], inside[entering] = False, True
            shape = self.shape(np.flatnonzero(inside))
        return None if shape is None else Subset(np.flatnonzero(inside), shape.determinant)


def _in_order(halves: Iterable[Subset | None]) -> list[Subset]:
    """From the least determinant up."""
    present = [half for half in halves if half is not None]
    return sorted(present, key=lambda half: half.determinant)


def best_exchange(values: Floats, inside: Flags, shape: Shape) -> tuple[int, int, float]:
    """The member to leave and the record to enter, and the ratio of the determinants.

    Only the outermost members and the nearest others are looked at. With d the difference from the
    mean of h members, leaving takes h / (h - 1) d d' from their scatter matrix and entering adds
    (h - 1) / h e e', where e is the difference from the mean without the one that left: two updates
    of rank one, whose determinants multiply.
    """
    squared = shape.squared_distances(values)
    members, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    members = members[np.argsort(-squared[members], kind="stable")[:RIVALS]]
    others = others[np.argsort(squared[others], kind="stable")[:RIVALS]]
    rest = len(inside) - float((~inside).sum()) - 1.0
    left, right = (shape.to_unit_ball(values[rows]) / rest**0.5 for rows in (members, others))
    leaving = (left**2).sum(axis=1)[:, np.newaxis]
    entering = (right**2).sum(axis=1)
    between = left @ right.T + leaving / rest
    grown = 1.0 + 1.0 / rest
    reach = entering + 2.0 * between / rest - leaving / rest**2
    ratios = (1.0 - grown * leaving) * (1.0 + reach / grown) + between**2
    first, second = divmod(int(np.argmin(ratios)), len(others))
    return int(members[first]), int(others[second]), float(ratios.min())
