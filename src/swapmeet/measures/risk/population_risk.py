"""Likelihood that a link with the population is right, given how many people a row stands for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from swapmeet.base.arrays import Floats, Ints
from swapmeet.comparison.comparison import Comparison, EquivalenceClasses
from swapmeet.comparison.score import Undefined
from swapmeet.tables.schema import Role

NEARLY_ALL = 1e-4
"""A share outside the sample below which a series stands for differences that cancel."""
NO_WEIGHT = (
    "no column has the role weight, so nothing is known about the population; name one with "
    "`weight`, if the rows are a sample"
)


def estimate_risks(frequencies: Floats, sizes: Floats) -> Floats:
    """The individual risk of Benedetti and Franconi, as sdcMicro has it.

    Of a combination of keys that `frequencies` rows have, and `sizes` people of the population (the
    sum of the rows' weights), it is the mean of 1 / F over the negative binomial distribution of F,
    the true number of these people: exact for one row and for two, sdcMicro's approximation for
    more. Where rows stand for nobody else it is 1 / f.

    >>> estimate_risks(np.array([1.0, 2.0, 1.0, 4.0]), np.array([11.7, 25.7, 1.0, 4.0])).round(6)
    array([0.229868, 0.066205, 1.      , 0.25    ])
    """
    f = np.asarray(frequencies, np.float64)
    p = np.minimum(f / np.maximum(sizes, f), 1.0)
    q = 1.0 - p
    risks = p / (f - q)
    inside = q > 0.0
    for rows, formula in ((1, _of_one), (2, _of_two)):
        some = (f == rows) & inside
        risks[some] = formula(p[some], q[some])
    return risks


def _of_one(p: Floats, q: Floats) -> Floats:
    return -p * np.log1p(-q) / q


def _of_two(p: Floats, q: Floats) -> Floats:
    whole = p * (p * np.log1p(-q) + q) / q**2
    return np.where(q < NEARLY_ALL, p * (0.5 + q / 6.0 + q**2 / 12.0), whole)


@dataclass(frozen=True, repr=False, eq=False)
class PopulationRisks:
    """Sums over all rows, in the original and in the release.

    `risk` is the sum of individual risks in the original; `released` that of released rows, as if
    each had its person's keys, and `own` only of those that have. Rows with a combination of their
    own are `unique`, and `others` are the people of the population whom a pair of rows stands for
    besides itself. `kept` people are unique in the original, and so is their released row, with the
    same keys. `records` has the individual risk of each person by their released row, and by their
    original one.
    """

    rows: int
    risk: float
    released: float
    own: float
    unique: int
    others: float
    kept: int
    records: tuple[Floats, Floats] | None = None

    @classmethod
    def of(cls, keep: bool, crowd: EquivalenceClasses) -> PopulationRisks:  # noqa: FBT001
        """Sum up rows that share combinations of keys."""
        weight = crowd.data.weight
        assert weight is not None
        assert crowd.weights is not None
        count = int(max(x.max(initial=-1) for x in (crowd.original, crowd.released))) + 1
        before = _Cells.of(crowd.original, crowd.weights, count)
        after = _Cells.of(crowd.released, weight.values, count)
        risks = before.risks[crowd.original]
        same = np.ones(len(risks), np.bool_) if crowd.same is None else crowd.same
        own = after.risks[crowd.original] * same
        alone = before.rows[crowd.original] == 1
        kept = alone & same & (after.rows[crowd.original] == 1)
        pairs = before.rows == 2
        return cls(
            len(risks), float(risks.sum()), float(after.risks[crowd.released].sum()),
            float(own.sum()), int(alone.sum()),
            float(np.maximum(before.people[pairs] - 2.0, 0.0).sum()), int(kept.sum()),
            (own, risks) if keep else None,
        )  # fmt: skip

    def __add__(self, other: PopulationRisks) -> PopulationRisks:
        return PopulationRisks(
            self.rows + other.rows, self.risk + other.risk, self.released + other.released,
            self.own + other.own, self.unique + other.unique, self.others + other.others,
            self.kept + other.kept,
        )  # fmt: skip

    @property
    def surely(self) -> float:
        """The chance that a person of the population who fits a unique row is the right one.

        Skinner and Carter's estimate for unequal weights: unique rows, over them and the people
        whom pairs of rows stand for besides.
        """
        return self.unique / (self.unique + self.others) if self.unique else 0.0


@dataclass(frozen=True, repr=False, eq=False)
class _Cells:
    """Sum up by combination of keys: the rows, the people they stand for, and the risk."""

    rows: Ints
    people: Floats
    risks: Floats

    @classmethod
    def of(cls, labels: Ints, weights: Floats, count: int) -> _Cells:
        rows = np.bincount(labels, minlength=count)
        people = np.bincount(labels, weights, minlength=count).astype(np.float64)
        return cls(rows, people, estimate_risks(np.maximum(rows, 1), people))


def find_population_risks(comparison: Comparison) -> PopulationRisks:
    """Return what the keys of the verdict's intruder reveal, in the weighted population."""
    weight = comparison.original.weight
    if weight is None:
        raise Undefined(NO_WEIGHT)
    keys = name_keys(comparison)
    look = partial(PopulationRisks.of, comparison.in_memory)
    return comparison.gather_classes(look, keys, [n for n in [weight.name] if n not in keys])


def name_keys(comparison: Comparison) -> tuple[str, ...]:
    """The columns that the intruder of the verdict knows; of the weight itself nobody does."""
    names = comparison.keys or comparison.known
    return tuple(n for n in names if comparison.original[n].role is not Role.WEIGHT) or names
